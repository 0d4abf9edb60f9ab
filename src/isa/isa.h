// The PTX instruction set as data: types, modifiers, opcodes, special registers, and what the profiler may know of an
// instruction. Everything here is filled from the .def files beside it.
#ifndef HW_ISA_ISA_H
#define HW_ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/order.h"

enum { HW_WARP_LANES = 32 };

typedef enum hw_type {
    HW_T_NONE = 0,
#define HW_TYPE(id, name, bits, elements, kind) HW_T_##id,
#include "isa/types.def"
#undef HW_TYPE
    HW_T_COUNT
} hw_type;

typedef enum hw_type_kind { HW_KIND_NONE, HW_KIND_B, HW_KIND_U, HW_KIND_S, HW_KIND_F, HW_KIND_P } hw_type_kind;

// A modifier's number; hw_mods is the set of those an instruction carries.
typedef enum hw_mod {
#define HW_MOD(id, name) HW_M_##id,
#include "isa/mods.def"
#undef HW_MOD
    HW_M_COUNT
} hw_mod;

typedef struct hw_mods {
    uint64_t bits[3];
} hw_mods;

static inline bool hw_has_mod(const hw_mods *mods, hw_mod mod) { return mods->bits[mod >> 6] >> (mod & 63) & 1; }
static inline void hw_add_mod(hw_mods *mods, hw_mod mod) { mods->bits[mod >> 6] |= (uint64_t)1 << (mod & 63); }

typedef enum hw_op {
    HW_OP_NONE = 0,
#define HW_OP(id, ...) HW_OP_##id,
#include "isa/ops.def"
#undef HW_OP
    HW_OP_COUNT
} hw_op;

typedef enum hw_sreg {
    HW_SREG_NONE = 0,
#define HW_SREG(id, ...) HW_SREG_##id,
#include "isa/sregs.def"
#undef HW_SREG
    HW_SREG_COUNT
} hw_sreg;

// State spaces; GENERIC is an address that says by itself which space it is in.
typedef enum hw_space {
    HW_SPACE_GENERIC, HW_SPACE_GLOBAL, HW_SPACE_SHARED, HW_SPACE_LOCAL, HW_SPACE_CONST, HW_SPACE_PARAM, HW_SPACE_REG
} hw_space;

// One row of ops.def.
typedef struct hw_op_row {
    const char *name;      // as PTX spells it, without modifiers
    const char *operands;  // see the head of ops.def
    const char *types;     // one word list per type position, ';' between positions
    const char *mods;      // the modifiers it may carry
    const char *section;   // of the PTX ISA
} hw_op_row;

// Which function of lower decodes an instruction.
typedef enum hw_emitter {
    HW_EMIT_NONE,              // a row that says nothing: none has it
    HW_EMIT_ARITHMETIC,        // as SHAPE says
    HW_EMIT_MOV, HW_EMIT_CVTA, HW_EMIT_ISSPACEP, HW_EMIT_STACK, HW_EMIT_POLICY,
    HW_EMIT_LOAD_STORE, HW_EMIT_ATOMIC, HW_EMIT_TEXTURE, HW_EMIT_SURFACE, HW_EMIT_COPY, HW_EMIT_BULK_COPY,
    HW_EMIT_FENCE, HW_EMIT_MBARRIER, HW_EMIT_SHFL, HW_EMIT_VOTE, HW_EMIT_MATCH, HW_EMIT_REDUX, HW_EMIT_ELECT,
    HW_EMIT_ACTIVEMASK, HW_EMIT_BARRIER, HW_EMIT_NANOSLEEP,
    HW_EMIT_MATRIX_ACCESS, HW_EMIT_MATRIX_MOVE, HW_EMIT_MATRIX_PRODUCT, HW_EMIT_FRAGMENT_ACCESS,
    HW_EMIT_VIDEO,
    HW_EMIT_NOTHING,           // a hint, which changes nothing here
    HW_EMIT_BLOCK_END,         // together with its basic block
    HW_EMITTERS
} hw_emitter;

typedef enum hw_spelling { HW_SPELL_SAME, HW_SPELL_SIGNED, HW_SPELL_BITS, HW_SPELL_UNSIGNED } hw_spelling;

