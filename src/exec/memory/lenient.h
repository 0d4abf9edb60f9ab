// Reads that are outside of every allocation and that a GPU lets pass (hw_launch.lenient). Internal to exec/.
#ifndef HW_EXEC_LENIENT_H
#define HW_EXEC_LENIENT_H

#include "exec/warp/warp.h"

// Whether an access that strays passes: a read behind a variable of a module, in the same piece of memory that a GPU
// maps as a whole, where its neighbours are. The first one is told.
bool hw_lenient_passes(hw_state *s, const hw_inst *in, hw_fault_kind kind, hw_space space, uint64_t address,
                       const hw_stray *stray);

#endif
