// Decoded copies of rows of memory, cp.async.bulk, and the groups that they are waited for by.
#include "lower/lowering.h"

static hw_status emit_side(hw_lowering *lo, hw_space space, const hw_ptx_operand *address, hw_body_id body,
                           hw_inst *t) {
    t->space = (uint8_t)space;
    t->width = body == HW_BODY_BULK_AT ? 8 : 16;    // alignments
    t->pattern = lo->set->n_patterns++;
    const hw_status status = hw_emit_address(lo, space, address, t);
    return status == HW_OK ? hw_emit_inst(lo, body, t) : status;
}

// Two or three decoded instructions, each with an address: where from, the mbarrier, where to.
static hw_status emit_copy(hw_lowering *lo, const hw_ptx_inst *inst) {
    const bool is_of_group = hw_has_mod(&inst->mods, HW_M_BULK_GROUP);
    const bool names_global = hw_has_mod(&inst->mods, HW_M_GLOBAL);
    hw_inst from = hw_emit_blank(), at = hw_emit_blank(), to = hw_emit_blank();
    hw_status status = hw_operand_source(lo, &inst->operands[2], HW_LANE_32, &from.b);
    if (status == HW_OK)
        status = emit_side(lo, names_global && !is_of_group ? HW_SPACE_GLOBAL : HW_SPACE_SHARED, &inst->operands[1],
                           HW_BODY_BULK_FROM, &from);
    if (status == HW_OK && !is_of_group)
        status = emit_side(lo, HW_SPACE_SHARED, &inst->operands[3], HW_BODY_BULK_AT, &at);
    if (status != HW_OK) return status;
    return emit_side(lo, is_of_group ? HW_SPACE_GLOBAL : HW_SPACE_SHARED, &inst->operands[0], HW_BODY_BULK_TO, &to);
}

hw_status hw_emit_bulk(hw_lowering *lo, const hw_ptx_inst *inst) {
    hw_inst t = hw_emit_blank();
    if (hw_has_mod(&inst->mods, HW_M_PREFETCH)) return HW_OK;
    if (hw_has_mod(&inst->mods, HW_M_COMMIT_GROUP)) return hw_emit_inst(lo, HW_BODY_BULK_COMMIT, &t);
    if (!hw_has_mod(&inst->mods, HW_M_WAIT_GROUP)) return emit_copy(lo, inst);
    if (inst->operands[0].imm > INT32_MAX) return hw_lower_refuse(lo, HW_MALFORMED, "no such number of groups");
    t.imm = (int64_t)inst->operands[0].imm;
    return hw_emit_inst(lo, hw_has_mod(&inst->mods, HW_M_READ) ? HW_BODY_BULK_WAIT_READ : HW_BODY_BULK_WAIT, &t);
}