// Sets of state spaces: HW_IN(space), or-ed.
#define HW_IN(space) (1u << (space))
enum {
    HW_IN_GENERIC = HW_IN(HW_SPACE_GLOBAL) | HW_IN(HW_SPACE_SHARED) | HW_IN(HW_SPACE_LOCAL),
    HW_IN_ANY = HW_IN_GENERIC | HW_IN(HW_SPACE_CONST) | HW_IN(HW_SPACE_PARAM),
    HW_IN_ITS_SPACE = 0x80,    // in hw_traits only: the space that the instruction names
};

// Where lanes go from an instruction; all but ON end a basic block.
typedef enum hw_flow {
    HW_FLOW_ON,                // to the next instruction
    HW_FLOW_LABEL,             // to a label; those whose guard is false, on
    HW_FLOW_TABLE,             // to one of several labels
    HW_FLOW_CALL,              // to a function, and from there on
    HW_FLOW_LEAVE,             // out of the function, or the kernel
    HW_FLOW_STOP,              // nowhere: nobody goes on
} hw_flow;

typedef enum hw_gather { HW_GATHER_NONE, HW_GATHER_MEMBERS, HW_GATHER_ALL } hw_gather;

// The attributes of an opcode, as the head of ops.def defines them.
typedef struct hw_traits {
    const char *shape, *other_shape;   // NULL: no arithmetic; no other
    uint8_t emitter;                   // hw_emitter
    uint8_t spelling;                  // hw_spelling
    uint8_t pipe, count, float_count;  // hw_rate (isa/rates.h); float_count 0: as the integers
    uint8_t kind;                      // hw_note_kind
    uint8_t reads, writes;             // sets of spaces
    uint8_t scope;                     // hw_scope; NONE: orders nothing
    uint8_t says_order, says_scope;    // hw_order, hw_scope: what is meant where the instruction names none
    uint8_t gathers;                   // hw_gather
    uint8_t flow;                      // hw_flow
    uint8_t undefined;                 // hw_undefined_rule (isa/undefined.h); NONE: as ANY
    bool is_atomic, is_merged, is_fence, may_wait, is_unmaskable, has_no_destination, reads_carry;
    bool compares, rounds_to_nearest, has_ftz_of_source;
} hw_traits;

// What one instruction does to memory and to other threads: its opcode's attributes, with what its modifiers and its
// state space change of them.
typedef struct hw_effects {
    uint8_t reads, writes;    // sets of spaces, without HW_IN_ITS_SPACE
    uint8_t scope;            // hw_scope: memory accesses do not pass it, among these threads; NONE: they may
    uint8_t gathers;          // hw_gather
    uint8_t kind;             // hw_note_kind
    bool is_atomic, is_fence, may_wait;
    bool is_strong;           // of an access: atomic, volatile, relaxed, acquire or release. Other threads may change
                              // the memory that is read, or wait for the memory that is written
    uint8_t parts_loads;      // set of spaces: loads of these before and after it are not merged into one
    uint8_t parts_stores;     // the same of stores
} hw_effects;

// Attributes and effects. Both are pure and take constant time. An opcode that is none has the attributes of
// HW_OP_NONE, which say nothing.
const hw_traits *hw_op_traits(hw_op op);
// space: as the instruction names it, GENERIC where it names none. is_guarded: it has a guard, @%p.
hw_effects hw_inst_effects(hw_op op, const hw_mods *mods, hw_space space, bool is_guarded);
// Does ptxas 13.0 make of it a call, if only for operands that are rare? Divisions and roots that are rounded, and
// divisions of 64-bit integers. Accesses are not merged across one. type: the first that the instruction spells. Pure.
bool hw_inst_calls(hw_op op, const hw_mods *mods, hw_type type);

// What the PTX of an instruction says of order, for observers: as it is written, with the PTX ISA's defaults, where
// hw_effects.scope is what follows for the accesses around it (a relaxed access orders nothing and has a scope).
typedef struct hw_order_words {
    uint8_t order, scope, proxy, atomic;    // hw_order, hw_scope, hw_proxy, hw_atomic_op
} hw_order_words;
hw_order_words hw_inst_order(hw_op op, const hw_mods *mods);

// Rows by number; NULL-safe names for messages. All are constant-time.
const hw_op_row *hw_op_info(hw_op op);
const char *hw_type_name(hw_type type);
unsigned hw_type_bits(hw_type type);
unsigned hw_type_elements(hw_type type);   // 2 of packed pairs, else 1
hw_type_kind hw_type_kind_of(hw_type type);
const char *hw_mod_name(hw_mod mod);
const char *hw_sreg_name(hw_sreg sreg);    // without '%', e.g. "tid.x"
hw_type hw_sreg_type(hw_sreg sreg);
static inline bool hw_sreg_is_clock(hw_sreg sreg) { return sreg >= HW_SREG_CLOCK && sreg <= HW_SREG_GLOBALTIMER_HI; }
const char *hw_space_name(hw_space space);

