// Neighbouring accesses that ptxas issues as one of 8 or 16 bytes, so that counters agree with what hardware runs.
//
// Within a basic block, loads from one base register (or symbol) whose constant offsets fall into the same aligned 8 or
// 16 bytes become one load when the base's alignment can be proved; the loaded bytes may have gaps (a padded row of 17
// words is read in sixteens, H200 machine code of sgemmNN in truth/ladder.cu). Stores merge only without gaps. Nothing
// that may write the memory, and no barrier, may stand between. Kernel parameters are pointers of unknown alignment,
// so accesses through them do not merge.
#include <stdlib.h>

#include "base/alloc.h"
#include "lower/lowering.h"

enum { ANY_ALIGNMENT = 64, MERGED_MAX_BYTES = 16 };

// ---- alignment: how many low bits of each register are certainly zero ----

static uint8_t zeros_of(uint64_t value) { return value ? (uint8_t)__builtin_ctzll(value) : ANY_ALIGNMENT; }
static uint8_t least(uint8_t a, uint8_t b) { return a < b ? a : b; }
static uint8_t sum(uint8_t a, uint8_t b) { return a + b > ANY_ALIGNMENT ? ANY_ALIGNMENT : (uint8_t)(a + b); }

// ptxas places shared variables itself and knows where; of others it knows the declared alignment.
static uint8_t zeros_of_symbol(const hw_ptx_symbol *symbol, int64_t offset) {
    if (!symbol) return 0;
    bool is_placed = symbol->space == HW_SPACE_SHARED && !symbol->is_extern;
    if (is_placed) return zeros_of(symbol->offset + (uint64_t)offset);
    return least(zeros_of(symbol->align), zeros_of((uint64_t)offset));
}

static uint8_t zeros_of_operand(const uint8_t *zeros, const hw_ptx_operand *o) {
    switch (o->kind) {
    case HW_OPERAND_REG: return zeros[o->reg];
    case HW_OPERAND_IMM: return zeros_of(o->imm);
    case HW_OPERAND_SYMBOL: return o->function ? 0 : zeros_of_symbol(o->symbol, o->offset);
    default: return 0;
    }
}

static uint8_t zeros_of_result(const uint8_t *zeros, const hw_ptx_inst *inst) {
    uint8_t z[4] = {0};
    for (int k = 1; k < inst->n_operands && k < 4; k++) z[k] = zeros_of_operand(zeros, &inst->operands[k]);
    bool is_low = hw_has_mod(&inst->mods, HW_M_LO) || hw_has_mod(&inst->mods, HW_M_WIDE);
    switch (inst->op) {
    case HW_OP_MOV: case HW_OP_CVTA: case HW_OP_CVT: return z[1];
    case HW_OP_ADD: case HW_OP_SUB: case HW_OP_OR: case HW_OP_XOR: case HW_OP_SELP: case HW_OP_MIN: case HW_OP_MAX:
        return least(z[1], z[2]);
    case HW_OP_AND: return z[1] > z[2] ? z[1] : z[2];
    case HW_OP_MUL: case HW_OP_MUL24: return is_low ? sum(z[1], z[2]) : 0;
    case HW_OP_MAD: case HW_OP_MAD24: return is_low ? least(sum(z[1], z[2]), z[3]) : 0;
    case HW_OP_SHL:
        if (inst->operands[2].kind != HW_OPERAND_IMM) return z[1];
        return sum(z[1], least(64, (uint8_t)inst->operands[2].imm));
    default: return 0;
    }
}

typedef struct result_visit {
    uint8_t *zeros;
    uint8_t value;
    bool changed;
} result_visit;

static void lower_result(void *context, int32_t reg, bool is_def) {
    result_visit *v = context;
    if (!is_def || v->zeros[reg] <= v->value) return;
    v->zeros[reg] = v->value;
    v->changed = true;
}

