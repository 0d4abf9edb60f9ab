// Decoded barriers in shared memory: mbarrier, and cp.async.mbarrier.arrive.
#include "lower/lowering.h"

static const char *name_of(const hw_ptx_inst *inst) {
    if (inst->op == HW_OP_CP_ASYNC_MBARRIER) return "cp.async.arrive";
    // How long it may wait is left open.
    if (inst->op == HW_OP_MBARRIER_TRY_WAIT) return "mbarrier.test_wait";
    return hw_op_info(inst->op)->name;
}

static hw_status pending_count(hw_lowering *lo, const hw_ptx_inst *inst) {
    hw_inst t = hw_emit_blank();
    hw_destination to;
    hw_status status = hw_operand_destination(lo, hw_operand_reg_of(&inst->operands[0]), HW_LANE_32, false, &to);
    t.d = to.slot;
    if (status == HW_OK) status = hw_operand_source(lo, &inst->operands[1], HW_LANE_64, &t.a);
    if (status == HW_OK) status = hw_emit_inst(lo, hw_body_find("mbarrier.pending_count"), &t);
    return status == HW_OK ? hw_operand_finish(lo, &to) : status;
}

hw_status hw_emit_mbarrier(hw_lowering *lo, const hw_ptx_inst *inst) {
    if (inst->op == HW_OP_MBARRIER_PENDING_COUNT) return pending_count(lo, inst);
    bool has_result = hw_defs_has_destination(inst), has_parity = hw_has_mod(&inst->mods, HW_M_PARITY);
    bool tests = inst->op == HW_OP_MBARRIER_TEST_WAIT || inst->op == HW_OP_MBARRIER_TRY_WAIT;
    hw_inst t = hw_emit_blank();
    hw_destination to = {.reg = HW_NO_REG};
    hw_status status = HW_OK;
    t.space = (uint8_t)inst->space;
    t.width = 8;
    t.flags = HW_INST_VOLATILE;
    t.pattern = lo->set->n_patterns++;
    t.choices = (uint8_t)((hw_has_mod(&inst->mods, HW_M_EXPECT_TX) ? HW_MBARRIER_EXPECTS : 0) |
                      (has_parity ? HW_MBARRIER_PARITY : 0) |
                      (hw_has_mod(&inst->mods, HW_M_NOINC) ? HW_MBARRIER_NOINC : 0));
    if (has_result) {
        hw_lane lane = tests ? HW_LANE_PRED : HW_LANE_64;
        status = hw_operand_destination(lo, hw_operand_reg_of(&inst->operands[0]), lane, false, &to);
        t.d = to.slot;
    }
    if (status == HW_OK) status = hw_emit_address(lo, inst->space, &inst->operands[has_result], &t);
    if (status == HW_OK && inst->n_operands > has_result + 1u)
        status = hw_operand_source(lo, &inst->operands[has_result + 1],
                                   tests && !has_parity ? HW_LANE_64 : HW_LANE_32, &t.b);
    if (status == HW_OK) status = hw_emit_inst(lo, hw_body_find(name_of(inst)), &t);
    return status == HW_OK ? hw_operand_finish(lo, &to) : status;
}
