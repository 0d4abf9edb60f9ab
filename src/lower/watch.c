// Instructions that look at arithmetic: operands before it, since its result may lie where one of them was; the result
// behind it. They have its note.
#include <string.h>

#include "lower/lowering.h"

// ---- floats ---------------------------------------------------------------------------------------------------------

static hw_watched_float float_of(hw_type type) {
    switch (type) {
    case HW_T_F32: case HW_T_TF32: return HW_WATCHED_F32;
    case HW_T_F64: return HW_WATCHED_F64;
    case HW_T_F16: return HW_WATCHED_F16;
    case HW_T_F16X2: return HW_WATCHED_F16X2;
    case HW_T_BF16: return HW_WATCHED_BF16;
    case HW_T_BF16X2: return HW_WATCHED_BF16X2;
    case HW_T_F32X2: return HW_WATCHED_F32X2;
    default: return HW_WATCHED_NONE;
    }
}

// Is the result a float? Types of 8 bits and less have no infinity, or hold what is too large.
static bool is_of_floats(const hw_ptx_inst *inst) {
    const char *shape = hw_emit_shape(inst);
    return shape && shape[0] == 'd' && inst->n_types && float_of(inst->types[0]);
}

// What operand k is, and where it lies among the fields; NONE: no float. slct's third and selp's predicate are none.
static hw_watched_float operand_of(const hw_ptx_inst *inst, unsigned k) {
    switch (hw_emit_shape(inst)[k]) {
    case 'a': return float_of(inst->types[0]);
    case 'A': return inst->n_types > 1 ? float_of(inst->types[1]) : HW_WATCHED_NONE;
    default: return HW_WATCHED_NONE;
    }
}

static void keep_floats(const hw_ptx_inst *inst, const hw_inst *fields, hw_inst *watch) {
    const char *shape = hw_emit_shape(inst);
    const hw_slot from[] = {fields->a, fields->b, fields->c};
    hw_slot *to[] = {&watch->a, &watch->b, &watch->c};
    unsigned n = 0;
    watch->imm = 0;
    for (unsigned k = 1; shape[k] && k < inst->n_operands && n < 3; k++) {
        if (shape[k] == 'q' || shape[k] == 'i') continue;
        const hw_watched_float is = operand_of(inst, k);
        if (is) *to[n] = from[n];
        watch->imm |= (int64_t)is << 8 * n++;
    }
}

// ---- signed indexes -------------------------------------------------------------------------------------------------

// PTX adds signed and unsigned numbers by one instruction. A number is signed that is widened with its sign on its way
// into an address.
typedef struct indexes {
    const hw_lowering *lo;
    uint8_t *in_address;             // by register of 64 bits
    uint8_t *is_index;               // by register of 32 bits
    bool has_changed;
} indexes;

static void mark(indexes *x, uint8_t *of, const hw_ptx_operand *operand, unsigned bits) {
    if (operand->kind != HW_OPERAND_REG || operand->reg < 0 || of[operand->reg]) return;
    if (hw_type_bits(x->lo->f->regs[operand->reg].type) != bits) return;
    of[operand->reg] = 1;
    x->has_changed = true;
}

static bool keeps_low_bits(const hw_ptx_inst *inst) {
    switch (inst->op) {
    case HW_OP_ADD: case HW_OP_SUB: case HW_OP_MOV: case HW_OP_SELP: return true;
    case HW_OP_MUL: case HW_OP_MAD: return hw_has_mod(&inst->mods, HW_M_LO);
    default: return false;
    }
}

static void go_back_in_address(indexes *x, const hw_ptx_inst *inst) {
    const bool is_signed = inst->n_types && inst->types[inst->n_types - 1] == HW_T_S32;
    const bool is_wide = hw_has_mod(&inst->mods, HW_M_WIDE) || inst->op == HW_OP_CVT;
    const bool goes_on = keeps_low_bits(inst) || inst->op == HW_OP_SHL || inst->op == HW_OP_CVTA;
    for (unsigned k = 1; k < inst->n_operands; k++) {
        if (goes_on || (is_wide && k == 3)) mark(x, x->in_address, &inst->operands[k], 64);
        if (is_wide && is_signed && k < 3) mark(x, x->is_index, &inst->operands[k], 32);
    }
}

