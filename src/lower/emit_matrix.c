// Decoded matrix instructions: ldmatrix, stmatrix, movmatrix, mma.
#include "isa/matrix.h"
#include "lower/lowering.h"

enum { MOST_REGISTERS = 8 };

// The registers of a fragment, where the operand is a vector of them or the only one.
static const hw_ptx_operand *elements_of(const hw_ptx_operand *operand, unsigned *n) {
    bool is_vector = operand->kind == HW_OPERAND_VECTOR;
    *n = is_vector ? operand->n_elements : 1;
    return is_vector ? operand->elements : operand;
}

// Registers that are written, and what is left to do for those of another width.
typedef struct results {
    hw_destination to[MOST_REGISTERS];
    unsigned n;
} results;

static hw_status write_fragment(hw_lowering *lo, const hw_ptx_operand *operand, hw_lane lane, hw_slot *slots,
                                results *r) {
    const hw_ptx_operand *elements = elements_of(operand, &r->n);
    hw_status status = HW_OK;
    for (unsigned e = 0; e < r->n && status == HW_OK; e++) {
        status = hw_operand_destination(lo, hw_operand_reg_of(&elements[e]), lane, false, &r->to[e]);
        slots[e] = r->to[e].slot;
    }
    return status;
}

static hw_status read_fragment(hw_lowering *lo, const hw_ptx_operand *operand, hw_lane lane, hw_slot *slots) {
    unsigned n;
    const hw_ptx_operand *elements = elements_of(operand, &n);
    hw_status status = HW_OK;
    for (unsigned e = 0; e < n && status == HW_OK; e++) {
        hw_slot slot = HW_NO_SLOT;
        status = hw_operand_source(lo, &elements[e], lane, &slot);
        slots[e] = slot;
    }
    return status;
}

static hw_status finish_results(hw_lowering *lo, const results *r) {
    hw_status status = HW_OK;
    for (unsigned e = 0; e < r->n && status == HW_OK; e++) status = hw_operand_finish(lo, &r->to[e]);
    return status;
}

hw_status hw_emit_matrix_access(hw_lowering *lo, const hw_ptx_inst *inst) {
    bool loads = inst->op == HW_OP_LDMATRIX;
    const hw_ptx_operand *moved = &inst->operands[!loads], *where = &inst->operands[loads];
    hw_inst t = hw_emit_blank();
    results r = {.n = 0};
    hw_slot *slots;
    unsigned n;
    elements_of(moved, &n);
    t.space = (uint8_t)inst->space;
    t.width = 16;
    t.matrices = (uint8_t)n;
    t.imm = 0;
    t.pattern = lo->set->n_patterns++;
    hw_status status = hw_emit_vector(lo, &slots, n, &t.list);
    if (status == HW_OK)
        status = loads ? write_fragment(lo, moved, HW_LANE_32, slots, &r) : read_fragment(lo, moved, HW_LANE_32, slots);
    if (status == HW_OK) status = hw_emit_address(lo, inst->space, where, &t);
    if (status != HW_OK) return status;
    hw_body_id body = hw_names_printf("%s%s", loads ? "ldmatrix" : "stmatrix",
                                       hw_has_mod(&inst->mods, HW_M_TRANS) ? ".trans" : "");
    status = hw_emit_inst(lo, body, &t);
    return status == HW_OK ? finish_results(lo, &r) : status;
}

hw_status hw_emit_movmatrix(hw_lowering *lo, const hw_ptx_inst *inst) {
    hw_inst t = hw_emit_blank();
    hw_destination to;
    hw_status status = hw_operand_destination(lo, hw_operand_reg_of(&inst->operands[0]), HW_LANE_32, false, &to);
    t.d = to.slot;
    if (status == HW_OK) status = hw_operand_source(lo, &inst->operands[1], HW_LANE_32, &t.a);
    if (status == HW_OK) status = hw_emit_inst(lo, hw_body_find("movmatrix"), &t);
    return status == HW_OK ? hw_operand_finish(lo, &to) : status;
}

static uint8_t integer_choices(const hw_ptx_inst *inst) {
    return (uint8_t)((inst->types[1] == HW_T_U8 ? HW_MATRIX_A_UNSIGNED : 0) |
                     (inst->types[2] == HW_T_U8 ? HW_MATRIX_B_UNSIGNED : 0) |
                     (hw_has_mod(&inst->mods, HW_M_SATFINITE) ? HW_MATRIX_SATURATE : 0));
}

hw_status hw_emit_mma(hw_lowering *lo, const hw_ptx_inst *inst) {
    bool is_wmma = inst->op != HW_OP_MMA;
    hw_type types[4];
    for (unsigned k = 0; k < 4; k++) hw_matrix_operand(inst->op, &inst->mods, inst->types, inst->n_types, k, &types[k]);
    hw_type type = types[1];
    hw_lane lane = type == HW_T_F64 ? HW_LANE_64 : HW_LANE_32;
    hw_matrix_shape shape = {0};
    hw_inst t = hw_emit_blank();
    results r = {.n = 0};
    hw_slot *slots;
    unsigned n[4], all = 0, from = 0;
    hw_matrix_shape_of(&inst->mods, &shape);
    for (unsigned k = 0; k < 4; k++) {
        elements_of(&inst->operands[k], &n[k]);
        all += n[k];
    }
    t.imm = HW_MATRIX_IMM(shape.m, shape.n, shape.k, is_wmma);
    t.choices = integer_choices(inst);
    hw_status status = hw_emit_vector(lo, &slots, all, &t.list);
    for (unsigned k = 0; k < 4 && status == HW_OK; from += n[k++])
        status = k ? read_fragment(lo, &inst->operands[k], lane, slots + from)
                   : write_fragment(lo, &inst->operands[k], lane, slots, &r);
    if (status != HW_OK) return status;
    bool is_integer = types[0] == HW_T_S32;
    hw_body_id body = hw_names_printf("mma.%s.%s", hw_type_name(types[0]),
                                       is_integer ? "x8" : hw_type_name(type));
    status = hw_emit_inst(lo, body, &t);
    return status == HW_OK ? finish_results(lo, &r) : status;
}
