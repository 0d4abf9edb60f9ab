// Decoded loads, stores, atomics and reductions.
#include "lower/lowering.h"

static bool is_watched(const hw_mods *mods) {
    static const hw_mod words[] = {HW_M_VOLATILE, HW_M_RELAXED, HW_M_ACQUIRE, HW_M_RELEASE, HW_M_ACQ_REL, HW_M_MMIO};
    for (unsigned k = 0; k < sizeof words / sizeof *words; k++)
        if (hw_has_mod(mods, words[k])) return true;
    return false;
}

// Vectors that programs tell each other a flag beside a value by. Caches' operators promise nothing, but CUB before 2.0
// did so with ld.cg and st.cg.
static bool is_whole(const hw_mods *mods) {
    return is_watched(mods) || hw_has_mod(mods, HW_M_CG) || hw_has_mod(mods, HW_M_CV) || hw_has_mod(mods, HW_M_WT);
}

// [reg + offset], [symbol + offset] or [offset]: a and imm.
hw_status hw_emit_address(hw_lowering *lo, hw_space space, const hw_ptx_operand *operand, hw_inst *t) {
    uint64_t value;
    t->imm = operand->offset;
    if (operand->reg >= 0) {
        // Lanes of 32 bits are for the spaces that are smaller than that; addresses there wrap as on hardware.
        bool is_narrow = lo->regs[operand->reg].lane == HW_LANE_32;
        if (is_narrow) t->flags |= HW_INST_ADDRESS_32;
        return hw_operand_reg(lo, operand->reg, is_narrow ? HW_LANE_32 : HW_LANE_64, &t->a);
    }
    hw_address_kind kind = hw_operand_symbol(lo, operand, &value);
    // Addresses in a slot are those that exec is quick with.
    bool is_quick = space == HW_SPACE_SHARED || space == HW_SPACE_GLOBAL || space == HW_SPACE_CONST;
    if ((kind == HW_ADDRESS_CONSTANT && !is_quick) || (kind == HW_ADDRESS_PARAM && space == HW_SPACE_PARAM)) {
        t->imm = (int64_t)value;
        if (space == HW_SPACE_GENERIC && operand->symbol && operand->symbol->space == HW_SPACE_SHARED)
            t->imm += (int64_t)HW_SHARED_WINDOW;
        if (space == HW_SPACE_GENERIC && operand->symbol && operand->symbol->space == HW_SPACE_LOCAL)
            t->imm += (int64_t)HW_LOCAL_WINDOW;
        return HW_OK;
    }
    // The beginning in a slot, the rest in imm: accesses to one variable share the slot.
    hw_ptx_operand beginning = *operand;
    beginning.offset = 0;
    hw_status status = hw_operand_symbol_slot(lo, &beginning, HW_LANE_64, &t->a);
    t->imm = operand->offset;
    if (space == HW_SPACE_GENERIC)
        t->imm += (int64_t)(kind == HW_ADDRESS_DYNAMIC_SHARED ? HW_SHARED_WINDOW :
                            kind == HW_ADDRESS_LOCAL ? HW_LOCAL_WINDOW : 0);
    return status;
}

// Registers of a load's destination or a store's source: all of one width, which may be more than the type's.
static hw_status register_lane(hw_lowering *lo, const hw_ptx_inst *inst, const hw_ptx_operand *operand, hw_lane *out) {
    unsigned n = operand->kind == HW_OPERAND_VECTOR ? operand->n_elements : 1;
    const hw_ptx_operand *elements = operand->kind == HW_OPERAND_VECTOR ? operand->elements : operand;
    *out = HW_LANE_NONE;
    for (unsigned e = 0; e < n; e++) {
        if (elements[e].kind != HW_OPERAND_REG || elements[e].reg < 0) continue;
        hw_lane lane = (hw_lane)lo->regs[elements[e].reg].lane;
        if (lane == HW_LANE_NONE) return hw_lower_refuse(lo, HW_UNSUPPORTED, "no register is so wide");
        if (lane == HW_LANE_PRED) return hw_lower_refuse(lo, HW_MALFORMED, "a predicate where a number belongs");
        if (*out != HW_LANE_NONE && lane != *out)
            return hw_lower_refuse(lo, HW_MALFORMED, "registers of different widths in one vector");
        *out = lane;
    }
    if (*out == HW_LANE_NONE) *out = hw_lane_of(inst->types[0]);
    return HW_OK;
}

