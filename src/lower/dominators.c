// Dominators: Cooper, Harvey, Kennedy, A Simple, Fast Dominance Algorithm (2001); and their tree in preorder, where
// what a block dominates follows it.
#include "lower/dominators.h"

static uint32_t common_dominator(const hw_cfg *cfg, const uint32_t *parent, uint32_t a, uint32_t b) {
    const hw_cfg_block *blocks = cfg->blocks;
    while (a != b) {
        while (blocks[a].order > blocks[b].order) a = parent[a];
        while (blocks[b].order > blocks[a].order) b = parent[b];
    }
    return a;
}

static void find_parents(const hw_cfg *cfg, uint32_t *parent) {
    for (uint32_t b = 0; b < cfg->n_blocks; b++) parent[b] = HW_NO_BLOCK;
    parent[cfg->rpo[0]] = cfg->rpo[0];
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 1; k < cfg->n_reachable; k++) {
            uint32_t b = cfg->rpo[k], found = HW_NO_BLOCK;
            for (uint32_t e = 0; e < cfg->blocks[b].n_preds; e++) {
                uint32_t p = cfg->pred_edges[cfg->blocks[b].pred + e];
                if (parent[p] == HW_NO_BLOCK) continue;
                found = found == HW_NO_BLOCK ? p : common_dominator(cfg, parent, found, p);
            }
            changed |= parent[b] != found;
            parent[b] = found;
        }
    }
}

// A block's dominator comes before it in reverse post-order. next: room for a number by block.
static void number_blocks(const hw_cfg *cfg, hw_dominators *d, uint32_t *next) {
    for (uint32_t k = cfg->n_reachable; k-- > 0;) {
        uint32_t b = cfg->rpo[k], parent = d->parent[b];
        d->below[b]++;
        if (d->last[b] < k) d->last[b] = k;
        if (!k) continue;
        d->below[parent] += d->below[b];
        if (d->last[parent] < d->last[b]) d->last[parent] = d->last[b];
    }
    for (uint32_t k = 0; k < cfg->n_reachable; k++) {
        uint32_t b = cfg->rpo[k], *place = &next[d->parent[b]];
        d->preorder[b] = k ? *place : 0;
        if (k) *place += d->below[b];
        next[b] = d->preorder[b] + 1;
        d->at[d->preorder[b]] = b;
    }
}

hw_status hw_dominators_find(hw_lowering *lo, hw_dominators *out) {
    size_t n = (size_t)lo->cfg.n_blocks;
    uint32_t *next = hw_arena_take(lo->scratch, n * sizeof *next);
    *out = (hw_dominators){.parent = hw_arena_take(lo->scratch, n * 4), .preorder = hw_arena_take(lo->scratch, n * 4),
                           .below = hw_arena_take(lo->scratch, n * 4), .last = hw_arena_take(lo->scratch, n * 4),
                           .at = hw_arena_take(lo->scratch, n * 4)};
    if (!next || !out->parent || !out->preorder || !out->below || !out->last || !out->at)
        return hw_diag_no_memory(lo->diag);
    find_parents(&lo->cfg, out->parent);
    number_blocks(&lo->cfg, out, next);
    return HW_OK;
}
