// Versions of memory and of registers: every instruction that loads must not be moved across, or that writes the
// register, begins a new one, and so does a block whose predecessors end with different ones.
#include "lower/versions.h"

enum { UNKNOWN = 0, AT_ENTRY = 1, FIRST_NUMBER = 2 };    // then instructions, then blocks

hw_reach hw_reach_of(const hw_ptx_inst *inst) {
    if (inst->op != HW_OP_LD && inst->op != HW_OP_ST) return HW_REACH_NONE;
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

typedef struct def_visit {
    const hw_versions *versions;
    uint32_t *version, number;
} def_visit;

static void note_def(void *context, int32_t reg, bool is_def) {
    def_visit *v = context;
    uint32_t column = is_def ? v->versions->column_of[reg] : 0;
    if (column) v->version[column] = v->number;
}

void hw_versions_pass(const hw_versions *versions, const hw_ptx_inst *inst, uint32_t index, uint32_t *version) {
    def_visit v = {versions, version, FIRST_NUMBER + index};
    if (versions->n_columns > HW_REACHES) hw_defs_visit(inst, note_def, &v);
    if (hw_op_traits(inst->op)->emitter == HW_EMIT_ARITHMETIC) return;
    uint8_t parted = hw_inst_effects(inst->op, &inst->mods, inst->space, inst->guard >= 0).parts_loads;
    for (hw_reach reach = 0; parted && reach < HW_REACHES; reach++)
        if (parted & hw_reach_spaces(reach)) version[reach] = FIRST_NUMBER + index;
}

// ---- versions ----

// What the predecessors, and for the first block the caller, agree on; a number of the block's own where they differ.
static uint32_t version_on_entry(const hw_versions *versions, const uint32_t *exit, uint32_t b, uint32_t column,
                                 uint32_t own) {
    const hw_cfg_block *block = &versions->cfg->blocks[b];
    uint32_t found = block->order == 0 ? AT_ENTRY : UNKNOWN;
    for (uint32_t e = 0; e < block->n_preds; e++) {
        size_t from = versions->cfg->pred_edges[block->pred + e];
        uint32_t version = exit[from * versions->n_columns + column];
        if (version == UNKNOWN || version == found) continue;
        if (found != UNKNOWN) return own;
        found = version;
    }
    return found;
}

// last: by block and column, the last instruction that begins a version; 0: none.
static void find_versions(const hw_lowering *lo, hw_versions *versions, const uint32_t *last, uint32_t *exit) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 0; k < lo->cfg.n_reachable; k++) {
            uint32_t b = lo->cfg.rpo[k], own = FIRST_NUMBER + lo->f->n_insts + b;
            size_t row = (size_t)b * versions->n_columns;
            for (uint32_t column = 0; column < versions->n_columns; column++) {
                uint32_t *entry = &versions->entry[row + column], *left = &exit[row + column];
                uint32_t found = *entry == own ? own : version_on_entry(versions, exit, b, column, own);
                uint32_t then = last[row + column] ? last[row + column] : found;
                changed |= *entry != found || *left != then;
                *entry = found;
                *left = then;
            }
        }
    }
}

// ---- dominators: Cooper, Harvey, Kennedy, A Simple, Fast Dominance Algorithm (2001) ----

static uint32_t common_dominator(const hw_versions *versions, uint32_t a, uint32_t b) {
    const hw_cfg_block *blocks = versions->cfg->blocks;
    while (a != b) {
        while (blocks[a].order > blocks[b].order) a = versions->dominator[a];
        while (blocks[b].order > blocks[a].order) b = versions->dominator[b];
    }
    return a;
}

static void find_dominators(hw_versions *versions) {
    const hw_cfg *cfg = versions->cfg;
    for (uint32_t b = 0; b < cfg->n_blocks; b++) versions->dominator[b] = HW_NO_BLOCK;
    versions->dominator[cfg->rpo[0]] = cfg->rpo[0];
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 1; k < cfg->n_reachable; k++) {
            uint32_t b = cfg->rpo[k], found = HW_NO_BLOCK;
            for (uint32_t e = 0; e < cfg->blocks[b].n_preds; e++) {
                uint32_t p = cfg->pred_edges[cfg->blocks[b].pred + e];
                if (versions->dominator[p] == HW_NO_BLOCK) continue;
                found = found == HW_NO_BLOCK ? p : common_dominator(versions, found, p);
            }
            changed |= versions->dominator[b] != found;
            versions->dominator[b] = found;
        }
    }
}

bool hw_versions_dominates(const hw_versions *versions, uint32_t a, uint32_t b) {
    const hw_cfg_block *blocks = versions->cfg->blocks;
    while (blocks[b].order > blocks[a].order) b = versions->dominator[b];
    return a == b;
}

hw_status hw_versions_find(hw_lowering *lo, const uint32_t *column_of, uint32_t n_columns, hw_versions *versions) {
    const hw_cfg *cfg = &lo->cfg;
    size_t n = cfg->n_blocks, cells = n * n_columns;
    uint32_t *last = hw_arena_take(lo->scratch, cells * sizeof *last);
    uint32_t *exit = hw_arena_take(lo->scratch, cells * sizeof *exit);
    *versions = (hw_versions){.cfg = cfg, .column_of = column_of, .n_columns = n_columns,
                              .dominator = hw_arena_take(lo->scratch, n * sizeof *versions->dominator),
                              .entry = hw_arena_take(lo->scratch, cells * sizeof *versions->entry)};
    if (!last || !exit || !versions->dominator || !versions->entry) return hw_diag_no_memory(lo->diag);
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t i = cfg->blocks[b].first; i < cfg->blocks[b].end; i++)
            hw_versions_pass(versions, &lo->f->insts[i], i, last + (size_t)b * n_columns);
    find_versions(lo, versions, last, exit);
    find_dominators(versions);
    return HW_OK;
}
