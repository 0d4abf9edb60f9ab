// Decoded instructions for arithmetic, mov and cvta, and the way to the others.
#include <string.h>

#include "lower/lowering.h"

_Static_assert(HW_SREG_COUNT <= 256, "hw_inst.sreg holds a special register's number");

// ---- what arithmetic takes ----

const char *hw_emit_shape(const hw_ptx_inst *inst) {
    const hw_traits *traits = hw_op_traits(inst->op);
    // mul.wide.u16: a wider result; add.f32.f16: f16 sources, f32 result.
    bool is_other = traits->other_shape && (hw_has_mod(&inst->mods, HW_M_WIDE) || inst->n_types == 2);
    return is_other ? traits->other_shape : traits->shape;
}

static hw_lane twice_as_wide(hw_lane lane) {
    return lane == HW_LANE_16 ? HW_LANE_32 : lane == HW_LANE_32 ? HW_LANE_64 : HW_LANE_NONE;
}

static hw_lane lane_for(char letter, const hw_ptx_inst *inst) {
    switch (letter) {
    case 'd': case 'a': return hw_lane_of(inst->types[0]);
    case 'W': case 'w': return twice_as_wide(hw_lane_of(inst->types[0]));
    case 'A': return hw_lane_of(inst->types[1]);
    case 'p': case 'q': return HW_LANE_PRED;
    default: return HW_LANE_32;
    }
}

static bool is_destination(char letter) { return letter == 'd' || letter == 'D' || letter == 'W' || letter == 'p'; }

static uint8_t combination_of(const hw_mods *mods) {
    if (hw_has_mod(mods, HW_M_AND)) return HW_COMBINE_AND;
    if (hw_has_mod(mods, HW_M_OR)) return HW_COMBINE_OR;
    return hw_has_mod(mods, HW_M_XOR) ? HW_COMBINE_XOR : HW_COMBINE_NONE;
}

static hw_status emit_arithmetic(hw_lowering *lo, const hw_ptx_inst *inst) {
    const char *shape = hw_emit_shape(inst);
    hw_inst t = hw_emit_blank();
    hw_destination first = {.reg = HW_NO_REG}, second = {.reg = HW_NO_REG};
    hw_slot *sources[] = {&t.a, &t.b, &t.c, &t.fourth};
    unsigned n_sources = 0;
    hw_status status = HW_OK;
    for (unsigned k = 0; shape[k] && k < inst->n_operands && status == HW_OK; k++) {
        const hw_ptx_operand *operand = &inst->operands[k];
        hw_lane lane = lane_for(shape[k], inst);
        if (is_destination(shape[k])) {
            bool is_signed = hw_type_kind_of(inst->types[0]) == HW_KIND_S;
            status = hw_operand_destination(lo, hw_operand_reg_of(operand), lane, is_signed, &first);
            t.d = first.slot;
            if (status == HW_OK && operand->is_pair && operand->reg2 >= 0) {
                status = hw_operand_destination(lo, operand->reg2, HW_LANE_PRED, false, &second);
                t.e = second.slot;
            }
        } else if (shape[k] == 'q') {
            status = hw_operand_predicate(lo, operand, &t);
        } else if (shape[k] == 'i') {
            t.imm = (int64_t)operand->imm;
        } else {
            status = hw_operand_source(lo, operand, lane, sources[n_sources++]);
        }
    }
    if (status != HW_OK) return status;
    if (hw_op_traits(inst->op)->compares) t.combination = combination_of(&inst->mods);
    const bool is_watched = hw_watch_wants(lo, inst);
    if (is_watched) status = hw_watch_before(lo, inst, &t);
    if (status == HW_OK) status = hw_emit_inst(lo, hw_names_of(lo, inst), &t);
    if (status == HW_OK && is_watched) status = hw_watch_behind(lo, inst, &t);
    if (status == HW_OK) status = hw_operand_finish(lo, &first);
    return status == HW_OK ? hw_operand_finish(lo, &second) : status;
}

// ---- mov ----

hw_status hw_emit_vector(hw_lowering *lo, hw_slot **out, unsigned n, uint32_t *list) {
    while (lo->n_slots + n > lo->slots_capacity)
        if (!hw_lower_grow(lo->arena, (void **)&lo->program->slots, lo->slots_capacity, &lo->slots_capacity,
                           sizeof *lo->program->slots))
            return hw_diag_no_memory(lo->diag);
    *list = lo->n_slots;
    *out = lo->program->slots + lo->n_slots;
    lo->n_slots += n;
    return HW_OK;
}

