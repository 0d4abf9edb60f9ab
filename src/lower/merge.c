// Neighbouring accesses that ptxas issues as one, so that counters agree with what hardware runs.
//
// Accesses of one kind (shared, global, generic, read-only global) through one base fall into aligned pieces of memory
// that hold 2 or 4 elements, as far as the base's alignment is proved; elements have 2, 4 or 8 bytes, those of bytes
// are not merged. What ptxas 13.0 does with them (tests/unit/lower/test_merge.c, tests/data/merging.csv):
//
// - Loads of a piece become one if all its elements are read, or three of four (but by generic loads); else both
//   elements of a half. They may stand in different blocks, if the first comes before the others on every path and
//   nothing parts them on any. A load of what another has read is dropped.
// - Stores become one if they fill a piece, or half of one, and follow each other: a store to anywhere else of the same
//   kind parts them. Single elements behind a vector of the same piece are left alone.
// - A vector of which only the first elements are used is loaded as far as they go.
//
// The pointers that kernels are given have no known alignment, unless they are masked or a wide access says it.
#include <stdlib.h>

#include "lower/address.h"
#include "lower/versions.h"

enum { PIECE_MAX_BYTES = 16, PIECE_MAX_ELEMENTS = 4 };

// ---- candidates ----

typedef struct candidate {
    hw_address_origin base;        // delta 0: within and piece have it
    uint32_t version;              // of the memory that a load reads
    uint32_t base_version;         // of a base that several instructions write
    int64_t piece;                 // of memory, counted in pieces from the base
    uint32_t place;                // in the order of the blocks
    uint32_t inst, block;
    uint8_t reach;                 // hw_reach
    bool skips_l1, is_done;
    uint8_t bytes;                 // of a piece; 0: nothing is known of its alignment, and the access is a piece itself
    uint8_t elem_bytes, n_elems;   // of a piece
    uint8_t extended;              // hw_type of an element that is not merged, else HW_T_NONE
    uint8_t first, count;          // elements of the piece that are named
    uint8_t live;                  // and those that are used, a bit each
} candidate;

typedef struct merger {
    hw_lowering *lo;
    hw_note *notes;
    hw_dominators dominators;
    hw_address_facts facts;
    hw_versions versions;
    hw_version_set version;        // where the pass is
    candidate *loads;
    uint32_t n_loads;
    candidate run[HW_REACHES][PIECE_MAX_ELEMENTS];   // stores that follow each other in one piece
    uint32_t n_run[HW_REACHES];
} merger;

static bool is_used(const merger *m, const hw_ptx_operand *o) {
    return o->kind == HW_OPERAND_REG ? o->reg >= 0 && m->facts.is_read[o->reg] : o->kind != HW_OPERAND_SINK;
}

// Bytes, and half-words that are extended as they are loaded, are not merged: two of them are only found equal.
static bool is_extended(const merger *m, const hw_ptx_inst *inst, const hw_ptx_operand *moved) {
    if (hw_type_bits(inst->types[0]) == 8) return true;
    if (hw_type_bits(inst->types[0]) != 16 || hw_is_merged_store(inst)) return false;
    return moved->kind == HW_OPERAND_REG && hw_type_bits(m->lo->f->regs[moved->reg].type) != 16;
}

// Elements of the access, in words of what ptxas moves: vectors of bytes and half-words are words. False: not merged.
static bool find_elements(const merger *m, const hw_ptx_inst *inst, const hw_ptx_operand *moved, candidate *c) {
    uint32_t bytes = hw_type_bits(inst->types[0]) / 8, n = inst->vector ? inst->vector : 1, packed = 1;
    if (bytes < 4 && n > 1) packed = 4 / bytes;
    if (n % packed || bytes * packed > 8) return false;
    if (n == 1 && is_extended(m, inst, moved)) c->extended = (uint8_t)inst->types[0];
    for (uint32_t k = 0; k < n; k++) {
        const hw_ptx_operand *element = moved->kind == HW_OPERAND_VECTOR ? &moved->elements[k] : moved;
        if (hw_is_merged_store(inst) || is_used(m, element)) c->live |= (uint8_t)(1u << k / packed);
    }
    c->elem_bytes = (uint8_t)(bytes * packed);
    c->count = (uint8_t)(n / packed);
    return true;
}

