// Addresses: which low bits of a register are zero, and which registers differ by a constant.
//
// Both follow what ptxas 13.0 proves, and no more, since accesses that ptxas cannot prove aligned are not merged on
// hardware either: it sees through integer arithmetic, but not through min and max, right shifts, lop3, prmt, shf or
// abs; it knows where shared variables lie, and nothing of the address of a global one (tests/unit/lower/test_merge.c
// has the cases).
#include "lower/address.h"
#include "lower/versions.h"

enum { ZERO = HW_ADDRESS_ZERO };

// ---- low bits that are zero ----

static uint8_t zeros_of(uint64_t value) { return value ? (uint8_t)__builtin_ctzll(value) : ZERO; }
static uint8_t least_zeros(uint8_t a, uint8_t b) { return a < b ? a : b; }
static uint8_t zeros_of_product(uint8_t a, uint8_t b) { return a + b > ZERO ? ZERO : (uint8_t)(a + b); }

// Dynamic shared memory begins at a multiple of 16, whatever its declaration asks for.
uint8_t hw_address_zeros_of_symbol(const hw_ptx_symbol *symbol, int64_t offset) {
    if (symbol->space == HW_SPACE_GLOBAL) return 0;
    if (symbol->space != HW_SPACE_SHARED) return least_zeros(zeros_of(symbol->align), zeros_of((uint64_t)offset));
    if (!symbol->is_extern) return zeros_of(symbol->offset + (uint64_t)offset);
    return least_zeros(zeros_of(symbol->align > 16 ? symbol->align : 16), zeros_of((uint64_t)offset));
}

// What is known of a register where it is read: by what its block has written last, else by all that write it.
typedef struct known_zeros {
    uint8_t *of_all;
    uint8_t *of_last;
    uint32_t *last_block;          // by register: block of of_last, counted from 1
    uint32_t block;
    uint8_t value;                 // of the result at work
    bool changed;
} known_zeros;

static uint8_t zeros_of_operand(const known_zeros *known, const hw_ptx_operand *o) {
    switch (o->kind) {
    case HW_OPERAND_REG:
        return known->last_block[o->reg] == known->block ? known->of_last[o->reg] : known->of_all[o->reg];
    case HW_OPERAND_IMM: return zeros_of(o->imm);
    case HW_OPERAND_SYMBOL: return o->function ? 0 : hw_address_zeros_of_symbol(o->symbol, o->offset);
    default: return 0;
    }
}

static bool is_integer(hw_type type) {
    hw_type_kind kind = hw_type_kind_of(type);
    bool is_packed = type == HW_T_U16X2 || type == HW_T_S16X2;
    return (kind == HW_KIND_B || kind == HW_KIND_U || kind == HW_KIND_S) && !is_packed;
}

// The low bits of a result depend on its sources' in integer arithmetic only: 7.0 ends in 21 zero bits, 7 in none.
static bool keeps_low_bits(const hw_ptx_inst *inst) {
    for (unsigned k = 0; k < inst->n_types; k++)
        if (!is_integer(inst->types[k]) && inst->op != HW_OP_MOV && inst->op != HW_OP_SELP) return false;
    return !hw_has_mod(&inst->mods, HW_M_SAT) && !hw_has_mod(&inst->mods, HW_M_HI);
}

static uint8_t zeros_of_inserted(const uint8_t *z, const hw_ptx_inst *inst) {
    const hw_ptx_operand *place = &inst->operands[3];
    if (place->kind != HW_OPERAND_IMM) return 0;
    return least_zeros(zeros_of_product(z[1], least_zeros(ZERO, (uint8_t)place->imm)), z[2]);
}

static uint8_t zeros_of_result(const known_zeros *known, const hw_ptx_inst *inst) {
    uint8_t z[4] = {0};
    for (int k = 1; k < inst->n_operands && k < 4; k++) z[k] = zeros_of_operand(known, &inst->operands[k]);
    if (!keeps_low_bits(inst)) return 0;
    switch (inst->op) {
    case HW_OP_MOV: case HW_OP_CVTA: case HW_OP_CVT: case HW_OP_NEG: return z[1];
    case HW_OP_ADD: case HW_OP_SUB: case HW_OP_OR: case HW_OP_XOR: case HW_OP_SELP: case HW_OP_REM:
        return least_zeros(z[1], z[2]);
    case HW_OP_AND: return z[1] > z[2] ? z[1] : z[2];
    case HW_OP_MUL: case HW_OP_MUL24: return zeros_of_product(z[1], z[2]);
    case HW_OP_MAD: case HW_OP_MAD24: return least_zeros(zeros_of_product(z[1], z[2]), z[3]);
    case HW_OP_SHL:
        if (inst->operands[2].kind != HW_OPERAND_IMM) return z[1];
        return inst->operands[2].imm < ZERO ? zeros_of_product(z[1], (uint8_t)inst->operands[2].imm) : ZERO;
    case HW_OP_BFI: return zeros_of_inserted(z, inst);
    default: return 0;
    }
}