// The register or registers moved: d (or b) of a scalar, a list of a vector.
static hw_status registers_of(hw_lowering *lo, const hw_ptx_operand *operand, hw_lane lane, bool writes, hw_inst *t) {
    unsigned n = operand->kind == HW_OPERAND_VECTOR ? operand->n_elements : 1;
    const hw_ptx_operand *elements = operand->kind == HW_OPERAND_VECTOR ? operand->elements : operand;
    hw_slot *slots = writes ? &t->d : &t->b;
    hw_status status = HW_OK;
    if (!n) return hw_lower_refuse(lo, HW_MALFORMED, "a vector of no possible length");
    t->vector = (uint8_t)n;
    t->reg_bytes = (uint8_t)hw_lane_bytes(lane);
    if (n > 1) status = hw_emit_vector(lo, &slots, n, &t->list);
    for (unsigned e = 0; e < n && status == HW_OK; e++) {
        slots[e] = HW_NO_SLOT;
        bool is_reg = elements[e].kind == HW_OPERAND_REG && elements[e].reg >= 0;
        if (writes && is_reg) slots[e] = lo->regs[elements[e].reg].slot;
        else if (writes && n == 1) status = hw_slots_temporary(lo, lane, &slots[e]);
        else if (!writes) status = hw_operand_source(lo, &elements[e], lane, &slots[e]);
    }
    return status;
}

hw_status hw_emit_load_or_store(hw_lowering *lo, const hw_ptx_inst *inst) {
    bool loads = hw_op_traits(inst->op)->reads != 0, is_param = inst->space == HW_SPACE_PARAM;
    const hw_ptx_operand *moved = &inst->operands[!loads], *where = &inst->operands[loads];
    hw_inst t = hw_emit_blank();
    hw_lane lane;
    t.space = (uint8_t)inst->space;
    t.width = (uint8_t)(hw_type_bits(inst->types[0]) / 8);
    if (loads && hw_type_kind_of(inst->types[0]) == HW_KIND_S) t.flags |= HW_INST_SIGNED;
    if (is_watched(&inst->mods)) t.flags |= HW_INST_VOLATILE;
    hw_status status = register_lane(lo, inst, moved, &lane);
    if (status == HW_OK && hw_lane_bytes(lane) < t.width)
        status = hw_lower_refuse(lo, HW_MALFORMED, "a register narrower than what is moved");
    if (status == HW_OK && lane == HW_LANE_128 && (is_param || t.width < 16))
        status = hw_lower_refuse(lo, HW_UNSUPPORTED, "128-bit registers hold 16 bytes of memory, no parameters");
    if (status == HW_OK) status = registers_of(lo, moved, lane, loads, &t);
    if (t.vector > 1 && is_whole(&inst->mods)) t.flags |= HW_INST_WHOLE;
    if (status == HW_OK) status = hw_emit_address(lo, inst->space, where, &t);
    if (status != HW_OK) return status;
    if (is_param) {
        t.is_own_param = where->symbol ? hw_operand_param_is_own(lo, where->symbol) : !lo->f->is_entry;
        if (t.a != HW_NO_SLOT) lo->program->takes_param_address = true;
        return hw_emit_inst(lo, loads ? HW_BODY_LD_PARAM : HW_BODY_ST_PARAM, &t);
    }
    t.pattern = lo->set->n_patterns++;
    return hw_emit_inst(lo, loads ? HW_BODY_LD : HW_BODY_ST, &t);
}

static const char *operation_of(const hw_mods *mods) {
    static const hw_mod operations[] = {HW_M_AND, HW_M_OR, HW_M_XOR, HW_M_ADD, HW_M_INC, HW_M_DEC, HW_M_MIN, HW_M_MAX,
                                        HW_M_EXCH, HW_M_CAS};
    for (unsigned k = 0; k < sizeof operations / sizeof *operations; k++)
        if (hw_has_mod(mods, operations[k])) return hw_mod_name(operations[k]);
    return "none";
}

