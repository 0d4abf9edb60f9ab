// Versions of memory and of registers: every instruction that loads must not be moved across, or that writes the
// register, begins a new one, and so does a block whose predecessors end with different ones.
#include "lower/versions.h"

#include <stdlib.h>

enum { UNKNOWN = 0, AT_ENTRY = 1, FIRST_NUMBER = 2 };    // then instructions, then blocks
enum { MOST_STEPS = 1 << 24 };     // blocks looked at for registers, each as often as it is

hw_reach hw_reach_of(const hw_ptx_inst *inst) {
    if (!hw_op_traits(inst->op)->is_merged) return HW_REACH_NONE;
    switch (inst->space) {
    case HW_SPACE_SHARED: return HW_REACH_SHARED;
    case HW_SPACE_GLOBAL: return hw_has_mod(&inst->mods, HW_M_NC) ? HW_REACH_CONSTANT : HW_REACH_GLOBAL;
    case HW_SPACE_GENERIC: return HW_REACH_GENERIC;
    default: return HW_REACH_NONE;
    }
}

uint8_t hw_reach_spaces(hw_reach reach) {
    static const uint8_t spaces[HW_REACHES] = {HW_IN(HW_SPACE_SHARED), HW_IN(HW_SPACE_GLOBAL), HW_IN_GENERIC, 0};
    return spaces[reach];
}

int32_t hw_reach_register(const hw_ptx_inst *inst) {
    if (hw_reach_of(inst) == HW_REACH_NONE) return HW_NO_REG;
    const hw_ptx_operand *address = hw_merged_address(inst);
    return address->kind == HW_OPERAND_ADDRESS && address->reg >= 0 ? address->reg : HW_NO_REG;
}

static uint32_t number_of_inst(uint32_t index) { return FIRST_NUMBER + index; }
static uint32_t number_of_block(const hw_lowering *lo, uint32_t b) { return FIRST_NUMBER + lo->f->n_insts + b; }

// ---- memory ----

void hw_versions_pass(const hw_ptx_inst *inst, uint32_t index, hw_version_set *version) {
    const bool calls = hw_inst_calls(inst->op, &inst->mods, inst->types[0]);
    if (!calls && hw_op_traits(inst->op)->emitter == HW_EMIT_ARITHMETIC) return;
    const hw_effects effects = hw_inst_effects(inst->op, &inst->mods, inst->space, inst->guard >= 0);
    const uint8_t parted = calls ? HW_IN_ANY : effects.parts_loads;
    for (hw_reach reach = 0; parted && reach < HW_REACHES; reach++)
        if (parted & hw_reach_spaces(reach)) version->of[reach] = number_of_inst(index);
}

// What the predecessors, and for the first block the caller, agree on; a number of the block's own where they differ.
static uint32_t version_on_entry(const hw_lowering *lo, const hw_version_set *exit, uint32_t b, hw_reach reach) {
    const hw_cfg_block *block = &lo->cfg.blocks[b];
    uint32_t found = block->order == 0 ? AT_ENTRY : UNKNOWN;
    for (uint32_t e = 0; e < block->n_preds; e++) {
        uint32_t version = exit[lo->cfg.pred_edges[block->pred + e]].of[reach];
        if (version == UNKNOWN || version == found) continue;
        if (found != UNKNOWN) return number_of_block(lo, b);
        found = version;
    }
    return found;
}

// last: by block, the last instruction that begins a version; 0: none.
static void find_memory(const hw_lowering *lo, hw_versions *versions, const hw_version_set *last,
                        hw_version_set *exit) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 0; k < lo->cfg.n_reachable; k++) {
            uint32_t b = lo->cfg.rpo[k], own = number_of_block(lo, b);
            for (hw_reach reach = 0; reach < HW_REACHES; reach++) {
                uint32_t *entry = &versions->entry[b].of[reach], *left = &exit[b].of[reach];
                uint32_t found = *entry == own ? own : version_on_entry(lo, exit, b, reach);
                uint32_t then = last[b].of[reach] ? last[b].of[reach] : found;
                changed |= *entry != found || *left != then;
                *entry = found;
                *left = then;
            }
        }
    }
}

