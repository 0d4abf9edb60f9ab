// Where in a function two loads see the same memory, through the same value of a register. Private to lower.
#ifndef HW_LOWER_VERSIONS_H
#define HW_LOWER_VERSIONS_H

#include "lower/lowering.h"

// What an access can reach, as it is written. Loads by ld.global.nc read memory that nobody writes.
typedef enum hw_reach {
    HW_REACH_SHARED, HW_REACH_GLOBAL, HW_REACH_GENERIC, HW_REACH_CONSTANT, HW_REACH_NONE, HW_REACHES = HW_REACH_NONE
} hw_reach;

// Of ld and st; NONE of others, and of spaces that are not looked at (local, const, param).
hw_reach hw_reach_of(const hw_ptx_inst *inst);
// The spaces that it stands for, as a set (HW_IN).
uint8_t hw_reach_spaces(hw_reach reach);

// Versions are numbers, one of memory for each reach, and behind these one for each register that was asked for. Where
// one place dominates another and a version is equal in both, nothing stands between them, on any path, that parts
// loads of that reach (hw_effects.parts_loads), or that writes the register.
typedef struct hw_versions {
    const hw_cfg *cfg;
    uint32_t *dominator;           // by block: its immediate dominator; of the first one itself
    const uint32_t *column_of;     // by register: its column; 0: it has none
    uint32_t n_columns;
    uint32_t *entry;               // by block, n_columns each: where it begins
} hw_versions;

// column_of: numbers from HW_REACHES to n_columns - 1, and 0; kept. HW_NO_MEMORY. A few linear passes over the blocks.
hw_status hw_versions_find(hw_lowering *lo, const uint32_t *column_of, uint32_t n_columns, hw_versions *versions);

// Moves n_columns versions on past instruction `index`.
void hw_versions_pass(const hw_versions *versions, const hw_ptx_inst *inst, uint32_t index, uint32_t *version);

// Does every path to block b lead through block a? Both are reachable. Linear in the depth between them.
bool hw_versions_dominates(const hw_versions *versions, uint32_t a, uint32_t b);

#endif