// The operands of a vector atomic: the list has the sources, then the destinations, of which any may be missing.
static hw_status vector_operands(hw_lowering *lo, const hw_ptx_inst *inst, hw_lane lane, hw_inst *t) {
    bool returns = inst->op == HW_OP_ATOM;
    const hw_ptx_operand *to = &inst->operands[0], *from = &inst->operands[1 + returns];
    unsigned n = from->n_elements;
    hw_slot *slots;
    t->vector = (uint8_t)n;
    hw_status status = hw_emit_vector(lo, &slots, 2 * n, &t->list);
    for (unsigned e = 0; e < n && status == HW_OK; e++) {
        int32_t reg = returns && to->kind == HW_OPERAND_VECTOR ? hw_operand_reg_of(&to->elements[e]) : HW_NO_REG;
        hw_slot source = HW_NO_SLOT;
        status = hw_operand_source(lo, &from->elements[e], lane, &source);
        slots[e] = source;
        slots[n + e] = reg < 0 ? HW_NO_SLOT : lo->regs[reg].slot;
    }
    return status;
}

static hw_body_id atomic_body(const hw_ptx_inst *inst, bool returns, bool is_vector) {
    return hw_names_printf("%s.%s%s.%s", returns ? "atom" : "red", is_vector ? "vector." : "",
                           operation_of(&inst->mods), hw_type_name(inst->types[0]));
}

// Compilers write atom for atomics whose result nobody wants, and leave it to ptxas to make red of it: warps need not
// wait for each other's results then.
static bool is_result_read(const hw_lowering *lo, const hw_ptx_inst *inst) {
    int32_t reg = hw_operand_reg_of(&inst->operands[0]);
    return reg >= 0 && lo->regs[reg].is_read;
}

static bool is_one(const hw_ptx_operand *operand) { return operand->kind == HW_OPERAND_IMM && operand->imm == 1; }

// Which instruction ptxas has for it in shared memory.
static hw_meeting meeting_of(const hw_ptx_inst *inst, bool is_wanted) {
    const hw_type type = inst->types[0];
    const bool adds = hw_has_mod(&inst->mods, HW_M_ADD), is_wide = hw_type_bits(type) == 64;
    if (hw_has_mod(&inst->mods, HW_M_CAS)) return HW_MEET_COMPARING;
    if (hw_has_mod(&inst->mods, HW_M_EXCH)) return HW_MEET_ONE_BY_ONE;
    if (is_wide) return HW_MEET_IN_WIDE_LOOP;
    if (hw_type_kind_of(type) == HW_KIND_F) return HW_MEET_IN_LOOP;
    const hw_ptx_operand *by = &inst->operands[inst->op == HW_OP_ATOM ? 2 : 1];
    return adds && !is_wanted && is_one(by) ? HW_MEET_AT_ONCE : HW_MEET_ONE_BY_ONE;
}

static bool is_same_in_block(hw_slot slot) {
    return slot == HW_NO_SLOT || (slot & 3) == HW_BASE_LAUNCH || (slot & 3) == HW_BASE_BLOCK;
}

// Does ptxas make one access of a warp's lanes, which mean one word? Of integers: additions of the same number, by
// counting lanes; what needs a result of no other kind is added up first (REDUX, shuffles before 8.0), but for 64 bits.
// Read from the machine code that ptxas 13.0.88 makes for 7.5 and 9.0.
static bool is_combined(const hw_ptx_inst *inst, const hw_inst *t, const hw_note *note) {
    static const bool can_combine[] = {[HW_ATOMIC_AND] = true, [HW_ATOMIC_OR] = true,  [HW_ATOMIC_XOR] = true,
                                       [HW_ATOMIC_ADD] = true, [HW_ATOMIC_MIN] = true, [HW_ATOMIC_MAX] = true,
                                       [HW_ATOMIC_CAS] = false};
    const hw_type_kind kind = hw_type_kind_of(inst->types[0]);
    const bool is_integer = kind == HW_KIND_S || kind == HW_KIND_U || kind == HW_KIND_B;
    const bool adds = note->atomic == HW_ATOMIC_ADD, is_wide = hw_type_bits(inst->types[0]) > 32;
    if (!is_integer || !can_combine[note->atomic] || !is_same_in_block(t->a)) return false;
    if (adds && is_same_in_block(t->b)) return true;
    return !is_wide && (adds || note->kind == HW_NOTE_REDUCTION);
}

