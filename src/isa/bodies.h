// The bodies of decoded instructions: what a program is lowered to, by name and by number.
//
// A body is what executes one decoded instruction. Each is a row of a file in isa/bodies/; its number, a hw_body_id, is
// its place among all rows. lower finds the number of an instruction once, by the name that it spells (lower/program.h,
// "Body names"); exec has arrays of functions in the same order, and nobody compares names after that.
#ifndef HW_ISA_BODIES_H
#define HW_ISA_BODIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/isa.h"

// The files, in the order of their rows. Columns: GROUP(file, x), x as the user of the list says.
// Of the first groups each body exists once; of the others once for each instruction-set level (exec/ops/level.h).
#define HW_BODY_GROUPS_COMMON(GROUP, x)                                                                                \
    GROUP(memory, x) GROUP(flow, x) GROUP(call, x) GROUP(barrier, x) GROUP(special, x) GROUP(async, x)                 \
    GROUP(bulk, x) GROUP(atomic, x) GROUP(mbarrier, x)
#define HW_BODY_GROUPS_OF_LANES(GROUP, x)                                                                              \
    GROUP(int, x) GROUP(wide, x) GROUP(bits, x) GROUP(logic, x) GROUP(compare, x) GROUP(convert, x)                    \
    GROUP(convert_float, x) GROUP(round, x) GROUP(shuffle, x) GROUP(move, x) GROUP(f32, x) GROUP(f64, x)               \
    GROUP(half, x) GROUP(approx, x) GROUP(rounded, x) GROUP(fcompare, x) GROUP(video, x) GROUP(matrix, x)              \
    GROUP(mma, x) GROUP(texture, x)

typedef enum hw_body_group {
#define GROUP(file, x) HW_BODIES_##file,
    HW_BODY_GROUPS_COMMON(GROUP, )
    HW_BODIES_OF_LANES,
    HW_BODIES_BEFORE_LANES = HW_BODIES_OF_LANES - 1,    // the next enumerator is OF_LANES again
    HW_BODY_GROUPS_OF_LANES(GROUP, )
#undef GROUP
    HW_BODY_GROUP_COUNT
} hw_body_group;

// A body's number; those that lower and exec name are constants: HW_BODY_LD. 0: no body.
typedef uint16_t hw_body_id;
enum {
    HW_BODY_NONE,
#define NAMED(id, ...) HW_BODY_##id,
#define NAMED_ON_LANES(id, ...) HW_BODY_##id,
#include "isa/bodies/memory.def"
#include "isa/bodies/flow.def"
#include "isa/bodies/call.def"
#include "isa/bodies/barrier.def"
#include "isa/bodies/special.def"
#include "isa/bodies/async.def"
#include "isa/bodies/bulk.def"
#undef NAMED
#undef NAMED_ON_LANES
    HW_BODY_NAMED_COUNT
};

// Fields of a decoded instruction that bodies share, or that only some have (hw_inst, lower/program.h): those that a
// body uses beyond d, a, b, c, e and p.
enum {
    HW_USES_ACCESS = 1,        // space, width and reg_bytes; imm is an offset from a, or the address
    HW_USES_LIST = 2,          // list: registers in slots, as many as vector says
    HW_USES_FOURTH = 4,        // fourth, a source where others have e
    HW_USES_NUMBER = 8,        // imm: a number
    HW_USES_SREG = 16,         // sub: a special register
    HW_USES_TARGET = 32,       // target
    HW_USES_TARGETS = 64,      // targets, as many as imm says
    HW_USES_CALLEE = 128,      // call
    HW_USES_COUNT = 256,       // count
};

// Where an instruction that gathers lanes has its member mask; they run together, by one call of the body.
typedef enum hw_members { HW_MEMBERS_NONE, HW_MEMBERS_IN_C, HW_MEMBERS_IN_P } hw_members;

// How several warps that stand at the same place execute a body together (exec/schedule/convoy.c). LEAVES: they do not,
// each goes on alone. Bodies that work on lanes alone run for one warp after the other (EACH_WARP) whatever is said.
typedef enum hw_convoy_form {
    HW_CONVOY_LEAVES, HW_CONVOY_EACH_WARP,
    HW_CONVOY_JUMP, HW_CONVOY_BRANCH, HW_CONVOY_FALL, HW_CONVOY_GUARD, HW_CONVOY_UNGUARD, HW_CONVOY_EXIT,
    HW_CONVOY_BARRIER, HW_CONVOY_WARP_SYNC, HW_CONVOY_FENCE,
    HW_CONVOY_FORMS
} hw_convoy_form;

typedef struct hw_body_info {
    const char *name;
    uint8_t group;             // hw_body_group
    uint8_t convoy;            // hw_convoy_form
    uint8_t members;           // hw_members
    uint8_t result_bytes;      // of what gathers lanes: of a lane of its result; 0: a predicate
    uint16_t uses;             // HW_USES_*
    bool works_on_lanes;       // it reads and writes registers and memory of its lanes, and nothing else
} hw_body_info;

// Number and name; constant time. An unknown number has the row of HW_BODY_NONE, named "?".
const hw_body_info *hw_body_info_of(hw_body_id id);
const char *hw_body_name(hw_body_id id);
hw_body_id hw_body_find(const char *name);     // HW_BODY_NONE: there is none
// What a body's name spells, by the words of ops.def, mods.def and types.def; constant time. Of a body that is a step
// of several opcodes (trunc, ext, wmma.address) op is HW_OP_NONE.
typedef struct hw_body_spelling {
    hw_op op;
    hw_mods mods;
    hw_type first, last;       // of the types; both alike where there is one, HW_T_NONE where there is none
    uint8_t n_types;
} hw_body_spelling;
const hw_body_spelling *hw_body_spelling_of(hw_body_id id);
// A group's bodies have the numbers from first on, count of them. hw_body_count: all numbers, 0 included.
hw_body_id hw_body_first(hw_body_group group);
uint32_t hw_body_count_of(hw_body_group group);
uint32_t hw_body_count(void);

#endif
