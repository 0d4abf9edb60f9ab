// From PTX operands to slots: registers, constants, addresses, and the conversions where widths differ.
#include "lower/lowering.h"

hw_inst hw_emit_blank(void) {
    return (hw_inst){.d = HW_NO_SLOT, .a = HW_NO_SLOT, .b = HW_NO_SLOT, .c = HW_NO_SLOT, .e = HW_NO_SLOT,
                     .p = HW_NO_SLOT, .reconverge = HW_NO_RECONVERGENCE, .vector = 1};
}

hw_status hw_lower_refuse(hw_lowering *lo, hw_status status, const char *why) {
    const hw_ptx_inst *inst = lo->inst;
    if (!inst) return hw_diag_set_at(lo->diag, status, lo->module->name, lo->f->line, "%s: %s", lo->f->name, why);
    bool has_source = inst->loc_line && inst->loc_file < lo->module->n_files && lo->module->files[inst->loc_file];
    if (has_source)
        return hw_diag_set_at(lo->diag, status, lo->module->files[inst->loc_file], (int)inst->loc_line,
                              "%s (line %d of the PTX): %s", inst->text, inst->line, why);
    return hw_diag_set_at(lo->diag, status, lo->module->name, inst->line, "%s: %s", inst->text, why);
}

hw_status hw_emit_inst(hw_lowering *lo, hw_body_id body, const hw_inst *fields) {
    hw_inst_list *list = lo->list;
    const hw_body_info *info = hw_body_info_of(body);
    uint32_t capacity = list->capacity;
    if (!hw_lower_grow(lo->scratch, (void **)&list->insts, list->n, &capacity, sizeof *list->insts) ||
        !hw_lower_grow(lo->scratch, (void **)&list->bodies, list->n, &list->capacity, sizeof *list->bodies))
        return hw_diag_no_memory(lo->diag);
    hw_inst *inst = &list->insts[list->n];
    *inst = *fields;
    inst->note = lo->program->first_note + lo->index;
    if (info->members) {
        inst->members = info->members;
        inst->reg_bytes = info->result_bytes;
    }
    lo->program->may_wait |= (inst->flags & HW_INST_VOLATILE) != 0;
    list->bodies[list->n++] = body;
    return HW_OK;
}

// ---- widths ----

// Brings lanes of one width into lanes of another.
static hw_status convert_slot(hw_lowering *lo, hw_slot from, hw_lane from_lane, hw_slot to, hw_lane to_lane,
                              bool is_signed) {
    if (from_lane == HW_LANE_PRED || to_lane == HW_LANE_PRED)
        return hw_lower_refuse(lo, HW_MALFORMED, "a predicate where a number belongs, or the reverse");
    unsigned from_bits = 8 * hw_lane_bytes(from_lane), to_bits = 8 * hw_lane_bytes(to_lane);
    hw_inst t = hw_emit_blank();
    t.d = to;
    t.a = from;
    if (from_bits > to_bits) return hw_emit_inst(lo, hw_names_printf("trunc.b%u.b%u", from_bits, to_bits), &t);
    return hw_emit_inst(lo, hw_names_printf("ext.%c%u.b%u", is_signed ? 's' : 'u', from_bits, to_bits), &t);
}

hw_status hw_operand_reg(hw_lowering *lo, int32_t reg, hw_lane lane, hw_slot *out) {
    const hw_reg_info *info = &lo->regs[reg];
    if (info->lane == HW_LANE_NONE || lane == HW_LANE_NONE)
        return hw_lower_refuse(lo, HW_UNSUPPORTED, "no register is so wide");
    // A register that nobody writes: any value will do.
    if (!info->n_defs) return hw_slots_immediate(lo, 0, lane, out);
    *out = info->slot;
    if (info->lane == lane) return HW_OK;
    hw_status status = hw_slots_temporary(lo, lane, out);
    return status == HW_OK ? convert_slot(lo, info->slot, (hw_lane)info->lane, *out, lane, false) : status;
}