// atom d, [a], b {, c}; red [a], b.
hw_status hw_emit_atomic(hw_lowering *lo, const hw_ptx_inst *inst) {
    bool returns = inst->op == HW_OP_ATOM, is_vector = inst->operands[1 + returns].kind == HW_OPERAND_VECTOR;
    bool is_read = returns && (is_vector || is_result_read(lo, inst));
    bool is_wanted = is_read || (returns && atomic_body(inst, false, false) == HW_BODY_NONE);
    hw_lane lane = hw_lane_of(inst->types[0]);
    hw_inst t = hw_emit_blank();
    hw_status status = HW_OK;
    t.space = (uint8_t)inst->space;
    t.width = (uint8_t)(hw_type_bits(inst->types[0]) / 8);
    t.reg_bytes = (uint8_t)hw_lane_bytes(lane);
    t.flags = HW_INST_VOLATILE;
    t.pattern = lo->set->n_patterns++;
    hw_note *note = &lo->program->notes[inst - lo->f->insts];
    note->kind = is_read ? HW_NOTE_ATOMIC : HW_NOTE_REDUCTION;
    note->meeting = meeting_of(inst, is_wanted);
    hw_destination to = {.reg = HW_NO_REG};
    if (is_vector) status = vector_operands(lo, inst, lane, &t);
    if (is_wanted && !is_vector) {
        const hw_ptx_operand *d = &inst->operands[0];
        status = hw_operand_destination(lo, hw_operand_reg_of(d), lane, false, &to);
        t.d = to.slot;
    }
    if (status == HW_OK) status = hw_emit_address(lo, inst->space, &inst->operands[returns], &t);
    if (status == HW_OK && !is_vector) status = hw_operand_source(lo, &inst->operands[1 + returns], lane, &t.b);
    if (status == HW_OK && hw_has_mod(&inst->mods, HW_M_CAS))
        status = hw_operand_source(lo, &inst->operands[2 + returns], lane, &t.c);
    if (status != HW_OK) return status;
    note->is_combined = !is_vector && is_combined(inst, &t, note);
    status = hw_emit_inst(lo, atomic_body(inst, is_wanted, is_vector), &t);
    return status == HW_OK ? hw_operand_finish(lo, &to) : status;
}

// ---- textures and surfaces ----

// What [handle, {...}] of a texture or surface says: a layer comes first.
static hw_status take_coordinates(hw_lowering *lo, const hw_ptx_inst *inst, const hw_ptx_operand *where, hw_inst *t) {
    const hw_mods *mods = &inst->mods;
    bool is_plane = hw_has_mod(mods, HW_M_TEX_2D) || hw_has_mod(mods, HW_M_TEX_A2D);
    bool is_line = hw_has_mod(mods, HW_M_TEX_1D) || hw_has_mod(mods, HW_M_TEX_A1D);
    bool has_layer = hw_has_mod(mods, HW_M_TEX_A1D) || hw_has_mod(mods, HW_M_TEX_A2D) ||
                     hw_has_mod(mods, HW_M_TEX_ACUBE);
    hw_slot *coordinates[] = {&t->a, &t->b, &t->c};
    hw_status status = hw_operand_reg(lo, where->reg, HW_LANE_64, &t->fourth);
    t->dimensions = is_line ? 1 : is_plane ? 2 : 3;
    for (unsigned axis = 0; axis < t->dimensions && status == HW_OK; axis++)
        status = hw_operand_source(lo, &where->elements[axis + has_layer], HW_LANE_32, coordinates[axis]);
    if (status == HW_OK && has_layer) status = hw_operand_source(lo, &where->elements[0], HW_LANE_32, &t->p);
    return status;
}

// tex {r, g, b, a}, [handle, {x, y, z}]
hw_status hw_emit_texture(hw_lowering *lo, const hw_ptx_inst *inst) {
    bool is_cube = hw_has_mod(&inst->mods, HW_M_TEX_CUBE) || hw_has_mod(&inst->mods, HW_M_TEX_ACUBE);
    hw_inst t = hw_emit_blank();
    hw_lane lane;
    hw_status status = register_lane(lo, inst, &inst->operands[0], &lane);
    if (status == HW_OK) status = registers_of(lo, &inst->operands[0], lane, true, &t);
    if (status == HW_OK) status = take_coordinates(lo, inst, &inst->operands[1], &t);
    if (status != HW_OK) return status;
    return hw_emit_inst(lo, hw_names_printf("tex.%s%s", is_cube ? "cube." : "", hw_type_name(inst->types[1])), &t);
}

