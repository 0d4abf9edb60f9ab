// Decoded asynchronous copies: cp.async and the groups that they are waited for by.
#include "lower/lowering.h"

bool hw_emit_copies(const hw_ptx_inst *inst) {
    return hw_has_mod(&inst->mods, HW_M_CA) || hw_has_mod(&inst->mods, HW_M_CG);
}

// What says how many bytes are read: a number of them, or a predicate that ignores all of them.
static hw_status source_size(hw_lowering *lo, const hw_ptx_inst *inst, hw_inst *t) {
    bool has_policy = hw_has_mod(&inst->mods, HW_M_L2_CACHE_HINT);
    if (inst->n_operands - has_policy < 4) return HW_OK;
    const hw_ptx_operand *size = &inst->operands[3];
    bool is_predicate = size->negated || (size->kind == HW_OPERAND_REG && lo->regs[size->reg].lane == HW_LANE_PRED);
    if (is_predicate) return hw_operand_predicate(lo, size, t);
    bool is_whole = size->kind == HW_OPERAND_IMM && size->imm >= t->width;
    return is_whole ? HW_OK : hw_operand_source(lo, size, HW_LANE_32, &t->b);
}

// Two decoded instructions: one reads global memory, one writes shared memory when its time has come. Each has its own
// pattern of addresses; both have the note of the one PTX instruction.
static hw_status emit_copy(hw_lowering *lo, const hw_ptx_inst *inst) {
    uint64_t bytes = inst->operands[2].imm;
    bool is_cached = hw_has_mod(&inst->mods, HW_M_CA);
    if (bytes != 16 && !(is_cached && (bytes == 4 || bytes == 8)))
        return hw_lower_refuse(lo, HW_MALFORMED, is_cached ? "a copy of another size than 4, 8 or 16 bytes"
                                                           : "a copy of another size than 16 bytes");
    hw_inst read = hw_emit_blank(), write = hw_emit_blank();
    read.width = write.width = (uint8_t)bytes;
    read.space = HW_SPACE_GLOBAL;
    write.space = HW_SPACE_SHARED;
    read.pattern = lo->set->n_patterns++;
    write.pattern = lo->set->n_patterns++;
    hw_status status = source_size(lo, inst, &read);
    if (status == HW_OK) status = hw_emit_address(lo, HW_SPACE_GLOBAL, &inst->operands[1], &read);
    if (status == HW_OK) status = hw_emit_inst(lo, HW_BODY_COPY_READ, &read);
    if (status == HW_OK) status = hw_emit_address(lo, HW_SPACE_SHARED, &inst->operands[0], &write);
    return status == HW_OK ? hw_emit_inst(lo, HW_BODY_COPY_WRITE, &write) : status;
}

hw_status hw_emit_async(hw_lowering *lo, const hw_ptx_inst *inst) {
    if (hw_emit_copies(inst)) return emit_copy(lo, inst);
    hw_inst t = hw_emit_blank();
    if (hw_has_mod(&inst->mods, HW_M_COMMIT_GROUP)) return hw_emit_inst(lo, HW_BODY_COPY_COMMIT, &t);
    bool waits_for_all = hw_has_mod(&inst->mods, HW_M_WAIT_ALL);
    if (!waits_for_all && inst->operands[0].imm > INT32_MAX)
        return hw_lower_refuse(lo, HW_MALFORMED, "no such number of groups");
    t.imm = waits_for_all ? -1 : (int64_t)inst->operands[0].imm;
    return hw_emit_inst(lo, HW_BODY_COPY_WAIT, &t);
}
