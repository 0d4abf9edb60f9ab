// What sinks hear of undefined values.
#include "exec/undefined/undefined.h"

static void tell(hw_state *s, const hw_undefined_told *told) {
    hw_tell_undefined(&s->run->observers->all, s->worker->index, told);
}

// The next origin: where it is born is told once, and stands behind every later use.
static hw_origin bear(hw_state *s, hw_undefined_told told) {
    told.where = hw_where_of(s);
    told.origin = ++s->undefined->defined->n_origins;
    told.use = HW_UNDEFINED_IS_BORN;
    tell(s, &told);
    return told.origin;
}

// One for each instruction of a launch.
hw_origin hw_undefined_origin(hw_state *s, const hw_inst *in, int lane, hw_undefined_place place, uint32_t bytes) {
    hw_origin *known = &s->run->origins[in->note];
    if (!*known)
        *known = bear(s, (hw_undefined_told){.note = in->note, .mask = 1u << lane, .space = place.space,
                                             .bytes = (uint8_t)bytes, .address = place.offset});
    return *known;
}

hw_origin hw_undefined_origin_of_registers(hw_state *s) {
    hw_origin *known = &s->run->origins[s->run->set->n_notes];
    if (!*known) *known = bear(s, (hw_undefined_told){.note = HW_NO_NOTE});
    return *known;
}

void hw_undefined_tell(hw_state *s, const hw_inst *in, hw_undefined_use use, uint32_t mask, hw_origin origin,
                       hw_undefined_place place) {
    const hw_undefined_told told = {.where = hw_where_of(s), .note = in->note, .mask = mask, .use = use,
                                    .origin = origin & ~HW_ORIGIN_COUNTS, .space = place.space,
                                    .address = place.offset};
    tell(s, &told);
}

void hw_undefined_use_slot(hw_state *s, const hw_inst *in, hw_undefined_use use, hw_slot slot, uint32_t bytes) {
    hw_origin origin = 0;
    const uint32_t lanes = hw_undefined_lanes_of(s, slot, bytes, &origin);
    if (!lanes) return;
    hw_undefined_tell(s, in, use, lanes, origin, (hw_undefined_place){.space = 0});
    hw_undefined_clear(s, slot, bytes, lanes);
}
