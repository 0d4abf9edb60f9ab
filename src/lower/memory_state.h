// Where in a function two loads see the same memory. Private to lower.
#ifndef HW_LOWER_MEMORY_STATE_H
#define HW_LOWER_MEMORY_STATE_H

#include "lower/lowering.h"

// What an access can reach, as it is written. Loads by ld.global.nc read memory that nobody writes.
typedef enum hw_reach {
    HW_REACH_SHARED, HW_REACH_GLOBAL, HW_REACH_GENERIC, HW_REACH_CONSTANT, HW_REACH_NONE, HW_REACHES = HW_REACH_NONE
} hw_reach;

// Of ld and st; NONE of others, and of spaces that are not looked at (local, const, param).
hw_reach hw_reach_of(const hw_ptx_inst *inst);
// The spaces that it stands for, as a set (HW_IN).
uint8_t hw_reach_spaces(hw_reach reach);

typedef struct hw_memory_state {
    const hw_cfg *cfg;
    uint32_t *dominator;           // by block: its immediate dominator; of the first one itself
    uint32_t (*entry)[HW_REACHES]; // by block: the version of memory where it begins
} hw_memory_state;

// Versions are numbers: two places where one dominates the other and where they are equal have nothing between them,
// on any path, that parts loads (hw_effects.parts_loads). HW_NO_MEMORY. A few linear passes.
hw_status hw_memory_state_find(hw_lowering *lo, hw_memory_state *state);

// Moves version on past instruction `index`.
void hw_memory_state_pass(const hw_ptx_inst *inst, uint32_t index, uint32_t version[HW_REACHES]);

// Does every path to block b lead through block a? Both are reachable. Linear in the depth between them.
bool hw_memory_state_dominates(const hw_memory_state *state, uint32_t a, uint32_t b);

#endif