// The base as far as it can be followed, and the offset from it. Shared variables that ptxas places have one base.
static int64_t find_base(const merger *m, const hw_ptx_operand *address, candidate *c) {
    c->base = (hw_address_origin){.reg = HW_NO_REG, .symbol = address->symbol};
    if (address->reg >= 0) c->base = m->facts.origins[address->reg];
    int64_t offset = address->offset + c->base.delta;
    const hw_ptx_symbol *symbol = c->base.symbol;
    c->base.delta = 0;
    if (symbol && symbol->space == HW_SPACE_SHARED && !symbol->is_extern) {
        offset += (int64_t)symbol->offset;
        c->base.symbol = NULL;
    }
    c->base_version = m->versions.base[c->inst];
    return offset;
}

static uint8_t alignment_of(const merger *m, const hw_ptx_operand *address, const candidate *c, int64_t offset) {
    uint8_t zeros = c->base.symbol ? hw_address_zeros_of_symbol(c->base.symbol, 0) : HW_ADDRESS_ZERO;
    if (c->base.reg >= 0) zeros = m->facts.zeros[c->base.reg];
    if (address->reg < 0) return zeros;
    for (uint32_t left = m->facts.asked[c->inst]; left; left &= left - 1) {
        uint8_t asked = (uint8_t)__builtin_ctz(left);
        bool is_of_base = (offset - address->offset) % ((int64_t)1 << asked) == 0;
        if (asked > zeros && is_of_base) zeros = asked;
    }
    return zeros;
}

static bool find_piece(const merger *m, uint32_t index, uint32_t block, candidate *c) {
    const hw_ptx_inst *inst = &m->lo->f->insts[index];
    const bool loads = hw_is_merged_load(inst);
    const hw_ptx_operand *address = hw_merged_address(inst), *moved = &inst->operands[!loads];
    *c = (candidate){.inst = index, .block = block, .reach = (uint8_t)hw_reach_of(inst),
                     .skips_l1 = m->notes[index].skips_l1};
    hw_effects effects = hw_inst_effects(inst->op, &inst->mods, inst->space, inst->guard >= 0);
    if (c->reach == HW_REACH_NONE || effects.is_strong || inst->guard >= 0) return false;
    if (address->kind != HW_OPERAND_ADDRESS || (address->reg < 0 && !address->symbol)) return false;
    if (!find_elements(m, inst, moved, c)) return false;
    int64_t offset = find_base(m, address, c);
    uint8_t zeros = alignment_of(m, address, c, offset);
    uint32_t bytes = zeros >= 4 ? PIECE_MAX_BYTES : 1u << zeros, most = c->elem_bytes * PIECE_MAX_ELEMENTS;
    if (bytes > most) bytes = most;
    uint32_t within = (uint32_t)offset & (bytes - 1);
    c->n_elems = c->count;
    c->piece = offset;
    bool fits = within % c->elem_bytes == 0 && within + c->count * c->elem_bytes <= bytes;
    if (!fits || c->extended != HW_T_NONE) return true;
    c->bytes = (uint8_t)bytes;
    c->n_elems = (uint8_t)(bytes / c->elem_bytes);
    c->piece = (offset - within) / (int64_t)bytes;
    c->first = (uint8_t)(within / c->elem_bytes);
    c->live = (uint8_t)(c->live << c->first);
    return true;
}

static uint8_t named_elements(const candidate *c) { return (uint8_t)(((1u << c->count) - 1) << c->first); }

static bool is_same_piece(const candidate *a, const candidate *b) {
    return a->reach == b->reach && a->base.reg == b->base.reg && a->base.symbol == b->base.symbol &&
           a->base_version == b->base_version && a->elem_bytes == b->elem_bytes && a->bytes == b->bytes &&
           a->n_elems == b->n_elems && a->piece == b->piece && a->version == b->version && a->skips_l1 == b->skips_l1 &&
           a->extended == b->extended;
}

// ---- groups ----