static hw_lane element_lane(unsigned bits) {
    return bits <= 16 ? HW_LANE_16 : bits == 32 ? HW_LANE_32 : bits == 64 ? HW_LANE_64 : HW_LANE_NONE;
}

static hw_status mov_vector(hw_lowering *lo, const hw_ptx_inst *inst, bool packs) {
    const hw_ptx_operand *vector = &inst->operands[packs];
    unsigned n = vector->n_elements, bits = hw_type_bits(inst->types[0]) / (n ? n : 1);
    hw_lane whole = hw_lane_of(inst->types[0]), part = element_lane(bits);
    hw_inst t = hw_emit_blank();
    hw_destination to[8] = {{.reg = HW_NO_REG}};
    hw_slot *slots;
    if (!n || n > 8) return hw_lower_refuse(lo, HW_MALFORMED, "a vector of no possible length");
    t.vector = (uint8_t)n;
    t.lane_bytes = (uint8_t)(bits / 8);
    hw_status status = hw_emit_vector(lo, &slots, n, &t.list);
    if (status == HW_OK && packs)
        status = hw_operand_destination(lo, hw_operand_reg_of(&inst->operands[0]), whole, false, &to[0]);
    if (status == HW_OK && !packs) status = hw_operand_source(lo, &inst->operands[1], whole, &t.a);
    if (packs) t.d = to[0].slot;
    for (unsigned e = 0; e < n && status == HW_OK; e++) {
        const hw_ptx_operand *element = &vector->elements[e];
        slots[e] = HW_NO_SLOT;
        if (packs) {
            status = hw_operand_source(lo, element, part, &slots[e]);
        } else {
            to[e].reg = HW_NO_REG;
            if (hw_operand_reg_of(element) < 0) continue;
            status = hw_operand_destination(lo, element->reg, part, false, &to[e]);
            slots[e] = to[e].slot;
        }
    }
    if (status == HW_OK)
        status = hw_emit_inst(lo, hw_names_printf("mov.%s.%ux%u", packs ? "pack" : "unpack", n, bits), &t);
    for (unsigned e = 0; e < (packs ? 1 : n) && status == HW_OK; e++) status = hw_operand_finish(lo, &to[e]);
    return status;
}

// The body that copies lanes.
hw_body_id hw_emit_mov_body(hw_lane lane) {
    if (lane == HW_LANE_PRED) return hw_body_find("mov.pred");
    return hw_names_printf("mov.b%u", 8 * hw_lane_bytes(lane));
}

// An instruction that makes the value can write it where it belongs: a special register, an address.
static hw_status mov_direct(hw_lowering *lo, const hw_ptx_operand *from, hw_slot d, hw_lane lane, bool *done) {
    hw_inst t = hw_emit_blank();
    uint64_t value;
    *done = true;
    t.d = d;
    if (from->kind == HW_OPERAND_SREG && hw_lane_of(hw_sreg_type(from->sreg)) == lane) {
        t.sreg = (uint8_t)from->sreg;
        lo->program->reads_clock |= hw_sreg_is_clock(from->sreg);
        return hw_emit_inst(lo, HW_BODY_SREG, &t);
    }
    hw_address_kind kind = from->kind == HW_OPERAND_SYMBOL ? hw_operand_symbol(lo, from, &value) : HW_ADDRESS_CONSTANT;
    if (kind == HW_ADDRESS_LOCAL || kind == HW_ADDRESS_PARAM) return hw_operand_symbol_address(lo, from, d, lane);
    *done = false;
    return HW_OK;
}

static hw_status emit_mov(hw_lowering *lo, const hw_ptx_inst *inst) {
    if (inst->operands[0].kind == HW_OPERAND_VECTOR) return mov_vector(lo, inst, false);
    if (inst->operands[1].kind == HW_OPERAND_VECTOR) return mov_vector(lo, inst, true);
    hw_lane lane = hw_lane_of(inst->types[0]);
    hw_inst t = hw_emit_blank();
    hw_destination to;
    bool done = false;
    hw_status status = hw_operand_destination(lo, hw_operand_reg_of(&inst->operands[0]), lane, false, &to);
    if (status == HW_OK) status = mov_direct(lo, &inst->operands[1], to.slot, lane, &done);
    if (status == HW_OK && !done) {
        t.d = to.slot;
        status = hw_operand_source(lo, &inst->operands[1], lane, &t.a);
        if (status == HW_OK) status = hw_emit_inst(lo, hw_emit_mov_body(lane), &t);
    }
    return status == HW_OK ? hw_operand_finish(lo, &to) : status;
}

