// Accesses that cannot be made, lane by lane.
#ifndef HW_EXEC_STRAY_H
#define HW_EXEC_STRAY_H

#include "exec/warp/warp.h"

// Notes down that a lane strays; false: nobody wants to hear of that, and the launch has been stopped.
bool hw_stray_may_pass(hw_state *s, const hw_inst *in, hw_fault_kind kind, int lane, hw_space space, uint64_t offset,
                       hw_stray *stray);

// Tells of the lanes that have been noted down, where a sink wants to hear of them.
void hw_stray_tell_lanes(hw_state *s, const hw_inst *in, hw_stray *stray);

#endif
