// Surfaces as instructions find them. Private to exec.
#ifndef HW_EXEC_SURFACE_H
#define HW_EXEC_SURFACE_H

#include "exec/warp/warp.h"

// surface.address (lower/program.h).
const hw_inst *hw_surface_address(hw_warp *w, const hw_inst *in);

#endif
