// Launches that tell of undefined values: which bits of registers, of shared and of local memory nobody has given a
// value, and what becomes of them. In other launches hw_state.undefined is NULL, and none of this is there.
//
// Each instruction with operands that matter has a body that looks at them first (step.c) and then goes on to the usual
// one. As long as no register of a warp has an undefined bit, that is a test of one number for arithmetic, and a look
// at the shadow of the bytes for accesses. Warps go together (convoys) while none has an undefined register.
//
// A value that decides something (an address, a branch, an atomic, the argument of printf) and is undefined is told
// once, and counts as defined from then on, so that what follows from it is not told as well. One worker executes such
// a launch. Private to exec.
#ifndef HW_EXEC_UNDEFINED_H
#define HW_EXEC_UNDEFINED_H

#include "exec/undefined/operands.h"
#include "exec/warp/warp.h"
#include "mem/defined.h"

// The undefined bits of a frame's registers, which lie as the registers do, and behind them those of its parameters.
struct hw_shadow {
    uint8_t *bits;
    hw_origin *origins;              // of each 4 bytes
    uint64_t *units;                 // which 64 bytes have an undefined bit
    uint32_t bytes, n_units, n_undefined;    // n_undefined: units that have one
};

// Of a block: shared memory. Of a warp: local memory, in words as hw_local_offset says.
typedef struct hw_shadow_memory {
    uint8_t *bits;
    hw_origin *origins;
    uint32_t bytes, n_undefined;     // of shared memory: bytes with an undefined bit
    // Of shared memory: what it is, by states.c; 0: what its bits say. They are not up to date where it is_behind.
    uint32_t state;
    bool is_behind, has_origins;
} hw_shadow_memory;

enum { HW_UNDEFINED_STAGED = 16 };

struct hw_undefined {
    uint32_t n_undefined;            // units of all frames of the warp that have an undefined bit
    uint32_t carry;                  // lanes whose condition code is undefined
    hw_defined *defined;             // device memory
    hw_shadow_memory *shared, local;
    bool is_of_cluster;              // whose other blocks' memory may be undefined where this one's is not
    hw_shadow entry;                 // of the entry's frame
    // What cp.async.read has read, for the cp.async.write behind it.
    uint8_t staged[32][HW_UNDEFINED_STAGED];
    hw_origin staged_origin;
};

// A program's instructions once more, for these launches.
struct hw_watched {
    hw_inst *insts, *convoy_insts;
    hw_undefined_facts *facts;
};

// ---- blocks and calls: frames.c ----

// Before the first launch of a program that is told so. False: no memory.
bool hw_undefined_watch(hw_program *program, hw_arena *arena);
// Room for the block's shadow memory; every block that runs in it begins anew.
bool hw_undefined_create(hw_block *block);
void hw_undefined_destroy(hw_block *block);
void hw_undefined_begin(hw_block *block);
// A call: the callee's frame, with its arguments; and what is returned. False: no memory.
bool hw_undefined_enter(hw_state *s, const hw_call_site *site, hw_frame *frame);
void hw_undefined_return(hw_state *s, const hw_call_site *site, hw_frame *frame);
void hw_undefined_free_frame(hw_frame *frame);

// ---- shared memory of all blocks: states.c ----

// Of a block that begins.
void hw_undefined_begin_shared(hw_run *run, hw_shadow_memory *shared);
void hw_undefined_states_free(struct hw_undefined_states *states);    // NULL is allowed
// Before its bits are looked at.
void hw_undefined_catch_up(const hw_run *run, hw_shadow_memory *shared);
static inline hw_shadow_memory *hw_undefined_shared_of(const hw_state *s) {
    hw_shadow_memory *shared = s->undefined->shared;
    if (shared->is_behind) hw_undefined_catch_up(s->run, shared);
    return shared;
}
// n warps, whose registers are defined, load, store or change shared memory. knows: it is known that what is read is
// defined, and what is written counts as defined now. learn: it has been found so, in a block that was in state `from`.
bool hw_undefined_knows_step(hw_state *s, const hw_inst *in, uint32_t n);
void hw_undefined_learn_step(hw_state *s, const hw_inst *in, uint32_t n, uint32_t from);

// ---- registers: lanes.c ----