// ---- cvta ----

// What the generic address is more than the one in the space. 32-bit generic addresses have no room for windows.
static uint64_t window_of(const hw_ptx_inst *inst) {
    if (hw_lane_of(inst->types[0]) != HW_LANE_64) return 0;
    if (inst->space == HW_SPACE_SHARED) return HW_SHARED_WINDOW;
    return inst->space == HW_SPACE_LOCAL ? HW_LOCAL_WINDOW : 0;
}

static hw_status emit_cvta(hw_lowering *lo, const hw_ptx_inst *inst) {
    hw_lane lane = hw_lane_of(inst->types[0]);
    uint64_t window = window_of(inst);
    hw_inst t = hw_emit_blank();
    hw_destination to;
    hw_status status = hw_operand_destination(lo, hw_operand_reg_of(&inst->operands[0]), lane, false, &to);
    if (status == HW_OK) status = hw_operand_source(lo, &inst->operands[1], lane, &t.a);
    if (status != HW_OK) return status;
    t.d = to.slot;
    if (window) {
        status = hw_slots_immediate(lo, hw_has_mod(&inst->mods, HW_M_TO) ? -window : window, HW_LANE_64, &t.b);
        if (status != HW_OK) return status;
    }
    status = hw_emit_inst(lo, window ? hw_body_find("add.s64") : hw_emit_mov_body(lane), &t);
    return status == HW_OK ? hw_operand_finish(lo, &to) : status;
}

const hw_ptx_operand *hw_emit_alias(const hw_lowering *lo, const hw_ptx_inst *inst) {
    bool is_identity = inst->op == HW_OP_MOV || (inst->op == HW_OP_CVTA && !window_of(inst));
    const hw_ptx_operand *to = &inst->operands[0], *from = &inst->operands[1];
    uint64_t value;
    if (!is_identity || hw_operand_reg_of(to) < 0 || lo->regs[to->reg].lane != hw_lane_of(inst->types[0])) return NULL;
    if (from->kind == HW_OPERAND_REG)
        return !from->negated && from->reg >= 0 && lo->regs[from->reg].lane == lo->regs[to->reg].lane ? from : NULL;
    if (from->kind == HW_OPERAND_IMM) return from;
    if (from->kind != HW_OPERAND_SYMBOL) return NULL;
    hw_address_kind kind = hw_operand_symbol(lo, from, &value);
    return kind == HW_ADDRESS_CONSTANT || kind == HW_ADDRESS_DYNAMIC_SHARED ? from : NULL;
}

// ---- the rest ----

static hw_status emit_isspacep(hw_lowering *lo, const hw_ptx_inst *inst) {
    hw_inst t = hw_emit_blank();
    hw_destination to;
    t.asked_space = (uint8_t)inst->space;
    hw_status status = hw_operand_destination(lo, hw_operand_reg_of(&inst->operands[0]), HW_LANE_PRED, false, &to);
    if (status == HW_OK) status = hw_operand_source(lo, &inst->operands[1], HW_LANE_64, &t.a);
    t.d = to.slot;
    return status == HW_OK ? hw_emit_inst(lo, hw_body_find("isspacep"), &t) : status;
}

// How long lines stay in the caches changes no result: the policy that a program is given is 0.
static hw_status emit_policy(hw_lowering *lo, const hw_ptx_inst *inst) {
    hw_inst t = hw_emit_blank();
    hw_destination to;
    hw_status status = hw_operand_destination(lo, hw_operand_reg_of(&inst->operands[0]), HW_LANE_64, false, &to);
    if (status == HW_OK) status = hw_slots_immediate(lo, 0, HW_LANE_64, &t.a);
    t.d = to.slot;
    if (status == HW_OK) status = hw_emit_inst(lo, hw_emit_mov_body(HW_LANE_64), &t);
    return status == HW_OK ? hw_operand_finish(lo, &to) : status;
}

