// A segment is as long as a loop over lanes can keep the order of effects: what it loads it loads before it stores, by
// addresses that it does not compute itself, and its one store comes last. Branches, barriers, groups of lanes and
// accesses whose lanes lie apart end it.
#include "compile/choose.h"

#include "compile/forms.h"
#include "compile/usage.h"

enum { MOST_INSTRUCTIONS = 192, FEWEST_INSTRUCTIONS = 2, MOST_WRITTEN = 1024 };

typedef struct builder {
    const hw_program_set *set;
    const hw_program *program;
    hw_segment *segment;              // that is being made
    hw_slot written[MOST_WRITTEN];    // by it
    uint32_t n_written;
    bool has_stored;
} builder;

static bool is_written(const builder *b, hw_slot slot) {
    for (uint32_t k = 0; k < b->n_written; k++)
        if (b->written[k] == slot) return true;
    return false;
}

static bool note_writes(builder *b, uint32_t index) {
    hw_usage u;
    hw_usage_of(b->program, index, &u);
    if (b->n_written + u.n_writes > MOST_WRITTEN) return false;
    for (uint32_t k = 0; k < u.n_writes; k++) b->written[b->n_written++] = u.writes[k];
    return true;
}

static bool is_access(hw_body_id id) { return id == HW_BODY_LD || id == HW_BODY_ST; }

// Spaces whose bytes lie together, by registers that the quick bodies know too.
static bool can_access(const builder *b, const hw_inst *in, bool is_store) {
    bool has_space = in->space == HW_SPACE_GLOBAL || in->space == HW_SPACE_SHARED || in->space == HW_SPACE_GENERIC ||
                     in->space == HW_SPACE_CONST;
    if (!has_space || in->a == HW_NO_SLOT || in->flags & HW_INST_VOLATILE || in->width > 8 || in->vector > 4)
        return false;
    if (in->flags & HW_INST_ADDRESS_32 && in->space != HW_SPACE_SHARED) return false;
    hw_seen_shape seen = hw_segment_seen(b->set, in->pattern);
    return seen == HW_SEEN_UNIT || (seen == HW_SEEN_SAME && !is_store);
}

// Accesses of one space by one register, at distances that are known.
static bool are_together(const hw_inst *a, const hw_inst *b) {
    return a->a == b->a && a->space == b->space && (a->flags & HW_INST_ADDRESS_32) == (b->flags & HW_INST_ADDRESS_32);
}

static void find_group(const builder *b, const hw_inst *in, hw_segment_access *access) {
    hw_segment *s = b->segment;
    access->group = (uint8_t)s->n_groups;
    access->is_first = true;
    for (const hw_segment_access *other = s->accesses; other < access; other++) {
        const hw_inst *first = &b->program->insts[s->first + other->offset];
        if (!other->is_first || other->shape != access->shape || !are_together(first, in)) continue;
        if (access->shape == HW_SEEN_UNIT && first->width * first->vector != in->width * in->vector) continue;
        int64_t distance = (int64_t)((uint64_t)in->imm - (uint64_t)first->imm);
        access->distance = in->flags & HW_INST_ADDRESS_32 ? (int32_t)distance : distance;
        access->group = other->group;
        access->is_first = false;
    }
    s->n_groups += access->is_first;
}

static bool add_access(builder *b, uint32_t index) {
    const hw_inst *in = &b->program->insts[index];
    bool is_store = b->program->bodies[index] == HW_BODY_ST;
    hw_segment *s = b->segment;
    if (!can_access(b, in, is_store) || is_written(b, in->a) || s->n_accesses == HW_SEGMENT_ACCESSES) return false;
    s->accesses[s->n_accesses++] = (hw_segment_access){.offset = (uint16_t)(index - s->first),
                                                       .shape = (uint8_t)hw_segment_seen(b->set, in->pattern)};
    find_group(b, in, &s->accesses[s->n_accesses - 1]);
    b->has_stored = is_store;
    return true;
}

static bool is_value(const builder *b, uint32_t index) {
    return b->program->bodies[index] == HW_BODY_NOP || hw_form_of(b->program->bodies[index])->kind != HW_FORM_NONE;
}

// The instructions under a guard, all of values, and what ends it; 0: they are not to be taken in.
static uint32_t guarded_length(const builder *b, uint32_t index) {
    const hw_inst *in = &b->program->insts[index];
    if (b->segment->n_guards == HW_SEGMENT_GUARDS || in->target <= index + 1) return 0;
    if (b->program->bodies[in->target - 1] != HW_BODY_UNGUARD) return 0;
    for (uint32_t i = index + 1; i + 1 < in->target; i++)
        if (!is_value(b, i)) return 0;
    return in->target - index;
}

// Guards count by their predicate's final value, so nothing may write it after them.
static bool changes_guard(const builder *b, uint32_t index) {
    hw_usage u;
    hw_usage_of(b->program, index, &u);
    for (uint32_t g = 0; g < b->segment->n_guards; g++)
        for (uint32_t k = 0; k < u.n_writes; k++)
            if (b->segment->guards[g].predicate == u.writes[k]) return true;
    return false;
}

static uint32_t add_guard(builder *b, uint32_t index) {
    const hw_inst *in = &b->program->insts[index];
    uint32_t length = guarded_length(b, index);
    if (!length) return 0;
    b->segment->guards[b->segment->n_guards++] = (hw_segment_guard){
        .predicate = in->p, .is_negated = in->flags & HW_INST_NEGATE_P, .count = in->count, .note = in->note};
    bool is_kept = true;
    for (uint32_t i = index + 1; i < index + length; i++) is_kept &= !changes_guard(b, i);
    for (uint32_t i = index + 1; is_kept && i < index + length; i++) is_kept = note_writes(b, i);
    if (is_kept) return length;
    b->segment->n_guards--;
    return 0;
}

// How many instructions from `index` on the segment takes in; 0: it ends before them.
static uint32_t extend(builder *b, uint32_t index) {
    hw_body_id id = b->program->bodies[index];
    if (b->has_stored || index - b->segment->first >= MOST_INSTRUCTIONS) return 0;
    if (id == HW_BODY_GUARD) return add_guard(b, index);
    if (changes_guard(b, index)) return 0;
    bool is_taken = is_access(id) ? add_access(b, index) : is_value(b, index);
    return is_taken && note_writes(b, index);
}

hw_segment *hw_compile_choose(const hw_program_set *set, const hw_program *program, hw_arena *arena, uint32_t *count) {
    hw_segment *segments = hw_arena_take(arena, (program->n_insts / FEWEST_INSTRUCTIONS + 1) * sizeof *segments);
    builder *b = hw_arena_take(arena, sizeof *b);
    *count = 0;
    if (!segments || !b) return NULL;
    *b = (builder){.set = set, .program = program};
    for (uint32_t i = 0; i < program->n_insts;) {
        b->segment = &segments[*count];
        *b->segment = (hw_segment){.first = i};
        b->n_written = 0;
        b->has_stored = false;
        uint32_t end = i, taken;
        while (end < program->n_insts && (taken = extend(b, end))) end += taken;
        b->segment->count = end - i;
        if (b->segment->count >= FEWEST_INSTRUCTIONS) ++*count;
        i = end > i ? end : i + 1;
    }
    return segments;
}
