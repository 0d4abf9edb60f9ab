// Where in a function two loads see the same memory, through the same value of a register. Private to lower.
#ifndef HW_LOWER_VERSIONS_H
#define HW_LOWER_VERSIONS_H

#include "lower/lowering.h"

// What an access can reach, as it is written. Loads by ld.global.nc read memory that nobody writes.
typedef enum hw_reach {
    HW_REACH_SHARED, HW_REACH_GLOBAL, HW_REACH_GENERIC, HW_REACH_CONSTANT, HW_REACH_NONE, HW_REACHES = HW_REACH_NONE
} hw_reach;

// Accesses that are merged (MERGES of isa/ops.def): loads, stores, and where their address stands.
static inline bool hw_is_merged_load(const hw_ptx_inst *inst) {
    const hw_traits *t = hw_op_traits(inst->op);
    return t->is_merged && t->reads;
}
static inline bool hw_is_merged_store(const hw_ptx_inst *inst) {
    const hw_traits *t = hw_op_traits(inst->op);
    return t->is_merged && t->writes;
}
static inline const hw_ptx_operand *hw_merged_address(const hw_ptx_inst *inst) {
    return &inst->operands[hw_is_merged_load(inst)];
}

// Of accesses that are merged; NONE of others, and of spaces that are not looked at (local, const, param).
hw_reach hw_reach_of(const hw_ptx_inst *inst);
// The spaces that it stands for, as a set (HW_IN).
uint8_t hw_reach_spaces(hw_reach reach);
// The register that its address is written with; HW_NO_REG: none.
int32_t hw_reach_register(const hw_ptx_inst *inst);

// Versions are numbers: of memory for each reach, and of registers that accesses go through and that several
// instructions write. Where one place dominates another and a version is equal in both, nothing stands between them, on
// any path, that parts loads of that reach (hw_effects.parts_loads, hw_inst_calls), or that writes the register.
typedef struct hw_version_set {
    uint32_t of[HW_REACHES];
} hw_version_set;

typedef struct hw_versions {
    hw_version_set *entry;         // by block: of memory where it begins
    uint32_t *base;                // by instruction: of the register that its access goes through; 0: of one value
} hw_versions;

// n_defs: by register, of hw_address_facts. HW_NO_MEMORY. Linear in blocks and instructions, and in the blocks that
// each of those registers is alive in, as far as these are few (see MOST_STEPS); beyond that, a register that a block
// has not written itself has another version in each block.
hw_status hw_versions_find(hw_lowering *lo, const uint8_t *n_defs, hw_versions *versions);

// Moves versions of memory on past instruction `index`.
void hw_versions_pass(const hw_ptx_inst *inst, uint32_t index, hw_version_set *version);

#endif
