// All rows of isa/bodies/ in order, their names by hashing, and what these spell: each table is filled once, on
// its first look-up.
#include "isa/bodies.h"

#include <pthread.h>
#include <string.h>

#include "isa/bodies/rows.h"

// The words of the last columns, USES and CONVOY.
#define USES(fields) .uses = fields
#define CONVOY(form) .convoy = HW_CONVOY_##form
#define ACCESS HW_USES_ACCESS
#define LIST HW_USES_LIST
#define FOURTH HW_USES_FOURTH
#define NUMBER HW_USES_NUMBER
#define SPECIAL HW_USES_SREG
#define TARGET HW_USES_TARGET
#define TARGETS HW_USES_TARGETS
#define CALLEE HW_USES_CALLEE
#define COUNT HW_USES_COUNT

#define NAMED(id, name_, function, ...) {.name = name_, .group = BODY_GROUP, __VA_ARGS__},
#define NAMED_ON_LANES(id, name_, ...) {.name = name_, .group = BODY_GROUP, .works_on_lanes = true, __VA_ARGS__},
#define BODY_ROW(name_, ...) {.name = name_, .group = BODY_GROUP, __VA_ARGS__},
// red has nobody who waits for its result: it may be done for one warp after the other.
#define ATOM_ONLY(name_, function) BODY_ROW("atom." name_, USES(ACCESS | LIST))
#define ATOM(name_, function)                                                                                          \
    ATOM_ONLY(name_, function)                                                                                         \
    {.name = "red." name_, .group = BODY_GROUP, .works_on_lanes = true, USES(ACCESS | LIST)},
#define MEMBERS(name_, where, bytes)                                                                                   \
    {.name = name_, .group = BODY_GROUP, .members = where, .result_bytes = bytes, .works_on_lanes = true},
#define MEMBERS_IN_C(name_, function, bytes) MEMBERS(name_, HW_MEMBERS_IN_C, bytes)
#define MEMBERS_IN_P(name_, function, bytes) MEMBERS(name_, HW_MEMBERS_IN_P, bytes)
#define REDUX(name_, ...) MEMBERS(name_, HW_MEMBERS_IN_C, 4)

static const hw_body_info rows[] = {
    {.name = "?", .group = HW_BODY_GROUP_COUNT},
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_memory
#include "isa/bodies/memory.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_flow
#include "isa/bodies/flow.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_call
#include "isa/bodies/call.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_barrier
#include "isa/bodies/barrier.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_special
#include "isa/bodies/special.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_async
#include "isa/bodies/async.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_bulk
#include "isa/bodies/bulk.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_atomic
#include "isa/bodies/atomic.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_mbarrier
#include "isa/bodies/mbarrier.def"

// From here on each body exists once for each level.
#undef BODY_ROW
#define BODY_ROW(name_, ...) {.name = name_, .group = BODY_GROUP, .works_on_lanes = true, __VA_ARGS__},
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_int
#include "isa/bodies/int.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_wide
#include "isa/bodies/wide.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_bits
#include "isa/bodies/bits.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_logic
#include "isa/bodies/logic.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_compare
#include "isa/bodies/compare.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_convert
#include "isa/bodies/convert.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_convert_float
#include "isa/bodies/convert_float.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_round
#include "isa/bodies/round.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_shuffle
#include "isa/bodies/shuffle.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_move
#include "isa/bodies/move.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_f32
#include "isa/bodies/f32.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_f64
#include "isa/bodies/f64.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_half
#include "isa/bodies/half.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_approx
#include "isa/bodies/approx.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_rounded
#include "isa/bodies/rounded.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_fcompare
#include "isa/bodies/setp.def"
#include "isa/bodies/fset.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_video
#include "isa/bodies/video.def"
#include "isa/bodies/video_ordered.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_matrix
#include "isa/bodies/matrix.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_mma
#include "isa/bodies/mma.def"
#undef BODY_GROUP
#define BODY_GROUP HW_BODIES_texture
#include "isa/bodies/texture.def"
};

enum { ROWS = sizeof rows / sizeof *rows, SLOTS = 8192 };
_Static_assert(ROWS < SLOTS / 2, "grow SLOTS");

static hw_body_id slots[SLOTS], first[HW_BODY_GROUP_COUNT + 1];
static hw_body_spelling spellings[ROWS];
static pthread_once_t filled = PTHREAD_ONCE_INIT, are_read = PTHREAD_ONCE_INIT;

// FNV-1a.
static uint32_t slot_of(const char *name) {
    uint32_t hash = 2166136261u;
    for (; *name; name++) hash = (hash ^ (uint8_t)*name) * 16777619u;
    return (hash ^ hash >> 15) & (SLOTS - 1);
}

// Opcodes have dots in their names, too: the longest beginning that is one counts. Where it ends.
static const char *read_op(const char *name, hw_op *op) {
    for (size_t length = strlen(name); length; length--) {
        if (name[length] && name[length] != '.') continue;
        *op = hw_op_find(name, length);
        if (*op != HW_OP_NONE) return name + length;
    }
    return name;
}

static void read_name(const char *name, hw_body_spelling *out) {
    for (const char *word = read_op(name, &out->op); *word;) {
        word += *word == '.';
        const size_t length = strcspn(word, ".");
        const hw_type type = hw_type_find(word, length);
        const hw_mod mod = hw_mod_find(word, length);
        if (type != HW_T_NONE) {
            if (!out->n_types++) out->first = type;
            out->last = type;
        } else if (mod != HW_M_COUNT) {
            hw_add_mod(&out->mods, mod);
        }
        word += length;
    }
}

// By itself: who compiles kernels asks, or looks for undefined values, and a program's first launch does not.
static void read_names(void) {
    for (uint32_t id = 1; id < ROWS; id++) read_name(rows[id].name, &spellings[id]);
}

static void fill_slots(void) {
    for (uint32_t id = ROWS - 1; id; id--) {
        uint32_t slot = slot_of(rows[id].name);
        while (slots[slot]) slot = (slot + 1) & (SLOTS - 1);
        slots[slot] = (hw_body_id)id;
        first[rows[id].group] = (hw_body_id)id;
    }
    first[HW_BODY_GROUP_COUNT] = ROWS;
}

const hw_body_info *hw_body_info_of(hw_body_id id) { return &rows[id < ROWS ? id : HW_BODY_NONE]; }

const char *hw_body_name(hw_body_id id) { return hw_body_info_of(id)->name; }

const hw_body_spelling *hw_body_spelling_of(hw_body_id id) {
    pthread_once(&are_read, read_names);
    return &spellings[id < ROWS ? id : HW_BODY_NONE];
}

hw_body_id hw_body_find(const char *name) {
    pthread_once(&filled, fill_slots);
    for (uint32_t slot = slot_of(name); slots[slot]; slot = (slot + 1) & (SLOTS - 1))
        if (strcmp(rows[slots[slot]].name, name) == 0) return slots[slot];
    return HW_BODY_NONE;
}

hw_body_id hw_body_first(hw_body_group group) {
    pthread_once(&filled, fill_slots);
    return first[group];
}

uint32_t hw_body_count_of(hw_body_group group) {
    return (uint32_t)hw_body_first((hw_body_group)(group + 1)) - hw_body_first(group);
}

uint32_t hw_body_count(void) { return ROWS; }
