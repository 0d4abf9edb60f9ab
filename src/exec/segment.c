// Segments find their place among a program's instructions.
#include "exec/segment.h"

#include "exec/ops/level.h"

void hw_segment_attach(hw_program *program, hw_segment *segment) {
    const hw_level *level = hw_level_used();
    if (!program->segments || !level || program->segments[segment->first]) return;
    hw_inst *in = &program->insts[segment->first];
    segment->body = in->body;
    segment->convoy_body = program->convoy_insts ? program->convoy_insts[segment->first].body : NULL;
    program->segments[segment->first] = segment;
    __atomic_store_n(&in->body, level->segment->body, __ATOMIC_RELEASE);
    if (program->convoy_insts)
        __atomic_store_n(&program->convoy_insts[segment->first].body, level->segment->convoy, __ATOMIC_RELEASE);
}

const char *hw_segment_level(void) { return hw_level_used() ? hw_level_used()->name : NULL; }

static uint8_t seen_of(const hw_program_set *set, uint32_t pattern) {
    return set->seen ? __atomic_load_n(&set->seen[pattern], __ATOMIC_RELAXED) : 0;
}

hw_seen_shape hw_segment_seen(const hw_program_set *set, uint32_t pattern) {
    return (hw_seen_shape)HW_SEEN_ALL(seen_of(set, pattern));
}

hw_seen_shape hw_segment_seen_some(const hw_program_set *set, uint32_t pattern) {
    return (hw_seen_shape)HW_SEEN_SOME(seen_of(set, pattern));
}

bool hw_segment_seen_apart(const hw_program_set *set, uint32_t pattern) {
    return seen_of(set, pattern) & HW_SEEN_APART;
}