// ---- registers ----
//
// One register after the other, in the blocks that it is alive in: from those that use it before they write it, back to
// those that write it.

typedef struct base_event {
    uint32_t inst, block;
    bool is_def;                   // else an access goes through the register
} base_event;

typedef struct bases {
    hw_lowering *lo;
    hw_versions *versions;
    const uint8_t *n_defs;
    uint8_t *is_followed;          // by register: accesses go through it, and several instructions write it
    uint32_t *first, *next;        // events of register r: events[first[r] .. first[r + 1])
    base_event *events;            // NULL while they are counted
    // By block, for the register at work: its number + 1 where it is alive at the beginning, or is written; versions
    uint32_t *alive_in, *written_in, *entry, *last;
    uint32_t *alive, n_alive;      // blocks
    uint64_t steps;
    uint32_t inst, block;          // whose events are collected
} bases;

static void add_event(bases *b, int32_t reg, bool is_def) {
    if (reg < 0 || !b->is_followed[reg]) return;
    if (!b->events) b->first[reg + 1]++;
    else b->events[b->next[reg]++] = (base_event){.inst = b->inst, .block = b->block, .is_def = is_def};
}

static void add_def(void *context, int32_t reg, bool is_def) {
    if (is_def) add_event(context, reg, true);
}

static void collect_events(bases *b) {
    const hw_cfg *cfg = &b->lo->cfg;
    for (uint32_t k = 0; k < cfg->n_reachable; k++) {
        b->block = cfg->rpo[k];
        for (b->inst = cfg->blocks[b->block].first; b->inst < cfg->blocks[b->block].end; b->inst++) {
            add_event(b, hw_reach_register(&b->lo->f->insts[b->inst]), false);
            hw_defs_visit(&b->lo->f->insts[b->inst], add_def, b);
        }
    }
}

static void mark_alive(bases *b, uint32_t block, uint32_t mark) {
    if (b->alive_in[block] == mark) return;
    b->alive_in[block] = mark;
    b->entry[block] = UNKNOWN;
    b->alive[b->n_alive++] = block;
}

// Where the register is written, and where it is alive.
static void find_alive(bases *b, uint32_t reg) {
    const hw_cfg *cfg = &b->lo->cfg;
    uint32_t mark = reg + 1;
    b->n_alive = 0;
    for (uint32_t k = b->first[reg]; k < b->first[reg + 1]; k++) {
        const base_event *event = &b->events[k];
        if (!event->is_def && b->written_in[event->block] != mark) mark_alive(b, event->block, mark);
        if (!event->is_def) continue;
        b->written_in[event->block] = mark;
        b->last[event->block] = number_of_inst(event->inst);
    }
    for (uint32_t n = 0; n < b->n_alive; n++) {
        const hw_cfg_block *block = &cfg->blocks[b->alive[n]];
        b->steps += block->n_preds;
        for (uint32_t e = 0; e < block->n_preds; e++) {
            uint32_t p = cfg->pred_edges[block->pred + e];
            if (b->written_in[p] != mark) mark_alive(b, p, mark);
        }
    }
}

static uint32_t base_on_entry(const bases *b, uint32_t at, uint32_t mark) {
    const hw_cfg *cfg = &b->lo->cfg;
    const hw_cfg_block *block = &cfg->blocks[at];
    uint32_t found = block->order == 0 ? AT_ENTRY : UNKNOWN;
    for (uint32_t e = 0; e < block->n_preds; e++) {
        uint32_t p = cfg->pred_edges[block->pred + e], version = b->written_in[p] == mark ? b->last[p] : b->entry[p];
        if (version == UNKNOWN || version == found) continue;
        if (found != UNKNOWN) return number_of_block(b->lo, at);
        found = version;
    }
    return found;
}

static int compare_numbers(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Blocks are taken in reverse post-order, by their places in it.
static void find_entries(bases *b, uint32_t reg) {
    const hw_cfg *cfg = &b->lo->cfg;
    for (uint32_t n = 0; n < b->n_alive; n++) b->alive[n] = cfg->blocks[b->alive[n]].order;
    qsort(b->alive, b->n_alive, sizeof *b->alive, compare_numbers);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = 0; n < b->n_alive; n++) {
            uint32_t at = cfg->rpo[b->alive[n]], own = number_of_block(b->lo, at);
            uint32_t found = b->entry[at] == own ? own : base_on_entry(b, at, reg + 1);
            b->steps += cfg->blocks[at].n_preds;
            changed |= b->entry[at] != found;
            b->entry[at] = found;
        }
    }
}