static void go_back(indexes *x, const hw_ptx_inst *inst) {
    for (unsigned k = 0; k < inst->n_operands; k++) {
        hw_ptx_operand base = inst->operands[k];
        if (base.kind != HW_OPERAND_ADDRESS) continue;
        base.kind = HW_OPERAND_REG;
        mark(x, x->in_address, &base, 64);
    }
    const hw_ptx_operand *to = &inst->operands[0];
    if (!inst->n_operands || to->kind != HW_OPERAND_REG || to->reg < 0) return;
    if (x->in_address[to->reg]) go_back_in_address(x, inst);
    if (!x->is_index[to->reg]) return;
    if (inst->op == HW_OP_SHL) mark(x, x->is_index, &inst->operands[1], 32);
    if (!keeps_low_bits(inst)) return;
    for (unsigned k = 1; k < inst->n_operands; k++) mark(x, x->is_index, &inst->operands[k], 32);
}

hw_status hw_watch_find(hw_lowering *lo) {
    indexes x = {.lo = lo, .has_changed = true};
    if (!(lo->set->watched_arithmetic & HW_WATCH_INTEGERS)) return HW_OK;
    x.in_address = hw_arena_take(lo->scratch, (size_t)lo->f->n_regs + 1);
    x.is_index = hw_arena_take(lo->scratch, (size_t)lo->f->n_regs + 1);
    if (!x.in_address || !x.is_index) return hw_diag_no_memory(lo->diag);
    while (x.has_changed) {
        x.has_changed = false;
        for (uint32_t i = lo->f->n_insts; i-- > 0;) go_back(&x, &lo->f->insts[i]);
    }
    lo->is_index = x.is_index;
    return HW_OK;
}

static bool may_overflow(const hw_lowering *lo, const hw_ptx_inst *inst) {
    const hw_ptx_operand *to = &inst->operands[0];
    const bool is_product = inst->op == HW_OP_SHL && inst->types[0] == HW_T_B32;    // by a power of two
    const bool is_sum = keeps_low_bits(inst) && inst->op != HW_OP_MOV && inst->op != HW_OP_SELP;
    if (!lo->is_index || !(is_product || (is_sum && inst->types[0] == HW_T_S32 && inst->n_types == 1))) return false;
    return to->kind == HW_OPERAND_REG && to->reg >= 0 && lo->is_index[to->reg];
}

static uint8_t overflow_of(hw_op op) {
    return op == HW_OP_ADD ? HW_WATCHED_ADD : op == HW_OP_SUB ? HW_WATCHED_SUB
           : op == HW_OP_MUL ? HW_WATCHED_MUL : op == HW_OP_SHL ? HW_WATCHED_SHL : HW_WATCHED_MAD;
}

// ---- integers -------------------------------------------------------------------------------------------------------

static bool is_division(const hw_ptx_inst *inst) {
    return (inst->op == HW_OP_DIV || inst->op == HW_OP_REM) && !float_of(inst->types[0]);
}

static bool is_shift(const hw_ptx_inst *inst) { return inst->op == HW_OP_SHL || inst->op == HW_OP_SHR; }

bool hw_watch_wants(const hw_lowering *lo, const hw_ptx_inst *inst) {
    if (lo->set->watched_arithmetic & HW_WATCH_FLOATS && is_of_floats(inst)) return true;
    if (!(lo->set->watched_arithmetic & HW_WATCH_INTEGERS)) return false;
    return is_division(inst) || is_shift(inst) || may_overflow(lo, inst);
}

hw_status hw_watch_before(hw_lowering *lo, const hw_ptx_inst *inst, const hw_inst *fields) {
    hw_inst watch = hw_emit_blank();
    if (is_of_floats(inst)) {
        keep_floats(inst, fields, &watch);
        return hw_emit_inst(lo, HW_BODY_WATCH_OPERANDS, &watch);
    }
    watch.lane_bytes = (uint8_t)hw_lane_bytes(hw_lane_of(inst->types[0]));
    if (may_overflow(lo, inst)) {
        watch.a = fields->a;
        watch.b = fields->b;
        watch.c = inst->op == HW_OP_MAD ? fields->c : HW_NO_SLOT;
        watch.imm = overflow_of(inst->op);
        const hw_status status = hw_emit_inst(lo, HW_BODY_WATCH_OVERFLOW, &watch);
        if (status != HW_OK || !is_shift(inst)) return status;
        watch.b = watch.c = HW_NO_SLOT;
    }
    watch.a = fields->b;
    if (is_division(inst)) return hw_emit_inst(lo, HW_BODY_WATCH_DIVISOR, &watch);
    watch.imm = hw_type_bits(inst->types[0]);
    return hw_emit_inst(lo, HW_BODY_WATCH_SHIFT, &watch);
}

hw_status hw_watch_behind(hw_lowering *lo, const hw_ptx_inst *inst, const hw_inst *fields) {
    hw_inst watch = hw_emit_blank();
    if (!is_of_floats(inst)) return HW_OK;
    watch.a = fields->d;
    watch.imm = float_of(inst->types[0]);
    return hw_emit_inst(lo, HW_BODY_WATCH_RESULT, &watch);
}