// Starts from "everything is aligned" and takes back what the definitions do not bear out.
static void find_alignment(const hw_ptx_function *f, uint8_t *zeros) {
    for (uint32_t r = 0; r < f->n_regs; r++) zeros[r] = ANY_ALIGNMENT;
    result_visit v = {.zeros = zeros, .changed = true};
    while (v.changed) {
        v.changed = false;
        for (uint32_t i = 0; i < f->n_insts; i++) {
            v.value = zeros_of_result(zeros, &f->insts[i]);
            hw_defs_visit(&f->insts[i], lower_result, &v);
        }
    }
}

// ---- candidates ----

typedef struct candidate {
    int32_t reg;                   // base; HW_NO_REG: symbol alone
    const hw_ptx_symbol *symbol;
    int64_t chunk;                 // aligned piece of memory, counted in chunk_bytes from the base
    uint32_t within, bytes;        // place in the piece
    uint32_t chunk_bytes;
    uint32_t inst;
} candidate;

typedef struct merger {
    hw_program *program;
    const hw_ptx_function *f;
    const uint8_t *zeros;
    candidate *open[2];            // loads, stores
    uint32_t n_open[2];
} merger;

static int compare_accesses(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if (x->reg != y->reg) return x->reg < y->reg ? -1 : 1;
    if (x->symbol != y->symbol) return x->symbol < y->symbol ? -1 : 1;
    if (x->chunk != y->chunk) return x->chunk < y->chunk ? -1 : 1;
    return x->inst < y->inst ? -1 : x->inst > y->inst;
}

static bool is_neighbour(const candidate *a, const candidate *b) {
    return a->reg == b->reg && a->symbol == b->symbol && a->chunk == b->chunk;
}

// Merges the accesses that touch [from, from + bytes) of their piece, if they fill it well enough: a load may leave one
// word of four unread, stores must fill all. Returns whether they were merged.
static bool merge_range(merger *m, const candidate *c, uint32_t n, uint32_t from, uint32_t bytes, bool is_store) {
    uint32_t touched = 0, members = 0, filled = 0;
    const candidate *first = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (c[i].within < from || c[i].within >= from + bytes) continue;
        touched |= ((1u << c[i].bytes) - 1) << c[i].within;
        members++;
        if (!first) first = &c[i];
    }
    for (uint32_t k = 0; k < bytes; k++) filled += touched >> (from + k) & 1;
    if (members < 2 || filled < (is_store || bytes <= 8 ? bytes : bytes - 4)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (c[i].within >= from && c[i].within < from + bytes) m->program->notes[c[i].inst].merged_bytes = 0;
    m->program->notes[first->inst].merged_bytes = (uint8_t)bytes;
    return true;
}

static void close_group(merger *m, bool is_store) {
    candidate *c = m->open[is_store];
    uint32_t n = m->n_open[is_store];
    qsort(c, n, sizeof *c, compare_accesses);
    for (uint32_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && is_neighbour(&c[begin], &c[end]);) end++;
        if (c[begin].chunk_bytes == 16 && merge_range(m, c + begin, end - begin, 0, 16, is_store)) continue;
        for (uint32_t from = 0; from < c[begin].chunk_bytes; from += 8)
            merge_range(m, c + begin, end - begin, from, 8, is_store);
    }
    m->n_open[is_store] = 0;
}

static void add_candidate(merger *m, uint32_t index, bool is_store) {
    const hw_ptx_inst *inst = &m->f->insts[index];
    const hw_ptx_operand *address = &inst->operands[is_store ? 0 : 1];
    uint32_t bytes = m->program->notes[index].width_bytes;
    if (inst->guard >= 0 || address->kind != HW_OPERAND_ADDRESS || bytes < 4 || bytes > 8) return;
    uint8_t zeros = address->reg >= 0 ? m->zeros[address->reg] : zeros_of_symbol(address->symbol, 0);
    if (address->reg < 0 && !address->symbol) return;
    candidate c = {.reg = address->reg, .symbol = address->symbol, .bytes = bytes, .inst = index,
                   .chunk_bytes = zeros >= 4 ? 16 : 8};
    if (zeros < 3) return;
    c.within = (uint32_t)(address->offset & (c.chunk_bytes - 1));
    c.chunk = (address->offset - c.within) / c.chunk_bytes;
    if (c.within + bytes > c.chunk_bytes) return;
    m->open[is_store][m->n_open[is_store]++] = c;
}

