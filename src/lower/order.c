// What a note says of order, and which instructions access memory.
#include "isa/order.h"
#include "lower/lowering.h"

// A barrier that is not number 0 for all threads of the block: those that come leave a message to those that wait.
static bool is_for_some(const hw_ptx_inst *inst) {
    const bool reduces = hw_has_mod(&inst->mods, HW_M_RED);
    const unsigned first = reduces, end = inst->n_operands - (reduces && inst->n_operands);
    if (inst->op != HW_OP_BAR && inst->op != HW_OP_BARRIER) return false;
    if (hw_has_mod(&inst->mods, HW_M_WARP) || hw_has_mod(&inst->mods, HW_M_CLUSTER)) return false;
    const bool is_zero = first >= end || (inst->operands[first].kind == HW_OPERAND_IMM && !inst->operands[first].imm);
    return !is_zero || first + 1 < end;
}

void hw_order_write(const hw_ptx_inst *inst, hw_note *note) {
    const hw_order_words words = hw_inst_order(inst->op, &inst->mods);
    note->order = words.order;
    note->scope = words.scope;
    note->proxy = words.proxy;
    note->atomic = words.atomic;
    if (!is_for_some(inst)) return;
    note->order = HW_ORDER_ACQ_REL;
    note->scope = HW_SCOPE_CTA;
}

void hw_order_number(hw_program_set *set) {
    for (uint32_t i = 0; i < set->n_notes; i++)
        if (hw_note_is_access(&set->notes[i])) set->notes[i].access = set->n_accesses++;
}
