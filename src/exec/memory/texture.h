// Textures as instructions find them. Private to exec.
#ifndef HW_EXEC_TEXTURE_H
#define HW_EXEC_TEXTURE_H

#include "exec/warp/warp.h"

// The texture of a handle, or the surface, when all of its memory is still there, with the address at which the host
// finds its texels. It is the worker's, until the next call. NULL after a fault, which is the lane's.
const hw_texture *hw_texture_find(hw_state *s, const hw_inst *in, int lane, uint64_t handle, bool is_surface);

#endif
