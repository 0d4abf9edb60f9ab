// wmma.load and wmma.store: a fragment's elements by ordinary loads and stores, whose places wmma.address computes.
//
// The accesses are those of ptxas for 8.0 and 9.0: a register of neighbours in memory at a time, or two registers where
// these are neighbours; halves that lie across go through a matrix that is transposed between registers and memory;
// bytes that lie across go one by one. LDSM, which ptxas takes for factors in shared memory, passes the banks as often
// as a load of one register for each of its matrices.
#include "isa/matrix.h"
#include "lower/lowering.h"

enum { MOST_REGISTERS = 8, MOST_PER_REGISTER = 4, MOST_VECTORS = 8 };

typedef struct transfer {
    hw_fragment fragment;
    bool is_by_columns;            // in memory
    uint32_t natural;              // registers before their copies begin
    uint32_t per;                  // elements in a register
    uint32_t length;               // of a row or column, as they lie in memory
    bool is_contiguous;            // the elements of a register lie side by side in memory
    bool is_transposed;            // they do not, but those of the transposed matrix do, which movmatrix makes
    uint32_t together;             // registers that one access moves
    hw_inst address, access;       // what is common to all of them
    uint32_t n_vectors;            // rows or columns in memory whose addresses have been computed,
    uint32_t vectors[MOST_VECTORS];
    hw_slot at[MOST_VECTORS];      // of each the lanes' addresses, of the place 0
} transfer;

static transfer describe_wmma(const hw_ptx_inst *inst) {
    hw_matrix_shape shape = {0};
    hw_type type;
    transfer t = {.address = hw_emit_blank(), .access = hw_emit_blank()};
    t.is_by_columns = hw_has_mod(&inst->mods, HW_M_COL);
    hw_matrix_shape_of(&inst->mods, &shape);
    char role = hw_matrix_operand(inst->op, &inst->mods, inst->types, inst->n_types, 0, &type);
    t.fragment = hw_matrix_fragment(role, type, &shape, true);
    hw_fragment natural = hw_matrix_fragment(role, type, &shape, false);
    t.natural = hw_fragment_registers(&natural);
    t.per = t.fragment.bits < 32 ? 32u / t.fragment.bits : 1;
    bool is_along = (t.is_by_columns ? t.fragment.element_row[0] : t.fragment.element_col[0]) == 1;
    t.is_contiguous = t.per == 1 || is_along;
    t.is_transposed = t.per == 2 && !is_along;
    t.together = t.per == 1 && is_along ? 2 : 1;
    t.length = role == 'a' ? (t.is_by_columns ? shape.m : shape.k)
             : role == 'b' ? (t.is_by_columns ? shape.k : shape.n) : (t.is_by_columns ? shape.m : shape.n);
    t.address.width = t.fragment.bits / 8;
    t.access.space = (uint8_t)inst->space;
    t.access.width = (uint8_t)(t.is_contiguous || t.is_transposed ? t.per * t.address.width : t.address.width);
    t.access.vector = (uint8_t)t.together;
    return t;
}

uint32_t hw_emit_wmma_bytes(const hw_ptx_inst *inst) {
    const transfer t = describe_wmma(inst);
    return t.access.width * t.together;
}

// Are there matrices of this type in this shape?
static bool is_known(const hw_ptx_inst *inst) {
    bool is_factor = hw_has_mod(&inst->mods, HW_M_MATRIX_A) || hw_has_mod(&inst->mods, HW_M_MATRIX_B);
    bool is_short = hw_has_mod(&inst->mods, HW_M_M16N16K8), is_double = hw_has_mod(&inst->mods, HW_M_M8N8K4);
    hw_type type = inst->types[0];
    if (is_double) return type == HW_T_F64;
    if (is_short) return type == (is_factor ? HW_T_TF32 : HW_T_F32);
    if (is_factor) return type == HW_T_F16 || type == HW_T_BF16 || type == HW_T_U8 || type == HW_T_S8;
    return type == HW_T_F16 || type == HW_T_F32 || type == HW_T_S32;
}

