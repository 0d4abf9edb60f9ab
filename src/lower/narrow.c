// Addresses of 32 bits: what the compilers of 1.x made of the code that today's make with 64.
//
// A register of 64 bits holds an address, or a part of one, when all that is done with it ends in an address: it is
// added to, scaled, moved, and named in brackets. On GPUs of 1.x it is one register, and what computes it is one
// instruction; what only widens it, or names a parameter, is none.
#include <string.h>

#include "isa/rates.h"
#include "lower/lowering.h"

// May a register of 64 bits be a part of the result and still be an address?
static bool passes_on(hw_op op) {
    switch (op) {
    case HW_OP_ADD: case HW_OP_SUB: case HW_OP_MOV: case HW_OP_CVTA: case HW_OP_CVT: case HW_OP_SHL: case HW_OP_MAD:
    case HW_OP_MUL: case HW_OP_AND: case HW_OP_OR: case HW_OP_SELP: return true;
    default: return false;
    }
}

static bool is_wide(const hw_lowering *lo, int32_t reg) {
    return reg >= 0 && lo->regs[reg].lane == HW_LANE_64 && hw_type_kind_of(lo->f->regs[reg].type) != HW_KIND_F;
}

static bool has_float_types(const hw_ptx_inst *inst) {
    for (uint32_t t = 0; t < inst->n_types; t++)
        if (hw_type_kind_of(inst->types[t]) == HW_KIND_F) return true;
    return false;
}

// The result of the instruction where its sources may be parts of an address; else HW_NO_REG.
static int32_t result_of(const hw_lowering *lo, const hw_ptx_inst *inst) {
    const bool computes = hw_defs_has_destination(inst) && passes_on(inst->op) && !has_float_types(inst);
    if (!computes || inst->operands[0].kind != HW_OPERAND_REG || inst->operands[0].is_pair) return HW_NO_REG;
    return lo->regs[inst->operands[0].reg].lane >= HW_LANE_32 ? inst->operands[0].reg : HW_NO_REG;
}

typedef struct visit {
    hw_lowering *lo;
    bool keeps;                  // sources may stay what they are taken for
    bool has_changed;
} visit;

static void look_at(void *context, int32_t reg, bool is_def) {
    visit *v = context;
    if (is_def || v->keeps || !v->lo->is_narrow[reg]) return;
    v->lo->is_narrow[reg] = false;
    v->has_changed = true;
}

// Sources of what is no address, and of what 32 bits are taken of, are none but in the latter case.
static void look_at_inst(visit *v, const hw_ptx_inst *inst) {
    const int32_t result = result_of(v->lo, inst);
    const bool is_cut = result != HW_NO_REG && v->lo->regs[result].lane == HW_LANE_32;
    v->keeps = result != HW_NO_REG && (is_cut || v->lo->is_narrow[result]);
    if (hw_op_traits(inst->op)->emitter == HW_EMIT_CVTA) v->keeps = true;
    for (unsigned k = hw_defs_has_destination(inst); k < inst->n_operands; k++) {
        const hw_ptx_operand *operand = &inst->operands[k];
        if (operand->kind == HW_OPERAND_REG && operand->reg >= 0) look_at(v, operand->reg, false);
        if (operand->kind != HW_OPERAND_VECTOR) continue;
        for (unsigned e = 0; e < operand->n_elements; e++)
            if (operand->elements[e].kind == HW_OPERAND_REG) look_at(v, operand->elements[e].reg, false);
    }
    // What is called takes the whole register.
    v->keeps = false;
    for (uint32_t a = 0; inst->call && a < inst->call->n_args; a++)
        if (inst->call->args[a].kind == HW_OPERAND_REG) look_at(v, inst->call->args[a].reg, false);
}

static bool is_power_of_two(const hw_ptx_operand *operand) {
    return operand->kind == HW_OPERAND_IMM && operand->imm && !(operand->imm & (operand->imm - 1));
}

// What is left of an instruction whose result is an address.
static hw_issue_cost cost_of(const hw_ptx_inst *inst) {
    switch (inst->op) {
    case HW_OP_MOV: case HW_OP_CVTA: case HW_OP_CVT: return (hw_issue_cost){HW_RATE_ISSUE, 0};
    case HW_OP_SHL: return (hw_issue_cost){HW_RATE_SHIFT, 1};
    case HW_OP_MUL: return (hw_issue_cost){is_power_of_two(&inst->operands[2]) ? HW_RATE_SHIFT : HW_RATE_IMUL, 1};
    case HW_OP_MAD: return (hw_issue_cost){is_power_of_two(&inst->operands[2]) ? HW_RATE_IADD : HW_RATE_IMUL, 2};
    default: return (hw_issue_cost){HW_RATE_IADD, 1};
    }
}

static void cost_notes(hw_lowering *lo) {
    for (uint32_t i = 0; i < lo->f->n_insts; i++) {
        const hw_ptx_inst *inst = &lo->f->insts[i];
        const int32_t result = result_of(lo, inst);
        if (result == HW_NO_REG || !is_wide(lo, result) || !lo->is_narrow[result]) continue;
        const hw_issue_cost cost = cost_of(inst);
        lo->program->notes[i].pipe = cost.rate;
        lo->program->notes[i].issues = cost.count;
    }
}

// Words that come from shared memory are operands there, as registers are.
static void spare_shared(hw_lowering *lo) {
    for (uint32_t i = 0; i < lo->f->n_insts; i++) {
        const hw_ptx_inst *inst = &lo->f->insts[i];
        if (inst->op != HW_OP_LD || inst->space != HW_SPACE_SHARED) continue;
        const hw_ptx_operand *to = &inst->operands[0];
        if (to->kind == HW_OPERAND_REG && lo->regs[to->reg].n_defs == 1) lo->is_operand[to->reg] = true;
        for (unsigned e = 0; to->kind == HW_OPERAND_VECTOR && e < to->n_elements; e++)
            if (to->elements[e].kind == HW_OPERAND_REG && lo->regs[to->elements[e].reg].n_defs == 1)
                lo->is_operand[to->elements[e].reg] = true;
    }
}

hw_status hw_narrow_find(hw_lowering *lo) {
    visit v = {.lo = lo, .has_changed = true};
    if (!lo->set->has_narrow_addresses) return HW_OK;
    lo->is_narrow = hw_arena_take(lo->scratch, (size_t)lo->f->n_regs + 1);
    lo->is_operand = hw_arena_take(lo->scratch, (size_t)lo->f->n_regs + 1);
    if (!lo->is_narrow || !lo->is_operand) return hw_diag_no_memory(lo->diag);
    spare_shared(lo);
    for (uint32_t r = 0; r < lo->f->n_regs; r++) lo->is_narrow[r] = is_wide(lo, (int32_t)r);
    while (v.has_changed) {
        v.has_changed = false;
        for (uint32_t i = lo->f->n_insts; i-- > 0;) look_at_inst(&v, &lo->f->insts[i]);
    }
    cost_notes(lo);
    return HW_OK;
}