// Names (length characters) to numbers; HW_OP_NONE, HW_T_NONE, HW_M_COUNT, HW_SREG_NONE when unknown.
hw_op hw_op_find(const char *name, size_t length);
hw_type hw_type_find(const char *name, size_t length);
hw_mod hw_mod_find(const char *name, size_t length);
hw_sreg hw_sreg_find(const char *name, size_t length);

// What an instruction is to a profiler.
typedef enum hw_note_kind {
    HW_NOTE_PLAIN, HW_NOTE_LOAD, HW_NOTE_STORE,
    HW_NOTE_ATOMIC, HW_NOTE_REDUCTION,   // whose result is read; and is not, whatever the PTX says
    HW_NOTE_BRANCH, HW_NOTE_BARRIER,
    HW_NOTE_COPY,           // from global into shared memory, past the registers
    HW_NOTE_COPY_BYPASS,    // the same past the first-level cache
    HW_NOTE_LOAD_MATRIX
} hw_note_kind;

// What an atomic becomes where lanes of a warp mean one word of shared memory: as an H200 counts passes through the
// banks (truth/h200_micro.csv, "counted" rows).
typedef enum hw_meeting {
    HW_MEET_ONE_BY_ONE,     // one after the other
    HW_MEET_AT_ONCE,        // counted together: additions of 1 whose result nobody wants (ATOMS.POPC.INC)
    HW_MEET_COMPARING,      // compare-and-swap: one after the other, two passes each
    HW_MEET_IN_LOOP,        // a loop of a load and a compare-and-swap: additions of floats
    HW_MEET_IN_WIDE_LOOP,   // the same of 64 bits: integers too
} hw_meeting;

// One per PTX instruction of a program, in PTX order.
typedef struct hw_note {
    uint8_t kind;          // hw_note_kind
    uint8_t space;         // hw_space, of memory instructions
    uint8_t width_bytes;   // bytes one lane moves: element times vector
    uint8_t merged_bytes;  // as ptxas would issue it: width of the access that begins here; 0: part of an earlier one
    bool copies_rows;      // cp.async.bulk
    bool fetches_texels;   // tex: no access, since which bytes it reads is the texture's matter
    bool is_indexed;       // a load of constant memory whose address differs from thread to thread, or may
    bool skips_l1;         // a load that asks for no line of the first-level cache: ld.cg, ld.cv
    uint8_t order, scope;  // hw_order, hw_scope (isa/order.h), of accesses, fences and barriers
    uint8_t proxy;         // hw_proxy, of fences
    uint8_t atomic;        // hw_atomic_op, of atomics and reductions, and
    uint8_t meeting;       // hw_meeting
    bool is_combined;      // of a warp's lanes, which mean one word, ptxas makes one access (7.0 on)
    uint8_t pipe, issues;  // of PLAIN: hw_rate (isa/rates.h), and how many instructions of it the hardware runs for one
    uint32_t access;       // of instructions that access memory: their number among those of the program
    uint32_t function;     // among those of the program; several may be copies of one, with the same lines
    uint32_t ptx_line;     // in the PTX text
    uint32_t file, line;   // source, as .loc says; file indexes the program's file table, line 0: unknown
    uint32_t inlined;      // where the source line's function was inlined, in the program's table; 0: nowhere
    uint8_t flop;          // hw_flop (isa/rates.h), and
    uint16_t flops;        // how many of them a lane does
} hw_note;

// Does the instruction access memory?
static inline bool hw_note_is_access(const hw_note *note) {
    return note->kind != HW_NOTE_PLAIN && note->kind != HW_NOTE_BRANCH && note->kind != HW_NOTE_BARRIER;
}

// A place of the source at which a function was inlined, and the one at which that place's own function was.
typedef struct hw_inlining {
    uint32_t file, line;
    uint32_t outer;        // in the same table, below this one; 0: none. Its item 0 is not used
    const char *function;  // in which the place stands, mangled; NULL: not known
} hw_inlining;

// Of instructions: cycles that a multiprocessor takes to issue them, and that their warp waits.
typedef struct hw_cycles { double issue, wait; } hw_cycles;

#endif
