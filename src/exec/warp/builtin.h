// Functions that a kernel calls and no module defines: the device runtime's and the math library's.
#ifndef HW_EXEC_BUILTIN_H
#define HW_EXEC_BUILTIN_H

#include "exec/warp/warp.h"

// The number of a function, by name; 0: there is none. Asked when a module is bound.
uint32_t hw_builtin_find(const char *name);

// Runs in->builtin for the active lanes: arguments from the caller's parameter memory, results back to it. Returns
// in when done, else what the body must return (NULL after a fault).
const hw_inst *hw_builtin_call(hw_state *s, const hw_inst *in, const hw_call_site *site);

#endif
