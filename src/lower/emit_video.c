// Decoded video instructions: everything that their bodies must know goes into imm (lower/program.h). PTX ISA 9.0
// sections 9.7.18.1 (scalar) and 9.7.18.2 (pairs of 16 bits, quads of 8).
#include "lower/lowering.h"

static unsigned places_of(hw_op op) { return op >= HW_OP_VADD4 ? 4 : op >= HW_OP_VADD2 ? 2 : 1; }

// The parts that an operand names, 3 bits for each place; as written, or a's own for the first operand and b's own for
// the second.
static int64_t selection_of(const hw_ptx_operand *operand, unsigned places, unsigned which) {
    uint32_t parts = operand->parts;
    int64_t bits = 0;
    if (places == 1) return !parts ? 7 : hw_ptx_part(parts, 0) + (parts & HW_PTX_PARTS_ARE_HALVES ? 4 : 0);
    for (unsigned k = 0; k < places; k++)
        bits |= (int64_t)(parts ? hw_ptx_part(parts, k) : (int)(k + which * places)) << 3 * k;
    return bits;
}

// The places that the destination names; of a scalar, its bytes.
static int64_t mask_of(const hw_ptx_operand *operand, unsigned places) {
    uint32_t parts = operand->parts;
    int64_t bits = 0;
    if (!parts) return 15;
    if (places == 1) {
        int part = hw_ptx_part(parts, 0);
        return parts & HW_PTX_PARTS_ARE_HALVES ? 3 << 2 * part : 1 << part;
    }
    for (unsigned k = 0; k < places; k++)
        if (hw_ptx_part(parts, k) >= 0) bits |= 1 << hw_ptx_part(parts, k);
    return bits;
}

static int64_t words_of_mods(const hw_mods *mods) {
    static const struct {
        hw_mod mod;
        int64_t bits;
    } rows[] = {
        {HW_M_SAT, HW_VIDEO_SAT}, {HW_M_ADD, HW_VIDEO_ADD}, {HW_M_MIN, HW_VIDEO_MIN}, {HW_M_MAX, HW_VIDEO_MAX},
        {HW_M_WRAP, HW_VIDEO_WRAP}, {HW_M_PO, HW_VIDEO_PLUS_ONE}, {HW_M_SHR7, HW_VIDEO_SHR7},
        {HW_M_SHR15, HW_VIDEO_SHR15}, {HW_M_EQ, HW_VIDEO_EQ}, {HW_M_NE, HW_VIDEO_LT | HW_VIDEO_GT},
        {HW_M_LT, HW_VIDEO_LT}, {HW_M_LE, HW_VIDEO_LT | HW_VIDEO_EQ}, {HW_M_GT, HW_VIDEO_GT},
        {HW_M_GE, HW_VIDEO_GT | HW_VIDEO_EQ},
    };
    int64_t bits = 0;
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++)
        if (hw_has_mod(mods, rows[k].mod)) bits |= rows[k].bits;
    return bits;
}

// vset names no type of its destination, which is unsigned.
static int64_t signs_of(const hw_ptx_inst *inst) {
    static const int64_t bits[] = {HW_VIDEO_D_SIGNED, HW_VIDEO_A_SIGNED, HW_VIDEO_B_SIGNED};
    unsigned first = inst->n_types == 3 ? 0 : 1;
    int64_t all = 0;
    for (unsigned k = 0; k < inst->n_types; k++)
        if (hw_type_kind_of(inst->types[k]) == HW_KIND_S) all |= bits[first + k];
    return all;
}

// The forms that nvcc prints have bodies that the compiler makes vectors of.
static const char *body_name(const hw_ptx_inst *inst, int64_t imm) {
    const int64_t in_order_2 = 0x0f01a008, in_order_4 = 0x0ffac688;
    if (inst->op == HW_OP_VABSDIFF4 && imm == in_order_4) return "vabsdiff4.u8x4";
    if (inst->op == HW_OP_VABSDIFF4 && imm == (in_order_4 | HW_VIDEO_ADD)) return "vabsdiff4.add.u8x4";
    if (inst->op == HW_OP_VABSDIFF2 && imm == (in_order_2 | HW_VIDEO_ADD)) return "vabsdiff2.add.u16x2";
    return hw_op_info(inst->op)->name;
}

hw_status hw_emit_video(hw_lowering *lo, const hw_ptx_inst *inst) {
    const hw_ptx_operand *o = inst->operands;
    unsigned places = places_of(inst->op);
    hw_inst t = hw_emit_blank();
    hw_destination to;
    hw_slot *sources[] = {&t.a, &t.b, &t.c};
    t.imm = selection_of(&o[1], places, 0) | selection_of(&o[2], places, 1) << 12 | mask_of(&o[0], places) << 24 |
            words_of_mods(&inst->mods) | signs_of(inst);
    if (o[1].negated != o[2].negated) t.imm |= HW_VIDEO_NEGATE_AB;
    if (inst->n_operands > 3 && o[3].negated) t.imm |= HW_VIDEO_NEGATE_C;
    hw_status status = hw_operand_destination(lo, hw_operand_reg_of(&o[0]), HW_LANE_32, false, &to);
    for (unsigned k = 1; k < inst->n_operands && status == HW_OK; k++) {
        hw_ptx_operand plain = o[k];
        plain.negated = false;
        status = hw_operand_source(lo, &plain, HW_LANE_32, sources[k - 1]);
    }
    if (status == HW_OK && t.c == HW_NO_SLOT) status = hw_slots_immediate(lo, 0, HW_LANE_32, &t.c);
    if (status != HW_OK) return status;
    t.d = to.slot;
    status = hw_emit_inst(lo, hw_body_find(body_name(inst, t.imm)), &t);
    return status == HW_OK ? hw_operand_finish(lo, &to) : status;
}
