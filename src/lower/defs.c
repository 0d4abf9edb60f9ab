// Which registers an instruction reads and writes.
#include "lower/lowering.h"

bool hw_defs_has_destination(const hw_ptx_inst *inst) {
    if (!inst->n_operands) return false;
    return !hw_op_traits(inst->op)->has_no_destination || hw_has_mod(&inst->mods, HW_M_RED);
}

static void visit_operand(const hw_ptx_operand *operand, bool is_def, hw_reg_visitor visit, void *context) {
    switch (operand->kind) {
    case HW_OPERAND_REG:
        if (operand->reg >= 0) visit(context, operand->reg, is_def);
        if (operand->is_pair && operand->reg2 >= 0) visit(context, operand->reg2, is_def);
        break;
    case HW_OPERAND_SINK:
        if (operand->is_pair && operand->reg2 >= 0) visit(context, operand->reg2, is_def);
        break;
    case HW_OPERAND_ADDRESS:
        if (operand->reg >= 0) visit(context, operand->reg, false);
        for (unsigned e = 0; e < operand->n_elements; e++) visit_operand(&operand->elements[e], false, visit, context);
        break;
    case HW_OPERAND_VECTOR:
        for (unsigned e = 0; e < operand->n_elements; e++) visit_operand(&operand->elements[e], is_def, visit, context);
        break;
    default: break;
    }
}

void hw_defs_visit(const hw_ptx_inst *inst, hw_reg_visitor visit, void *context) {
    bool has_destination = hw_defs_has_destination(inst);
    const hw_ptx_call *call = inst->call;
    if (inst->guard >= 0) visit(context, inst->guard, false);
    for (unsigned k = has_destination; k < inst->n_operands; k++)
        visit_operand(&inst->operands[k], false, visit, context);
    if (call) {
        if (call->target_reg >= 0) visit(context, call->target_reg, false);
        for (uint32_t k = 0; k < call->n_args; k++) visit_operand(&call->args[k], false, visit, context);
        for (uint32_t k = 0; k < call->n_rets; k++) visit_operand(&call->rets[k], true, visit, context);
    }
    if (has_destination) visit_operand(&inst->operands[0], true, visit, context);
}
