// A segment is as long as a loop over lanes can keep the order of effects: it stores once, and what it loads afterwards
// is in another space, all by addresses that are known when it begins (symbols.h). Branches, barriers, groups of lanes
// and accesses whose lanes lie apart end it.
#include "compile/choose.h"

#include "compile/forms.h"
#include "compile/symbols.h"
#include "compile/usage.h"

enum { MOST_INSTRUCTIONS = 192, FEWEST_INSTRUCTIONS = 2 };

typedef struct builder {
    const hw_program_set *set;
    const hw_program *program;
    hw_segment *segment;              // that is being made
    hw_symbols symbols;
    bool has_stored;
    uint8_t stored_space;
    bool has_truncated;               // floats to integers
} builder;

// By all lanes, or where these never were at once by some.
static hw_seen_shape seen_shape(const builder *b, const hw_inst *in) {
    hw_seen_shape all = hw_segment_seen(b->set, in->pattern);
    return all != HW_SEEN_NEVER ? all : hw_segment_seen_some(b->set, in->pattern);
}

// Spaces whose bytes lie together, by registers that the quick bodies know too. A volatile access may be of one
// element, a whole vector by .cg is not volatile: neither flag has the other.
static bool can_access(const builder *b, const hw_inst *in, bool is_store) {
    bool has_space = in->space == HW_SPACE_GLOBAL || in->space == HW_SPACE_SHARED || in->space == HW_SPACE_GENERIC ||
                     in->space == HW_SPACE_CONST;
    if (!has_space || in->a == HW_NO_SLOT || in->width > 8 || in->vector > 4) return false;
    if (in->flags & (HW_INST_VOLATILE | HW_INST_WHOLE)) return false;
    if (in->flags & HW_INST_ADDRESS_32 && in->space != HW_SPACE_SHARED) return false;
    hw_seen_shape seen = seen_shape(b, in);
    return seen == HW_SEEN_UNIT || (seen == HW_SEEN_SAME && !is_store);
}

static bool are_equal_terms(const hw_segment_term *a, const hw_segment_term *b, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        if (a[k].a != b[k].a || a[k].b != b[k].b) return false;
    return true;
}

static bool have_one_root(const hw_segment_address *a, const hw_segment_address *b) {
    return a->root == b->root && a->root_bytes == b->root_bytes && a->is_extended == b->is_extended &&
           a->is_signed == b->is_signed && a->scale == b->scale;
}

// Are two addresses of one root a constant apart? *distance: of b from a.
static bool are_apart(const hw_segment_address *a, const hw_segment_address *b, int64_t *distance) {
    if (a->n_terms_32 != b->n_terms_32 || a->n_terms_64 != b->n_terms_64) return false;
    if (!are_equal_terms(a->terms_32, b->terms_32, a->n_terms_32)) return false;
    if (!are_equal_terms(a->terms_64, b->terms_64, a->n_terms_64)) return false;
    bool is_narrow = a->root_bytes == 4 && !a->is_extended;
    if (a->is_extended && a->add_32 != b->add_32) return false;
    *distance = is_narrow ? (int32_t)(b->add_32 - a->add_32) : (int64_t)((uint64_t)b->add_64 - (uint64_t)a->add_64);
    return true;
}

static bool is_launch_wide(const hw_segment_term *terms, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        if ((terms[k].a & 3) != HW_BASE_LAUNCH || (terms[k].b != HW_NO_SLOT && (terms[k].b & 3) != HW_BASE_LAUNCH))
            return false;
    return true;
}

static bool is_fixed(const hw_segment_address *a) {
    hw_base base = (hw_base)(a->root & 3);
    return (base == HW_BASE_WARP || base == HW_BASE_LAUNCH) && is_launch_wide(a->terms_32, a->n_terms_32) &&
           is_launch_wide(a->terms_64, a->n_terms_64);
}

// Which access has compared the lanes of this one's register, and which has its address but for a distance.
static void find_group(const builder *b, const hw_inst *in, uint32_t number) {
    hw_segment *s = b->segment;
    hw_segment_access *access = &s->accesses[number];
    access->leader = (uint8_t)number;
    access->group = (uint8_t)s->n_groups;
    access->is_first = true;
    access->is_fixed = is_fixed(&access->address);
    for (uint32_t k = number; k-- > 0;) {
        const hw_segment_access *other = &s->accesses[k];
        const hw_inst *first = &b->program->insts[s->first + other->offset];
        bool is_alike = other->shape == access->shape && first->space == in->space &&
                        (access->shape == HW_SEEN_SAME || first->width * first->vector == in->width * in->vector);
        if (!is_alike || !have_one_root(&other->address, &access->address)) continue;
        access->leader = other->leader;
        if (!other->is_first || !are_apart(&other->address, &access->address, &access->distance)) continue;
        access->group = other->group;
        access->is_first = false;
    }
    s->n_groups += access->is_first;
}

