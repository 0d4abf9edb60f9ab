// Instructions that look at arithmetic: operands before it, since its result may lie where one of them was; the result
// behind it. They have its note.
#include "lower/lowering.h"

static bool is_float(hw_type type) { return type == HW_T_F32 || type == HW_T_F64; }

// Both the result and the operands are floats of one width.
static bool is_of_floats(const hw_ptx_inst *inst) {
    const char *shape = hw_emit_shape(inst);
    return shape && shape[0] == 'd' && inst->n_types == 1 && is_float(inst->types[0]);
}

static bool is_division(const hw_ptx_inst *inst) {
    return (inst->op == HW_OP_DIV || inst->op == HW_OP_REM) && !is_float(inst->types[0]);
}

static bool is_shift(const hw_ptx_inst *inst) { return inst->op == HW_OP_SHL || inst->op == HW_OP_SHR; }

bool hw_watch_wants(const hw_lowering *lo, const hw_ptx_inst *inst) {
    if (lo->set->watched & HW_WATCH_FLOATS && is_of_floats(inst)) return true;
    return lo->set->watched & HW_WATCH_INTEGERS && (is_division(inst) || is_shift(inst));
}

// Operands that are floats: slct's third and selp's predicate are none.
static void keep_floats(const hw_ptx_inst *inst, const hw_inst *fields, hw_inst *watch) {
    const char *shape = hw_emit_shape(inst);
    const hw_slot from[] = {fields->a, fields->b, fields->c};
    hw_slot *to[] = {&watch->a, &watch->b, &watch->c};
    unsigned n = 0;
    for (unsigned k = 1; shape[k] && k < inst->n_operands && n < 3; k++) {
        if (shape[k] == 'q' || shape[k] == 'i') continue;
        if (shape[k] == 'a') *to[n] = from[n];
        n++;
    }
}

hw_status hw_watch_before(hw_lowering *lo, const hw_ptx_inst *inst, const hw_inst *fields) {
    hw_inst watch = hw_emit_blank();
    watch.width = (uint8_t)hw_lane_bytes(hw_lane_of(inst->types[0]));
    if (is_of_floats(inst)) {
        keep_floats(inst, fields, &watch);
        return hw_emit_inst(lo, HW_BODY_WATCH_OPERANDS, &watch);
    }
    watch.a = fields->b;
    if (is_division(inst)) return hw_emit_inst(lo, HW_BODY_WATCH_DIVISOR, &watch);
    watch.imm = hw_type_bits(inst->types[0]);
    return hw_emit_inst(lo, HW_BODY_WATCH_SHIFT, &watch);
}

hw_status hw_watch_behind(hw_lowering *lo, const hw_ptx_inst *inst, const hw_inst *fields) {
    hw_inst watch = hw_emit_blank();
    if (!is_of_floats(inst)) return HW_OK;
    watch.width = (uint8_t)hw_lane_bytes(hw_lane_of(inst->types[0]));
    watch.a = fields->d;
    return hw_emit_inst(lo, HW_BODY_WATCH_RESULT, &watch);
}