// The matrix's own address, and its stride when one is written.
static hw_status find_matrix(hw_lowering *lo, const hw_ptx_inst *inst, transfer *t) {
    const hw_ptx_operand *where = &inst->operands[inst->op == HW_OP_WMMA_LOAD];
    hw_status status = HW_OK;
    if (where->reg >= 0) {
        t->access.imm = where->offset;
        status = hw_operand_reg(lo, where->reg, HW_LANE_64, &t->address.a);
    } else {
        status = hw_emit_address(lo, inst->space, where, &t->access);
        t->address.a = t->access.a;
    }
    if (status == HW_OK && inst->n_operands == 3)
        status = hw_operand_source(lo, &inst->operands[2], HW_LANE_32, &t->address.b);
    return status;
}

// Where an element lies: in which row or column of memory, and at which place of it, for lane 0. Of all fragments four
// neighbouring lanes go one way, and groups of four the other, each by one.
static void place_element(const transfer *t, uint32_t element, uint32_t *vector, uint32_t *place) {
    const hw_fragment *f = &t->fragment;
    uint32_t row = 0, col = 0;
    for (uint32_t bit = 0; bit < 4; bit++) {
        row += (element >> bit & 1) * f->element_row[bit];
        col += (element >> bit & 1) * f->element_col[bit];
    }
    *vector = t->is_by_columns ? col : row;
    *place = t->is_by_columns ? row : col;
}

// The slot with the lanes' addresses in a row or column of memory: those of its other elements are as far apart in all
// lanes, and need no computing.
static hw_status find_vector(hw_lowering *lo, transfer *t, uint32_t vector, hw_slot *at) {
    const hw_fragment *f = &t->fragment;
    bool groups_have_rows = f->lane_row[2];
    for (uint32_t n = 0; n < t->n_vectors; n++)
        if (t->vectors[n] == vector) return *at = t->at[n], HW_OK;
    hw_status status = hw_slots_temporary(lo, HW_LANE_64, at);
    if (status != HW_OK) return status;
    t->vectors[t->n_vectors] = vector;
    t->at[t->n_vectors++] = *at;
    hw_inst address = t->address;
    address.d = *at;
    address.imm = HW_PLACE_IMM(vector, 0, groups_have_rows ? f->lane_col[0] : f->lane_row[0], t->length);
    address.groups_have_vectors = t->is_transposed || groups_have_rows != t->is_by_columns;
    return hw_emit_inst(lo, hw_body_find("wmma.address"), &address);
}

// One load or store of the element, or of the register or registers that begin with it.
static hw_status emit_wmma_access(hw_lowering *lo, transfer *t, uint32_t element, bool loads, const hw_slot *regs,
                                  uint32_t reg_bytes) {
    hw_inst one = t->access;
    hw_slot *list;
    uint32_t vector, place;
    place_element(t, element, &vector, &place);
    one.imm += (int64_t)place * t->address.width;
    hw_status status = find_vector(lo, t, vector, &one.a);
    one.reg_bytes = (uint8_t)reg_bytes;
    one.pattern = lo->set->n_patterns++;
    if (status == HW_OK && t->together > 1) {
        status = hw_emit_vector(lo, &list, t->together, &one.list);
        for (uint32_t k = 0; status == HW_OK && k < t->together; k++) list[k] = regs[k];
    } else if (loads) {
        one.d = *regs;
    } else {
        one.b = *regs;
    }
    return status == HW_OK ? hw_emit_inst(lo, loads ? HW_BODY_LD : HW_BODY_ST, &one) : status;
}

// A register of halves that lie across in memory, by a matrix that lies along.
static hw_status access_across(hw_lowering *lo, transfer *t, uint32_t number, bool loads, hw_slot reg, hw_slot along) {
    hw_inst move = hw_emit_blank();
    hw_status status = HW_OK;
    move.a = loads ? along : reg;
    move.d = loads ? reg : along;
    if (!loads) status = hw_emit_inst(lo, hw_body_find("movmatrix"), &move);
    if (status == HW_OK) status = emit_wmma_access(lo, t, number * t->per, loads, &along, 4);
    return loads && status == HW_OK ? hw_emit_inst(lo, hw_body_find("movmatrix"), &move) : status;
}