// Results of the instruction, out of the frame's registers. The active lanes are about to execute it.
void hw_undefined_lanes(hw_state *s, const hw_inst *in, const hw_undefined_facts *facts);
// Active lanes for which the slot has an undefined bit, bytes a lane (0: a predicate); and their origin.
uint32_t hw_undefined_lanes_of(const hw_state *s, hw_slot slot, uint32_t bytes, hw_origin *origin);
bool hw_undefined_has(const hw_shadow *shadow, hw_slot slot, uint32_t bytes);
uint64_t hw_undefined_get(const hw_shadow *shadow, hw_slot slot, uint32_t bytes, int lane);
void hw_undefined_put(hw_shadow *shadow, hw_slot slot, uint32_t bytes, int lane, uint64_t bits);
// After lanes of a slot have been put: what is known of its units. Part of the registers: any bytes.
void hw_undefined_settle(hw_state *s, hw_shadow *shadow, uint32_t offset, uint32_t bytes);
void hw_undefined_settle_slot(hw_state *s, hw_slot slot, uint32_t bytes, hw_origin origin);
// The active lanes of a slot become defined, or those of mask.
void hw_undefined_clear(hw_state *s, hw_slot slot, uint32_t bytes, uint32_t mask);

// ---- memory: bytes.c ----

typedef struct hw_undefined_place {
    uint8_t space;                   // GLOBAL, SHARED, LOCAL or CONST
    uint64_t offset;
} hw_undefined_place;

hw_undefined_place hw_undefined_place_of(const hw_state *s, const hw_inst *in, int lane);
hw_undefined_place hw_undefined_place_at(uint64_t generic_address);
// Has all the memory that an instruction may access no undefined bit?
static inline bool hw_undefined_is_none(const hw_undefined *u, const hw_inst *in) {
    return (in->space == HW_SPACE_SHARED && !u->shared->n_undefined && !u->is_of_cluster) ||
           (in->space == HW_SPACE_GLOBAL && !u->defined->n_undefined) || in->space == HW_SPACE_CONST;
}
// Are all bytes that the active lanes access known to be defined, without a look at each lane? bytes: of each lane.
// Of n warps of a block from this one on; where n is not 1, false may mean that it takes a look at each warp. Of this
// level: clean_lanes.c.
bool hw_undefined_all_clean(const hw_state *s, const hw_inst *in, uint32_t bytes, uint32_t n);
// Are they?
bool hw_undefined_access_is_clean(const hw_state *s, const hw_inst *in, uint32_t bytes);
bool hw_undefined_is_clean(const hw_state *s, int lane, hw_undefined_place place, uint32_t bytes);
hw_origin hw_undefined_read(const hw_state *s, int lane, hw_undefined_place place, uint32_t bytes, uint8_t *shadow);
void hw_undefined_write(hw_state *s, int lane, hw_undefined_place place, uint32_t bytes, const uint8_t *shadow,
                        hw_origin origin);
void hw_undefined_define(hw_state *s, int lane, hw_undefined_place place, uint32_t bytes);
// What all active lanes write is defined.
void hw_undefined_define_access(hw_state *s, const hw_inst *in, uint32_t bytes);
// Fresh local memory of the active lanes.
void hw_undefined_forget_local(hw_state *s, uint64_t offset, uint64_t bytes);

// ---- accesses: accesses.c ----

void hw_undefined_access(hw_state *s, const hw_inst *in, const hw_undefined_facts *facts);
// Of a convoy's warp, which has no undefined register: is nothing undefined read? Before any of them writes.
bool hw_undefined_may_go_on(const hw_state *s, const hw_inst *in, const hw_undefined_facts *facts);
void hw_undefined_go_on(hw_state *s, const hw_inst *in, const hw_undefined_facts *facts);
// The lane copies a row of memory, of which it has begun to read by the instruction.
void hw_undefined_copy_row(hw_state *s, const hw_inst *in, int lane, hw_undefined_place from, hw_undefined_place to,
                           uint32_t bytes);
// A built-in function reads and writes at generic addresses.
void hw_undefined_builtin_reads(hw_state *s, const hw_inst *in, int lane, uint64_t address, uint32_t bytes);
void hw_undefined_builtin_writes(hw_state *s, int lane, uint64_t address, uint32_t bytes);

// ---- telling: tell.c ----

// A number for what the instruction has read that nobody has written; HW_NO_NOTE: a register.
hw_origin hw_undefined_origin(hw_state *s, const hw_inst *in, int lane, hw_undefined_place place, uint32_t bytes);
hw_origin hw_undefined_origin_of_registers(hw_state *s);
void hw_undefined_tell(hw_state *s, const hw_inst *in, hw_undefined_use use, uint32_t mask, hw_origin origin,
                       hw_undefined_place place);
// Tells of the lanes for which the slot is undefined, if there are any, and takes them to be defined.
void hw_undefined_use_slot(hw_state *s, const hw_inst *in, hw_undefined_use use, hw_slot slot, uint32_t bytes);

#endif