// Lanes whose places lie outside have no address: they read zeros, and write nothing.
static hw_status emit_surface_inside(hw_lowering *lo, bool loads, hw_lane lane, hw_inst *access) {
    hw_inst test = hw_emit_blank(), guard = hw_emit_blank(), zero = hw_emit_blank(), end = hw_emit_blank();
    const hw_slot *to = access->vector > 1 ? lo->program->slots + access->list : &access->d;
    hw_status status = hw_slots_temporary(lo, HW_LANE_PRED, &test.d);
    test.a = access->a;
    if (status == HW_OK) status = hw_slots_immediate(lo, 0, HW_LANE_64, &test.b);
    if (status == HW_OK) status = hw_emit_inst(lo, hw_body_find("setp.ne.b64"), &test);
    if (status == HW_OK && loads) status = hw_slots_immediate(lo, 0, lane, &zero.a);
    for (unsigned e = 0; loads && e < access->vector && status == HW_OK; e++) {
        zero.d = to[e];
        if (zero.d != HW_NO_SLOT) status = hw_emit_inst(lo, hw_emit_mov_body(lane), &zero);
    }
    const uint32_t at = lo->body.n;
    guard.p = test.d;
    if (status == HW_OK) status = hw_emit_inst(lo, HW_BODY_GUARD, &guard);
    if (status == HW_OK) status = hw_emit_inst(lo, loads ? HW_BODY_LD : HW_BODY_ST, access);
    if (status == HW_OK) status = hw_emit_inst(lo, HW_BODY_UNGUARD, &end);
    if (status == HW_OK) lo->body.insts[at].target = lo->body.n;
    return status;
}

uint8_t hw_emit_surface_bytes(const hw_ptx_inst *inst) {
    return (uint8_t)(hw_type_bits(inst->types[0]) / 8 * (inst->vector ? inst->vector : 1));
}

// suld {r, g, b, a}, [handle, {x, y, z}] and sust: ordinary loads and stores, whose places surface.address finds.
hw_status hw_emit_surface(hw_lowering *lo, const hw_ptx_inst *inst) {
    bool loads = inst->op == HW_OP_SULD, is_inside = hw_has_mod(&inst->mods, HW_M_OUT_ZERO);
    const hw_ptx_operand *moved = &inst->operands[!loads], *where = &inst->operands[loads];
    hw_inst t = hw_emit_blank(), address = hw_emit_blank();
    hw_lane lane;
    if (is_inside && inst->guard >= 0)
        return hw_lower_refuse(lo, HW_UNSUPPORTED, "a surface's .zero under a guard is not supported");
    t.space = HW_SPACE_GLOBAL;
    t.width = (uint8_t)(hw_type_bits(inst->types[0]) / 8);
    t.flags = HW_INST_OF_ARRAY;
    hw_status status = register_lane(lo, inst, moved, &lane);
    if (status == HW_OK) status = registers_of(lo, moved, lane, loads, &t);
    if (status == HW_OK) status = take_coordinates(lo, inst, where, &address);
    if (status == HW_OK) status = hw_slots_temporary(lo, HW_LANE_64, &address.d);
    if (status != HW_OK) return status;
    address.imm = HW_SURFACE_IMM(hw_emit_surface_bytes(inst), hw_has_mod(&inst->mods, HW_M_CLAMP) ? HW_SURFACE_CLAMP
                                                     : is_inside ? HW_SURFACE_ZERO : HW_SURFACE_TRAP, !loads);
    status = hw_emit_inst(lo, HW_BODY_SURFACE_ADDRESS, &address);
    t.a = address.d;
    t.pattern = lo->set->n_patterns++;
    if (status != HW_OK) return status;
    if (is_inside) return emit_surface_inside(lo, loads, lane, &t);
    return hw_emit_inst(lo, loads ? HW_BODY_LD : HW_BODY_ST, &t);
}