static void number_accesses(bases *b, uint32_t reg, bool is_known) {
    uint32_t block = HW_NO_BLOCK, version = UNKNOWN;
    for (uint32_t k = b->first[reg]; k < b->first[reg + 1]; k++) {
        const base_event *event = &b->events[k];
        if (event->block != block) {
            block = event->block;
            version = is_known ? b->entry[block] : number_of_block(b->lo, block);
        }
        if (event->is_def) version = number_of_inst(event->inst);
        else b->versions->base[event->inst] = version;
    }
}

static bool take_bases(bases *b) {
    hw_arena *scratch = b->lo->scratch;
    size_t n_regs = (size_t)b->lo->f->n_regs + 1, n_blocks = b->lo->cfg.n_blocks;
    uint32_t **per_block[] = {&b->alive_in, &b->written_in, &b->entry, &b->last, &b->alive};
    for (unsigned k = 0; k < sizeof per_block / sizeof *per_block; k++) {
        *per_block[k] = hw_arena_take(scratch, n_blocks * sizeof(uint32_t));
        if (!*per_block[k]) return false;
    }
    b->is_followed = hw_arena_take(scratch, n_regs);
    b->first = hw_arena_take(scratch, n_regs * sizeof *b->first);
    b->next = hw_arena_take(scratch, n_regs * sizeof *b->next);
    return b->is_followed && b->first && b->next;
}

static hw_status find_bases(hw_lowering *lo, const uint8_t *n_defs, hw_versions *versions) {
    const hw_ptx_function *f = lo->f;
    bases b = {.lo = lo, .versions = versions, .n_defs = n_defs};
    if (!take_bases(&b)) return hw_diag_no_memory(lo->diag);
    for (uint32_t i = 0; i < f->n_insts; i++) {
        int32_t reg = hw_reach_register(&f->insts[i]);
        if (reg >= 0 && n_defs[reg] > 1) b.is_followed[reg] = 1;
    }
    collect_events(&b);
    for (uint32_t r = 0; r < f->n_regs; r++) b.next[r + 1] = b.first[r + 1] += b.first[r];
    b.events = hw_arena_take(lo->scratch, ((size_t)b.first[f->n_regs] + 1) * sizeof *b.events);
    if (!b.events) return hw_diag_no_memory(lo->diag);
    collect_events(&b);
    for (uint32_t r = 0; r < f->n_regs; r++) {
        if (!b.is_followed[r]) continue;
        bool is_known = b.steps < MOST_STEPS;
        if (is_known) find_alive(&b, r);
        if (is_known) find_entries(&b, r);
        number_accesses(&b, r, is_known);
    }
    return HW_OK;
}

// ---- both ----

hw_status hw_versions_find(hw_lowering *lo, const uint8_t *n_defs, hw_versions *versions) {
    const hw_cfg *cfg = &lo->cfg;
    size_t n = cfg->n_blocks;
    hw_version_set *last = hw_arena_take(lo->scratch, n * sizeof *last);
    hw_version_set *exit = hw_arena_take(lo->scratch, n * sizeof *exit);
    versions->entry = hw_arena_take(lo->scratch, n * sizeof *versions->entry);
    versions->base = hw_arena_take(lo->scratch, ((size_t)lo->f->n_insts + 1) * sizeof *versions->base);
    if (!last || !exit || !versions->entry || !versions->base) return hw_diag_no_memory(lo->diag);
    for (uint32_t b = 0; b < n; b++) {
        for (uint32_t i = cfg->blocks[b].first; i < cfg->blocks[b].end; i++)
            hw_versions_pass(&lo->f->insts[i], i, &last[b]);
        exit[b] = last[b];
    }
    find_memory(lo, versions, last, exit);
    return find_bases(lo, n_defs, versions);
}