typedef struct redefinition {
    merger *m;
    bool hits;
} redefinition;

static void check_base(void *context, int32_t reg, bool is_def) {
    redefinition *r = context;
    if (!is_def) return;
    for (int kind = 0; kind < 2; kind++)
        for (uint32_t i = 0; i < r->m->n_open[kind]; i++) r->hits |= r->m->open[kind][i].reg == reg;
}

static bool may_touch_shared(const hw_ptx_inst *inst) {
    return inst->space == HW_SPACE_SHARED || inst->space == HW_SPACE_GENERIC;
}

static void visit_inst(merger *m, uint32_t index) {
    const hw_ptx_inst *inst = &m->f->insts[index];
    bool is_special = hw_has_mod(&inst->mods, HW_M_VOLATILE) || hw_has_mod(&inst->mods, HW_M_RELAXED) ||
                      hw_has_mod(&inst->mods, HW_M_ACQUIRE) || hw_has_mod(&inst->mods, HW_M_RELEASE);
    bool closes_loads = false, closes_stores = false;
    switch (inst->op) {
    case HW_OP_LD: case HW_OP_LDU:
        closes_stores = may_touch_shared(inst);
        closes_loads = is_special;
        break;
    case HW_OP_ST: closes_loads = may_touch_shared(inst), closes_stores = is_special || inst->guard >= 0; break;
    case HW_OP_ATOM: case HW_OP_RED: case HW_OP_BAR: case HW_OP_BARRIER: case HW_OP_MEMBAR: case HW_OP_FENCE:
    case HW_OP_CALL: case HW_OP_CP_ASYNC:
        closes_loads = closes_stores = true;
        break;
    default: break;
    }
    redefinition r = {m, false};
    if (m->n_open[0] + m->n_open[1]) hw_defs_visit(inst, check_base, &r);
    bool is_candidate = !is_special && inst->space == HW_SPACE_SHARED;
    // A load may overwrite its own base: it still belongs to what came before.
    if (inst->op == HW_OP_LD && is_candidate && !closes_loads) add_candidate(m, index, false);
    if (closes_loads || r.hits) close_group(m, false);
    if (closes_stores || r.hits) close_group(m, true);
    if (inst->op == HW_OP_ST && is_candidate) add_candidate(m, index, true);
}

hw_status hw_merge(hw_lowering *lo) {
    const hw_ptx_function *f = lo->f;
    uint8_t *zeros = hw_arena_take(lo->scratch, (size_t)f->n_regs + 1);
    merger m = {.program = lo->program, .f = f, .zeros = zeros};
    uint32_t longest = 0;
    for (uint32_t b = 0; b < lo->cfg.n_blocks; b++) {
        uint32_t length = lo->cfg.blocks[b].end - lo->cfg.blocks[b].first;
        if (length > longest) longest = length;
    }
    for (int kind = 0; kind < 2; kind++)
        m.open[kind] = hw_arena_take(lo->scratch, ((size_t)longest + 1) * sizeof(candidate));
    if (!zeros || !m.open[0] || !m.open[1]) return hw_diag_no_memory(lo->diag);
    find_alignment(f, zeros);
    for (uint32_t b = 0; b < lo->cfg.n_blocks; b++) {
        for (uint32_t i = lo->cfg.blocks[b].first; i < lo->cfg.blocks[b].end; i++) visit_inst(&m, i);
        close_group(&m, false);
        close_group(&m, true);
    }
    return HW_OK;
}
