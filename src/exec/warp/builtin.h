// Functions that a kernel calls and no module defines: the device runtime's and the math library's.
#ifndef HW_EXEC_BUILTIN_H
#define HW_EXEC_BUILTIN_H

#include "exec/warp/warp.h"

// Is there a function of this name? Asked when a module is bound.
bool hw_builtin_exists(const char *name);

// Runs site->builtin for the active lanes: arguments from the caller's parameter memory, results back to it. Returns
// in when done, else what the body must return (NULL after a fault).
const hw_inst *hw_builtin_call(hw_state *s, const hw_inst *in, const hw_call_site *site);

#endif