hw_status hw_operand_destination(hw_lowering *lo, int32_t reg, hw_lane lane, bool is_signed, hw_destination *out) {
    *out = (hw_destination){.slot = HW_NO_SLOT, .reg = HW_NO_REG, .lane = lane, .is_signed = is_signed};
    if (lane == HW_LANE_NONE || (reg >= 0 && lo->regs[reg].lane == HW_LANE_NONE))
        return hw_lower_refuse(lo, HW_UNSUPPORTED, "no register is so wide");
    if (reg >= 0 && lo->regs[reg].lane == lane) {
        out->slot = lo->regs[reg].slot;
        return HW_OK;
    }
    out->reg = reg;
    return hw_slots_temporary(lo, lane, &out->slot);
}

hw_status hw_operand_finish(hw_lowering *lo, const hw_destination *from) {
    if (from->reg < 0) return HW_OK;
    const hw_reg_info *info = &lo->regs[from->reg];
    return convert_slot(lo, from->slot, from->lane, info->slot, (hw_lane)info->lane, from->is_signed);
}

// ---- addresses ----

bool hw_operand_param_is_own(const hw_lowering *lo, const hw_ptx_symbol *symbol) {
    const hw_ptx_function *f = lo->f;
    uint32_t index = (uint32_t)symbol->index;
    return !(f->is_entry && index < f->n_params && f->params[index] == symbol);
}

hw_address_kind hw_operand_symbol(const hw_lowering *lo, const hw_ptx_operand *operand, uint64_t *value) {
    const hw_ptx_symbol *symbol = operand->symbol;
    if (operand->function) {
        *value = HW_FUNCTION_HANDLE + 16 * ((uint64_t)operand->function->index + 1) + (uint64_t)operand->offset;
        return HW_ADDRESS_CONSTANT;
    }
    *value = (uint64_t)operand->offset;
    if (!symbol) return HW_ADDRESS_CONSTANT;
    if (symbol->space == HW_SPACE_SHARED && symbol->size_bytes == 0) return HW_ADDRESS_DYNAMIC_SHARED;
    *value += symbol->offset;
    if (symbol->space == HW_SPACE_PARAM) return HW_ADDRESS_PARAM;
    // A kernel's local variables begin at the bottom of the stack; where a function's do depends on who calls it.
    return symbol->space == HW_SPACE_LOCAL && !lo->f->is_entry ? HW_ADDRESS_LOCAL : HW_ADDRESS_CONSTANT;
}

// Dynamic shared memory begins where the kernel's static variables end: found once per launch.
static hw_status dynamic_shared_slot(hw_lowering *lo, hw_lane lane, hw_slot *out) {
    hw_slot *known = &lo->dynamic_shared[lane];
    if (*known == HW_NO_SLOT) {
        hw_inst_list *list = lo->list;
        hw_inst t = hw_emit_blank();
        hw_status status = hw_slots_take(lo, HW_BASE_LAUNCH, lane, known);
        if (status != HW_OK) return status;
        t.d = *known;
        t.imm = lo->dynamic_shared_align;
        t.lane_bytes = (uint8_t)hw_lane_bytes(lane);
        lo->list = &lo->lists[HW_LEVEL_LAUNCH];
        status = hw_emit_inst(lo, HW_BODY_SHARED_DYNAMIC, &t);
        lo->list = list;
        if (status != HW_OK) return status;
    }
    *out = *known;
    return HW_OK;
}

hw_status hw_operand_symbol_address(hw_lowering *lo, const hw_ptx_operand *operand, hw_slot d, hw_lane lane) {
    uint64_t value;
    hw_inst t = hw_emit_blank();
    hw_address_kind kind = hw_operand_symbol(lo, operand, &value);
    t.d = d;
    t.imm = (int64_t)value;
    t.lane_bytes = (uint8_t)hw_lane_bytes(lane);
    if (kind == HW_ADDRESS_LOCAL) return hw_emit_inst(lo, HW_BODY_LOCAL_ADDRESS, &t);
    t.is_own_param = hw_operand_param_is_own(lo, operand->symbol);
    lo->program->takes_param_address = true;
    return hw_emit_inst(lo, HW_BODY_PARAM_ADDRESS, &t);
}

