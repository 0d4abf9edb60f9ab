// Lanes whose access cannot be made: sinks that want to hear of them do, and lenient launches let some pass; otherwise
// the launch ends with a fault.
#include "exec/memory/stray.h"

#include "exec/memory/lenient.h"

bool hw_stray_may_pass(hw_state *s, const hw_inst *in, hw_fault_kind kind, int lane, hw_space space, uint64_t offset,
                       hw_stray *stray) {
    if (!HW_IS_TOLD(s, STRAY)) {
        stray->mask |= 1u << lane;
        if (hw_lenient_passes(s, in, kind, space, offset, stray)) return true;
        hw_fault_access(s, in, kind, lane, space, offset, stray->bytes, stray->is_write);
        return false;
    }
    stray->mask |= 1u << lane;
    stray->misaligned |= (uint32_t)(kind == HW_FAULT_MISALIGNED) << lane;
    stray->space[lane] = (uint8_t)space;
    stray->address[lane] = offset;
    return true;
}

void hw_stray_tell_lanes(hw_state *s, const hw_inst *in, hw_stray *stray) {
    if (!HW_IS_TOLD(s, STRAY)) return;
    stray->where = hw_where_of(s);
    stray->note = in->note;
    hw_tell_stray(&s->run->observers->all, s->worker->index, stray);
}

bool hw_access_stray(hw_state *s, const hw_inst *in, hw_fault_kind kind, int lane, hw_space space, uint64_t offset,
                     uint32_t bytes, bool is_write) {
    hw_stray stray = {.is_write = is_write, .bytes = bytes};
    if (!hw_stray_may_pass(s, in, kind, lane, space, offset, &stray)) return false;
    hw_stray_tell_lanes(s, in, &stray);
    return true;
}