static void note_result(void *context, int32_t reg, bool is_def) {
    known_zeros *known = context;
    if (!is_def) return;
    known->of_last[reg] = known->value;
    known->last_block[reg] = known->block;
    if (known->of_all[reg] <= known->value) return;
    known->of_all[reg] = known->value;
    known->changed = true;
}

// A guarded instruction may leave what was there.
static void note_guarded(void *context, int32_t reg, bool is_def) {
    known_zeros *known = context;
    note_result(context, reg, is_def);
    if (is_def) known->last_block[reg] = 0;
}

// Starts from "everything is zero" and takes back what the definitions do not bear out. Blocks are counted anew in each
// round: what a block knows of its registers is what this round has found.
static bool find_zeros(hw_lowering *lo, uint8_t *zeros) {
    const hw_ptx_function *f = lo->f;
    size_t n = (size_t)f->n_regs + 1;
    known_zeros known = {.of_all = zeros, .of_last = hw_arena_take(lo->scratch, n), .changed = true,
                         .last_block = hw_arena_take(lo->scratch, n * sizeof *known.last_block)};
    if (!known.of_last || !known.last_block) return false;
    for (uint32_t r = 0; r < f->n_regs; r++) zeros[r] = ZERO;
    while (known.changed) {
        known.changed = false;
        for (uint32_t b = 0; b < lo->cfg.n_blocks; b++) {
            const hw_cfg_block *block = &lo->cfg.blocks[b];
            known.block++;
            for (uint32_t i = block->first; i < block->end; i++) {
                known.value = zeros_of_result(&known, &f->insts[i]);
                hw_defs_visit(&f->insts[i], f->insts[i].guard < 0 ? note_result : note_guarded, &known);
            }
        }
    }
    return true;
}

// ---- registers that differ by a constant ----

static void count_register(void *context, int32_t reg, bool is_def) {
    hw_address_facts *facts = context;
    if (!is_def) facts->is_read[reg] = 1;
    else if (facts->n_defs[reg] < 2) facts->n_defs[reg]++;
}

static int64_t signed_imm(const hw_ptx_inst *inst, const hw_ptx_operand *o) {
    return hw_type_bits(inst->types[0]) == 32 ? (int32_t)o->imm : (int64_t)o->imm;
}

// What the instruction adds to operand 1; false: it does something else.
static bool added_constant(const hw_ptx_inst *inst, int64_t *added) {
    *added = 0;
    if (inst->op == HW_OP_MOV || inst->op == HW_OP_CVTA) return true;
    if ((inst->op != HW_OP_ADD && inst->op != HW_OP_SUB) || !keeps_low_bits(inst)) return false;
    if (inst->operands[2].kind != HW_OPERAND_IMM || hw_type_bits(inst->types[0]) < 32) return false;
    *added = signed_imm(inst, &inst->operands[2]);
    if (inst->op == HW_OP_SUB) *added = -*added;
    return true;
}

static hw_address_origin origin_of(const hw_address_facts *facts, const hw_ptx_inst *inst, int32_t reg) {
    hw_address_origin own = {.reg = reg};
    int64_t added;
    if (inst->guard >= 0 || facts->n_defs[reg] != 1 || inst->n_operands < 2) return own;
    if (!added_constant(inst, &added)) return own;
    const hw_ptx_operand *o = &inst->operands[1];
    if (o->kind == HW_OPERAND_SYMBOL && !o->function)
        return (hw_address_origin){.reg = HW_NO_REG, .symbol = o->symbol, .delta = o->offset + added};
    if (o->kind != HW_OPERAND_REG || facts->n_defs[o->reg] != 1) return own;
    hw_address_origin of = facts->origins[o->reg];
    of.delta += added;
    return of;
}