hw_status hw_operand_symbol_slot(hw_lowering *lo, const hw_ptx_operand *operand, hw_lane lane, hw_slot *out) {
    uint64_t value;
    hw_inst t = hw_emit_blank();
    if (lane == HW_LANE_PRED || lane == HW_LANE_NONE)
        return hw_lower_refuse(lo, HW_MALFORMED, "an address where none belongs");
    hw_address_kind kind = hw_operand_symbol(lo, operand, &value);
    if (kind == HW_ADDRESS_CONSTANT) return hw_slots_immediate(lo, value, lane, out);
    if (kind == HW_ADDRESS_DYNAMIC_SHARED) {
        hw_status status = dynamic_shared_slot(lo, lane, &t.a);
        *out = t.a;
        if (status != HW_OK || !value) return status;
        status = hw_slots_immediate(lo, value, lane, &t.b);
        if (status == HW_OK) status = hw_slots_temporary(lo, lane, &t.d);
        *out = t.d;
        if (status != HW_OK) return status;
        return hw_emit_inst(lo, hw_names_printf("add.s%u", 8 * hw_lane_bytes(lane)), &t);
    }
    hw_status status = hw_slots_temporary(lo, lane, out);
    return status == HW_OK ? hw_operand_symbol_address(lo, operand, *out, lane) : status;
}

// ---- any source ----

static hw_status special_register(hw_lowering *lo, hw_sreg sreg, hw_lane lane, hw_slot *out) {
    hw_lane own = hw_lane_of(hw_sreg_type(sreg));
    hw_inst t = hw_emit_blank();
    t.sreg = (uint8_t)sreg;
    lo->program->reads_clock |= hw_sreg_is_clock(sreg);
    hw_status status = hw_slots_temporary(lo, own, &t.d);
    if (status == HW_OK) status = hw_emit_inst(lo, HW_BODY_SREG, &t);
    *out = t.d;
    if (status != HW_OK || own == lane) return status;
    status = hw_slots_temporary(lo, lane, out);
    return status == HW_OK ? convert_slot(lo, t.d, own, *out, lane, false) : status;
}

static hw_status complement_predicate(hw_lowering *lo, hw_slot *slot) {
    hw_inst t = hw_emit_blank();
    t.a = *slot;
    hw_status status = hw_slots_temporary(lo, HW_LANE_PRED, &t.d);
    *slot = t.d;
    return status == HW_OK ? hw_emit_inst(lo, hw_body_find("not.pred"), &t) : status;
}

hw_status hw_operand_source(hw_lowering *lo, const hw_ptx_operand *operand, hw_lane lane, hw_slot *out) {
    hw_status status;
    switch (operand->kind) {
    case HW_OPERAND_REG:
        if (operand->reg < 0) break;
        status = hw_operand_reg(lo, operand->reg, lane, out);
        if (status == HW_OK && operand->negated && lane == HW_LANE_PRED) status = complement_predicate(lo, out);
        return status;
    case HW_OPERAND_IMM:
        if (lane == HW_LANE_NONE) return hw_lower_refuse(lo, HW_UNSUPPORTED, "no register is so wide");
        if (lane == HW_LANE_PRED) return hw_slots_immediate(lo, !operand->imm == operand->negated, lane, out);
        return hw_slots_immediate(lo, operand->imm, lane, out);
    case HW_OPERAND_SREG:
        if (lane == HW_LANE_NONE) break;
        return special_register(lo, operand->sreg, lane, out);
    case HW_OPERAND_SYMBOL: case HW_OPERAND_ADDRESS:
        if (operand->kind == HW_OPERAND_ADDRESS && operand->reg >= 0) break;
        return hw_operand_symbol_slot(lo, operand, lane, out);
    default: break;
    }
    return hw_lower_refuse(lo, HW_MALFORMED, "an operand of the wrong kind");
}

hw_status hw_operand_predicate(hw_lowering *lo, const hw_ptx_operand *operand, hw_inst *inst) {
    hw_ptx_operand plain = *operand;
    plain.negated = false;
    if (operand->negated) inst->flags |= HW_INST_NEGATE_P;
    return hw_operand_source(lo, &plain, HW_LANE_PRED, &inst->p);
}

int32_t hw_operand_reg_of(const hw_ptx_operand *operand) {
    return operand->kind == HW_OPERAND_REG ? operand->reg : HW_NO_REG;
}