// Bytes that lie apart, through registers of 16 bits.
static hw_status access_parts(hw_lowering *lo, transfer *t, uint32_t number, bool loads, hw_slot reg,
                              const hw_slot *parts) {
    hw_inst pack = hw_emit_blank();
    hw_slot *list;
    hw_status status = hw_emit_vector(lo, &list, t->per, &pack.list);
    if (status != HW_OK) return status;
    for (uint32_t e = 0; e < t->per; e++) list[e] = parts[e];
    pack.vector = (uint8_t)t->per;
    pack.width = t->address.width;
    if (loads) pack.d = reg;
    else pack.a = reg;
    hw_body_id body = hw_names_printf("mov.%s.%ux%u", loads ? "pack" : "unpack", t->per, t->fragment.bits);
    if (!loads) status = hw_emit_inst(lo, body, &pack);
    for (uint32_t e = 0; e < t->per && status == HW_OK; e++)
        status = emit_wmma_access(lo, t, number * t->per + e, loads, &parts[e], 2);
    return loads && status == HW_OK ? hw_emit_inst(lo, body, &pack) : status;
}

static hw_status copy_of(hw_lowering *lo, hw_slot from, hw_slot to) {
    hw_inst mov = hw_emit_blank();
    mov.a = from;
    mov.d = to;
    return hw_emit_inst(lo, hw_body_find("mov.b32"), &mov);
}

hw_status hw_emit_wmma(hw_lowering *lo, const hw_ptx_inst *inst) {
    bool loads = inst->op == HW_OP_WMMA_LOAD;
    const hw_ptx_operand *moved = &inst->operands[!loads];
    transfer t = describe_wmma(inst);
    hw_lane lane = t.fragment.bits == 64 ? HW_LANE_64 : HW_LANE_32;
    hw_slot slots[MOST_REGISTERS], parts[MOST_PER_REGISTER];
    hw_destination to[MOST_REGISTERS];
    const hw_ptx_operand *elements = moved->kind == HW_OPERAND_VECTOR ? moved->elements : moved;
    unsigned n = moved->kind == HW_OPERAND_VECTOR ? moved->n_elements : 1;
    if (!is_known(inst)) return hw_lower_refuse(lo, HW_MALFORMED, "no matrix of this type has this shape");
    hw_status status = HW_OK;
    for (unsigned k = 0; k < n && status == HW_OK; k++) {
        hw_slot slot = HW_NO_SLOT;
        if (loads) status = hw_operand_destination(lo, hw_operand_reg_of(&elements[k]), lane, false, &to[k]);
        else status = hw_operand_source(lo, &elements[k], lane, &slot);
        slots[k] = loads ? to[k].slot : slot;
    }
    for (unsigned k = 0; !t.is_contiguous && k < (t.is_transposed ? 1 : t.per) && status == HW_OK; k++)
        status = hw_slots_temporary(lo, t.is_transposed ? HW_LANE_32 : HW_LANE_16, &parts[k]);
    if (status == HW_OK) status = find_matrix(lo, inst, &t);
    for (unsigned k = 0; k < n && status == HW_OK; k += t.together) {
        if (k >= t.natural) status = copy_of(lo, slots[k % t.natural], slots[k]);
        else if (t.is_transposed) status = access_across(lo, &t, k, loads, slots[k], parts[0]);
        else if (!t.is_contiguous) status = access_parts(lo, &t, k, loads, slots[k], parts);
        else status = emit_wmma_access(lo, &t, k * t.per, loads, &slots[k], hw_lane_bytes(lane));
    }
    for (unsigned k = 0; loads && k < n && status == HW_OK; k++) status = hw_operand_finish(lo, &to[k]);
    return status;
}