// Sources are defined above, but for what comes round a loop: such registers are their own origin.
static void find_origins(const hw_ptx_function *f, hw_address_facts *facts) {
    for (uint32_t r = 0; r < f->n_regs; r++) facts->origins[r] = (hw_address_origin){.reg = (int32_t)r};
    for (uint32_t i = 0; i < f->n_insts; i++) {
        const hw_ptx_inst *inst = &f->insts[i];
        if (!inst->n_operands || inst->operands[0].kind != HW_OPERAND_REG || !hw_defs_has_destination(inst)) continue;
        int32_t reg = inst->operands[0].reg;
        if (reg >= 0) facts->origins[reg] = origin_of(facts, inst, reg);
    }
}

// How many low bits of the register that the instruction goes through are zero, or it faults; 0: it says nothing. An
// access of 16 bytes at [reg + 32] faults unless reg is a multiple of 16.
static uint8_t zeros_asked(const hw_ptx_inst *inst) {
    if (!hw_op_traits(inst->op)->is_merged || inst->guard >= 0) return 0;
    const hw_ptx_operand *address = hw_merged_address(inst);
    unsigned bytes = hw_type_bits(inst->types[0]) / 8 * (inst->vector ? inst->vector : 1);
    if (address->kind != HW_OPERAND_ADDRESS || address->reg < 0) return 0;
    return bytes && address->offset % bytes == 0 ? zeros_of(bytes) : 0;
}

// A bit for each number of low bits that accesses in a block, and in those that dominate it, ask to be zero, by
// register. Blocks are visited in the preorder of dominators; what a block has added is taken back behind the last one
// that it dominates.
typedef struct asked_change {
    int32_t reg;
    uint32_t end;                  // place in preorder
    uint8_t before;
} asked_change;

static void note_asked(const hw_ptx_function *f, const hw_cfg_block *block, const hw_address_facts *facts,
                       uint8_t *asked, asked_change *changes, uint32_t *n, uint32_t end) {
    for (uint32_t i = block->first; i < block->end; i++) {
        uint8_t zeros = zeros_asked(&f->insts[i]);
        if (!zeros) continue;
        int32_t reg = hw_merged_address(&f->insts[i])->reg;
        if (facts->n_defs[reg] != 1 || facts->zeros[reg] >= zeros || asked[reg] >> zeros & 1) continue;
        changes[(*n)++] = (asked_change){.reg = reg, .end = end, .before = asked[reg]};
        asked[reg] |= (uint8_t)(1u << zeros);
    }
}

static bool find_asked(hw_lowering *lo, const hw_dominators *dominators, hw_address_facts *facts) {
    const hw_ptx_function *f = lo->f;
    uint8_t *asked = hw_arena_take(lo->scratch, (size_t)f->n_regs + 1);
    asked_change *changes = hw_arena_take(lo->scratch, ((size_t)f->n_insts + 1) * sizeof *changes);
    uint32_t n = 0;
    if (!asked || !changes) return false;
    for (uint32_t place = 0; place < lo->cfg.n_reachable; place++) {
        uint32_t b = dominators->at[place];
        const hw_cfg_block *block = &lo->cfg.blocks[b];
        for (; n && changes[n - 1].end <= place; n--) asked[changes[n - 1].reg] = changes[n - 1].before;
        note_asked(f, block, facts, asked, changes, &n, place + dominators->below[b]);
        for (uint32_t i = block->first; i < block->end; i++) {
            int32_t reg = hw_reach_register(&f->insts[i]);
            if (reg >= 0) facts->asked[i] = asked[reg];
        }
    }
    return true;
}

hw_status hw_address_find(hw_lowering *lo, const hw_dominators *dominators, hw_address_facts *facts) {
    const hw_ptx_function *f = lo->f;
    size_t n = (size_t)f->n_regs + 1;
    *facts = (hw_address_facts){.zeros = hw_arena_take(lo->scratch, n),
                                .asked = hw_arena_take(lo->scratch, (size_t)f->n_insts + 1),
                                .origins = hw_arena_take(lo->scratch, n * sizeof *facts->origins),
                                .n_defs = hw_arena_take(lo->scratch, n), .is_read = hw_arena_take(lo->scratch, n)};
    if (!facts->zeros || !facts->asked || !facts->origins || !facts->n_defs || !facts->is_read)
        return hw_diag_no_memory(lo->diag);
    for (uint32_t i = 0; i < f->n_insts; i++) hw_defs_visit(&f->insts[i], count_register, facts);
    if (!find_zeros(lo, facts->zeros)) return hw_diag_no_memory(lo->diag);
    find_origins(f, facts);
    return find_asked(lo, dominators, facts) ? HW_OK : hw_diag_no_memory(lo->diag);
}