// Members of the group that touch elements of `range`, and nothing else. They become one if its elements are there, or,
// of a load that names its space, three of four.
static bool merge_range(merger *m, candidate **group, uint32_t n, uint8_t range, bool is_store) {
    candidate *first = NULL;
    uint8_t touched = 0;
    uint32_t members = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (group[i]->is_done || named_elements(group[i]) & ~range) continue;
        if (!first) first = group[i];
        touched |= group[i]->live;
        members++;
    }
    int wanted = __builtin_popcount(range);
    if (!is_store && wanted == PIECE_MAX_ELEMENTS && group[0]->reach != HW_REACH_GENERIC) wanted--;
    if (members < 2 || __builtin_popcount(touched) < wanted) return false;
    for (uint32_t i = 0; i < n; i++) {
        if (group[i]->is_done || named_elements(group[i]) & ~range) continue;
        group[i]->is_done = true;
        m->notes[group[i]->inst].merged_bytes = 0;
    }
    m->notes[first->inst].merged_bytes = (uint8_t)(__builtin_popcount(range) * first->elem_bytes);
    return true;
}

static bool merge_piece(merger *m, candidate **group, uint32_t n, bool is_store) {
    uint32_t n_elems = group[0]->n_elems;
    if (n_elems < 2) return false;
    uint8_t all = (uint8_t)((1u << n_elems) - 1);
    if (merge_range(m, group, n, all, is_store)) return true;
    if (n_elems < PIECE_MAX_ELEMENTS) return false;
    bool low = merge_range(m, group, n, 3, is_store), high = merge_range(m, group, n, 12, is_store);
    return low || high;
}

// ---- loads ----

static int compare_candidates(const void *a, const void *b) {
    const candidate *x = a, *y = b;
#define HW_BY(field) if (x->field != y->field) return x->field < y->field ? -1 : 1
    HW_BY(reach);
    HW_BY(base.reg);
    HW_BY(base.symbol);
    HW_BY(base_version);
    HW_BY(elem_bytes);
    HW_BY(bytes);
    HW_BY(extended);
    HW_BY(n_elems);
    HW_BY(piece);
    HW_BY(version);
    HW_BY(skips_l1);
    HW_BY(place);
#undef HW_BY
    return 0;
}

// Candidates behind c that it may come before on every path, of n: they stand in the order of the blocks.
static uint32_t count_behind(const merger *m, const candidate *c, uint32_t n) {
    uint32_t last = m->dominators.last[c->block], i = 1;
    while (i < n && m->lo->cfg.blocks[c[i].block].order <= last) i++;
    return i;
}

// Loads behind c that read only what c reads are dropped.
static void drop_repeated(merger *m, candidate *c, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) {
        if (c[i].is_done || c[i].first != c->first || c[i].count != c->count) continue;
        if (!hw_dominates(&m->dominators, c->block, c[i].block)) continue;
        c[i].is_done = true;
        c->live |= c[i].live;
        m->notes[c[i].inst].merged_bytes = 0;
    }
}

// The first elements of a vector, if the others are not used: two of four, or one.
static void narrow_vector(merger *m, const candidate *c) {
    uint32_t live = c->live >> c->first, used = live == 1 ? 1 : live == 3 ? 2 : c->count;
    if (c->count > used && m->notes[c->inst].merged_bytes) m->notes[c->inst].merged_bytes = used * c->elem_bytes;
}

// c[0] with those of the piece behind it that it comes before on every path, and whose elements it does not overlap.
static void merge_loads_of(merger *m, candidate *c, uint32_t n) {
    candidate *group[PIECE_MAX_ELEMENTS] = {c};
    uint32_t members = 1;
    uint8_t taken = named_elements(c);
    drop_repeated(m, c, n);
    for (uint32_t i = 1; i < n && members < PIECE_MAX_ELEMENTS; i++) {
        if (c[i].is_done || named_elements(&c[i]) & taken) continue;
        if (!hw_dominates(&m->dominators, c->block, c[i].block)) continue;
        drop_repeated(m, &c[i], n - i);
        taken |= named_elements(&c[i]);
        group[members++] = &c[i];
    }
    merge_piece(m, group, members, false);
    if (!c->is_done) narrow_vector(m, c);
    c->is_done = true;
}