// Can an access be behind the store whatever its address? Global memory is no block's shared memory.
static bool can_follow(const builder *b, const hw_inst *in, bool is_store) {
    if (!b->has_stored) return true;
    uint8_t stored = b->stored_space, loaded = in->space;
    return !is_store && ((stored == HW_SPACE_SHARED && loaded == HW_SPACE_GLOBAL) ||
                         (stored == HW_SPACE_GLOBAL && loaded == HW_SPACE_SHARED));
}

static bool add_access(builder *b, uint32_t index) {
    const hw_inst *in = &b->program->insts[index];
    bool is_store = b->program->bodies[index] == HW_BODY_ST;
    hw_segment *s = b->segment;
    hw_segment_access *access = &s->accesses[s->n_accesses];
    if (!can_follow(b, in, is_store)) return false;
    if (s->n_accesses == HW_SEGMENT_ACCESSES || !can_access(b, in, is_store)) return false;
    *access = (hw_segment_access){.offset = (uint16_t)(index - s->first),
                                  .shape = (uint8_t)seen_shape(b, in)};
    if (!hw_symbols_address(&b->symbols, in, &access->address)) return false;
    s->has_some &= hw_segment_seen_some(b->set, in->pattern) == access->shape;
    find_group(b, in, s->n_accesses++);
    if (is_store) b->has_stored = true, b->stored_space = in->space;
    return true;
}

bool hw_compile_is_value(const hw_program *program, uint32_t index) {
    return program->bodies[index] == HW_BODY_NOP || hw_form_of(program->bodies[index])->kind != HW_FORM_NONE;
}

static bool is_float_type(const char *type) { return type && (type[0] == 'f' || type[0] == 'd'); }

bool hw_compile_rounds_trip(const hw_program *program, uint32_t index, bool *has_truncated) {
    const hw_form *form = hw_form_of(program->bodies[index]);
    if (form->kind != HW_FORM_VALUE) return false;
    bool to_integer = is_float_type(form->sources[0]) && !is_float_type(form->result);
    bool to_float = !is_float_type(form->sources[0]) && is_float_type(form->result);
    if (to_float && *has_truncated) return true;
    *has_truncated |= to_integer;
    return false;
}

static bool rounds_trip(builder *b, uint32_t index) {
    return hw_compile_rounds_trip(b->program, index, &b->has_truncated);
}

// The instructions under a guard, all of values, and what ends it; 0: they are not to be taken in.
static uint32_t guarded_length(builder *b, uint32_t index) {
    const hw_inst *in = &b->program->insts[index];
    if (b->segment->n_guards == HW_SEGMENT_GUARDS || in->target <= index + 1) return 0;
    if (b->program->bodies[in->target - 1] != HW_BODY_UNGUARD) return 0;
    for (uint32_t i = index + 1; i + 1 < in->target; i++)
        if (!hw_compile_is_value(b->program, i) || rounds_trip(b, i)) return 0;
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
    for (uint32_t i = index + 1; is_kept && i < index + length; i++) is_kept = hw_symbols_note(&b->symbols, i, true);
    if (is_kept) return length;
    b->segment->n_guards--;
    return 0;
}

// How many instructions from `index` on the segment takes in; 0: it ends before them.
static uint32_t extend(builder *b, uint32_t index) {
    hw_body_id id = b->program->bodies[index];
    if (index - b->segment->first >= MOST_INSTRUCTIONS) return 0;
    if (id == HW_BODY_GUARD) return add_guard(b, index);
    if (changes_guard(b, index) || rounds_trip(b, index)) return 0;
    bool is_taken = hw_body_is_access(id) ? add_access(b, index) : hw_compile_is_value(b->program, index);
    return is_taken && hw_symbols_note(&b->symbols, index, false);
}

hw_segment *hw_compile_choose(const hw_program_set *set, const hw_program *program, hw_arena *arena, uint32_t *count) {
    hw_segment *segments = hw_arena_take(arena, (program->n_insts / FEWEST_INSTRUCTIONS + 1) * sizeof *segments);
    builder *b = hw_arena_take(arena, sizeof *b);
    *count = 0;
    if (!segments || !b) return NULL;
    *b = (builder){.set = set, .program = program, .symbols = {.program = program}};
    for (uint32_t i = 0; i < program->n_insts;) {
        b->segment = &segments[*count];
        *b->segment = (hw_segment){.first = i, .has_some = true};
        b->symbols.n = 0;
        b->has_stored = b->has_truncated = false;
        uint32_t end = i, taken;
        while (end < program->n_insts && (taken = extend(b, end))) end += taken;
        b->segment->count = end - i;
        if (b->segment->count >= FEWEST_INSTRUCTIONS) ++*count;
        i = end > i ? end : i + 1;
    }
    return segments;
}
