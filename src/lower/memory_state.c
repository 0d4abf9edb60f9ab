// Versions of memory: every instruction that loads must not be moved across begins a new one, and so does a block whose
// predecessors end with different ones.
#include "lower/memory_state.h"

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

void hw_memory_state_pass(const hw_ptx_inst *inst, uint32_t index, uint32_t version[HW_REACHES]) {
    uint8_t parted = hw_inst_effects(inst->op, &inst->mods, inst->space, inst->guard >= 0).parts_loads;
    if (!parted) return;
    for (hw_reach reach = 0; reach < HW_REACHES; reach++)
        if (parted & hw_reach_spaces(reach)) version[reach] = FIRST_NUMBER + index;
}

// ---- versions ----

// What the predecessors, and for the first block the caller, agree on; a number of the block's own where they differ.
static uint32_t meet(const hw_memory_state *state, uint32_t (*exit)[HW_REACHES], uint32_t b, hw_reach reach,
                     uint32_t own) {
    const hw_cfg_block *block = &state->cfg->blocks[b];
    uint32_t found = block->order == 0 ? AT_ENTRY : UNKNOWN;
    for (uint32_t e = 0; e < block->n_preds; e++) {
        uint32_t version = exit[state->cfg->pred_edges[block->pred + e]][reach];
        if (version == UNKNOWN || version == found) continue;
        if (found != UNKNOWN) return own;
        found = version;
    }
    return found;
}

static void find_versions(const hw_lowering *lo, hw_memory_state *state, uint32_t (*last)[HW_REACHES],
                          uint32_t (*exit)[HW_REACHES]) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 0; k < lo->cfg.n_reachable; k++) {
            uint32_t b = lo->cfg.rpo[k], own = FIRST_NUMBER + lo->f->n_insts + b;
            for (hw_reach reach = 0; reach < HW_REACHES; reach++) {
                uint32_t *entry = &state->entry[b][reach];
                uint32_t found = *entry == own ? own : meet(state, exit, b, reach, own);
                uint32_t left = last[b][reach] ? last[b][reach] : found;
                changed |= *entry != found || exit[b][reach] != left;
                *entry = found;
                exit[b][reach] = left;
            }
        }
    }
}

// ---- dominators: Cooper, Harvey, Kennedy, A Simple, Fast Dominance Algorithm (2001) ----

static uint32_t common_dominator(const hw_memory_state *state, uint32_t a, uint32_t b) {
    const hw_cfg_block *blocks = state->cfg->blocks;
    while (a != b) {
        while (blocks[a].order > blocks[b].order) a = state->dominator[a];
        while (blocks[b].order > blocks[a].order) b = state->dominator[b];
    }
    return a;
}

static void find_dominators(hw_memory_state *state) {
    const hw_cfg *cfg = state->cfg;
    for (uint32_t b = 0; b < cfg->n_blocks; b++) state->dominator[b] = HW_NO_BLOCK;
    state->dominator[cfg->rpo[0]] = cfg->rpo[0];
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 1; k < cfg->n_reachable; k++) {
            uint32_t b = cfg->rpo[k], found = HW_NO_BLOCK;
            for (uint32_t e = 0; e < cfg->blocks[b].n_preds; e++) {
                uint32_t p = cfg->pred_edges[cfg->blocks[b].pred + e];
                if (state->dominator[p] == HW_NO_BLOCK) continue;
                found = found == HW_NO_BLOCK ? p : common_dominator(state, found, p);
            }
            changed |= state->dominator[b] != found;
            state->dominator[b] = found;
        }
    }
}

bool hw_memory_state_dominates(const hw_memory_state *state, uint32_t a, uint32_t b) {
    const hw_cfg_block *blocks = state->cfg->blocks;
    while (blocks[b].order > blocks[a].order) b = state->dominator[b];
    return a == b;
}

hw_status hw_memory_state_find(hw_lowering *lo, hw_memory_state *state) {
    const hw_cfg *cfg = &lo->cfg;
    size_t n = cfg->n_blocks, row = sizeof *state->entry;
    uint32_t (*last)[HW_REACHES] = hw_arena_take(lo->scratch, n * row);
    uint32_t (*exit)[HW_REACHES] = hw_arena_take(lo->scratch, n * row);
    *state = (hw_memory_state){.cfg = cfg, .dominator = hw_arena_take(lo->scratch, n * sizeof *state->dominator),
                               .entry = hw_arena_take(lo->scratch, n * row)};
    if (!last || !exit || !state->dominator || !state->entry) return hw_diag_no_memory(lo->diag);
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t i = cfg->blocks[b].first; i < cfg->blocks[b].end; i++)
            hw_memory_state_pass(&lo->f->insts[i], i, last[b]);
    find_versions(lo, state, last, exit);
    find_dominators(state);
    return HW_OK;
}