static void merge_loads(merger *m) {
    candidate *c = m->loads;
    uint32_t n = m->n_loads;
    qsort(c, n, sizeof *c, compare_candidates);
    for (uint32_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && is_same_piece(&c[begin], &c[end]);) end++;
        for (uint32_t i = begin; i < end; i++)
            if (!c[i].is_done) merge_loads_of(m, &c[i], count_behind(m, &c[i], end - i));
    }
}

// ---- stores ----

static void close_run(merger *m, hw_reach reach) {
    candidate *group[PIECE_MAX_ELEMENTS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n_run[reach]; i++)
        if (!m->run[reach][i].is_done) group[n++] = &m->run[reach][i];
    m->n_run[reach] = 0;
    if (n > 1) merge_piece(m, group, n, true);
}

static void add_store(merger *m, const candidate *c) {
    candidate *run = m->run[c->reach];
    uint32_t *n = &m->n_run[c->reach];
    uint8_t taken = 0;
    for (uint32_t i = 0; i < *n; i++) taken |= named_elements(&run[i]);
    if (*n && (!is_same_piece(&run[0], c) || taken & named_elements(c))) close_run(m, c->reach);
    run[*n] = *c;
    if (*n && run[*n - 1].count > c->count) run[*n].is_done = true;
    if (*n && run[*n - 1].is_done) run[*n].is_done = true;
    ++*n;
}

static void visit_store(merger *m, uint32_t index, uint32_t block) {
    const hw_ptx_inst *inst = &m->lo->f->insts[index];
    const bool calls = hw_inst_calls(inst->op, &inst->mods, inst->types[0]);
    if (!calls && hw_op_traits(inst->op)->emitter == HW_EMIT_ARITHMETIC) return;
    const hw_effects effects = hw_inst_effects(inst->op, &inst->mods, inst->space, inst->guard >= 0);
    const uint8_t parted = calls ? HW_IN_ANY : effects.parts_stores;
    candidate c;
    bool is_candidate = hw_is_merged_store(inst) && find_piece(m, index, block, &c);
    for (hw_reach reach = 0; reach < HW_REACHES; reach++)
        if (parted & hw_reach_spaces(reach) && !(is_candidate && reach == c.reach)) close_run(m, reach);
    if (is_candidate) add_store(m, &c);
}

// ---- the function ----

static void visit_block(merger *m, uint32_t b) {
    const hw_cfg_block *block = &m->lo->cfg.blocks[b];
    m->version = m->versions.entry[b];
    for (uint32_t i = block->first; i < block->end; i++) {
        const hw_ptx_inst *inst = &m->lo->f->insts[i];
        candidate *c = &m->loads[m->n_loads];
        if (hw_is_merged_load(inst) && find_piece(m, i, b, c)) {
            c->version = m->version.of[c->reach];
            c->place = m->n_loads++;
        }
        visit_store(m, i, b);
        hw_versions_pass(inst, i, &m->version);
    }
    for (hw_reach reach = 0; reach < HW_REACHES; reach++) close_run(m, reach);
}

hw_status hw_merge(hw_lowering *lo) {
    const hw_ptx_function *f = lo->f;
    merger *m = hw_arena_take(lo->scratch, sizeof *m);
    uint32_t loads = 0;
    for (uint32_t i = 0; i < f->n_insts; i++) loads += hw_is_merged_load(&f->insts[i]);
    if (!m) return hw_diag_no_memory(lo->diag);
    m->lo = lo;
    m->notes = lo->program->notes;
    m->loads = hw_arena_take(lo->scratch, ((size_t)loads + 1) * sizeof *m->loads);
    if (!m->loads) return hw_diag_no_memory(lo->diag);
    hw_status status = hw_dominators_find(lo, &m->dominators);
    if (status == HW_OK) status = hw_address_find(lo, &m->dominators, &m->facts);
    if (status == HW_OK) status = hw_versions_find(lo, m->facts.n_defs, &m->versions);
    if (status != HW_OK) return status;
    for (uint32_t k = 0; k < lo->cfg.n_reachable; k++) visit_block(m, lo->cfg.rpo[k]);
    merge_loads(m);
    lo->dominators = &m->dominators;
    return HW_OK;
}