// alloca d, bytes, alignment; stacksave d; stackrestore a.
static hw_status emit_stack(hw_lowering *lo, const hw_ptx_inst *inst) {
    hw_lane lane = hw_lane_of(inst->types[0]);
    hw_inst t = hw_emit_blank();
    hw_destination to = {.reg = HW_NO_REG};
    hw_status status = HW_OK;
    bool has_d = inst->op != HW_OP_STACKRESTORE;
    t.lane_bytes = (uint8_t)hw_lane_bytes(lane);
    if (inst->op == HW_OP_ALLOCA) lo->program->uses_alloca = true;
    if (inst->op == HW_OP_ALLOCA && inst->n_operands > 2) t.imm = (int64_t)inst->operands[2].imm;
    if (has_d) status = hw_operand_destination(lo, hw_operand_reg_of(&inst->operands[0]), lane, false, &to);
    if (has_d) t.d = to.slot;
    if (status == HW_OK && inst->op != HW_OP_STACKSAVE)
        status = hw_operand_source(lo, &inst->operands[has_d], lane, &t.a);
    if (status == HW_OK) status = hw_emit_inst(lo, hw_body_find(hw_op_info(inst->op)->name), &t);
    return status == HW_OK ? hw_operand_finish(lo, &to) : status;
}

// Emits nothing for an instruction without effect here. Inside a guard a body is emitted, so that the profiler sees how
// often it was off.
static hw_status emit_nothing(hw_lowering *lo, const hw_ptx_inst *inst) {
    hw_inst t = hw_emit_blank();
    return inst->guard < 0 ? HW_OK : hw_emit_inst(lo, HW_BODY_NOP, &t);
}

static hw_status emit_fence(hw_lowering *lo, const hw_ptx_inst *inst) {
    hw_inst t = hw_emit_blank();
    (void)inst;
    return hw_emit_inst(lo, HW_BODY_FENCE, &t);
}

// By hw_emitter. What ends a block is emitted with it (emit_flow.c).
static hw_status (*const emitters[HW_EMITTERS])(hw_lowering *, const hw_ptx_inst *) = {
    [HW_EMIT_ARITHMETIC] = emit_arithmetic,
    [HW_EMIT_MOV] = emit_mov,
    [HW_EMIT_POLICY] = emit_policy,
    [HW_EMIT_CVTA] = emit_cvta,
    [HW_EMIT_ISSPACEP] = emit_isspacep,
    [HW_EMIT_STACK] = emit_stack,
    [HW_EMIT_LOAD_STORE] = hw_emit_load_or_store,
    [HW_EMIT_ATOMIC] = hw_emit_atomic,
    [HW_EMIT_TEXTURE] = hw_emit_texture,
    [HW_EMIT_SURFACE] = hw_emit_surface,
    [HW_EMIT_COPY] = hw_emit_async,
    [HW_EMIT_BULK_COPY] = hw_emit_bulk,
    [HW_EMIT_FENCE] = emit_fence,
    [HW_EMIT_MBARRIER] = hw_emit_mbarrier,
    [HW_EMIT_SHFL] = hw_emit_shfl,
    [HW_EMIT_VOTE] = hw_emit_vote,
    [HW_EMIT_MATCH] = hw_emit_match,
    [HW_EMIT_REDUX] = hw_emit_redux,
    [HW_EMIT_ELECT] = hw_emit_elect,
    [HW_EMIT_ACTIVEMASK] = hw_emit_activemask,
    [HW_EMIT_BARRIER] = hw_emit_barrier,
    [HW_EMIT_NANOSLEEP] = hw_emit_nanosleep,
    [HW_EMIT_MATRIX_ACCESS] = hw_emit_matrix_access,
    [HW_EMIT_MATRIX_MOVE] = hw_emit_movmatrix,
    [HW_EMIT_MATRIX_PRODUCT] = hw_emit_mma,
    [HW_EMIT_FRAGMENT_ACCESS] = hw_emit_wmma,
    [HW_EMIT_VIDEO] = hw_emit_video,
    [HW_EMIT_NOTHING] = emit_nothing,
};

// Emits what makes all lanes of the warp come to the next instruction together.
static hw_status gather_lanes(hw_lowering *lo) {
    hw_inst t = hw_emit_blank();
    hw_status status = hw_slots_immediate(lo, 0xffffffffu, HW_LANE_32, &t.a);
    return status == HW_OK ? hw_emit_inst(lo, HW_BODY_BAR_WARP_SYNC, &t) : status;
}

hw_status hw_emit_ptx(hw_lowering *lo, const hw_ptx_inst *inst) {
    const hw_traits *traits = hw_op_traits(inst->op);
    hw_status status = HW_OK;
    memset(lo->n_scratch, 0, sizeof lo->n_scratch);
    if (!emitters[traits->emitter]) return hw_lower_refuse(lo, HW_UNSUPPORTED, "this instruction is not supported");
    if (traits->gathers == HW_GATHER_ALL) status = gather_lanes(lo);
    return status == HW_OK ? emitters[traits->emitter](lo, inst) : status;
}
