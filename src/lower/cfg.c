// Control flow of one function: basic blocks, an order for passes over them, and where diverged lanes meet again.
#include <string.h>

#include "lower/lowering.h"

// hw_inst.count has 16 bits: longer straight-line code is cut into several blocks.
enum { MAX_BLOCK_INSTS = 60000 };

bool hw_cfg_is_skippable(const hw_ptx_inst *inst) {
    return inst->guard >= 0 && hw_op_traits(inst->op)->is_unmaskable;
}

static hw_flow flow_of(const hw_ptx_inst *inst) { return (hw_flow)hw_op_traits(inst->op)->flow; }

static uint32_t block_of_label(const hw_ptx_function *f, uint32_t label) {
    return label < f->n_insts ? label : f->n_insts;
}

static uint8_t *find_leaders(hw_arena *scratch, const hw_ptx_function *f, size_t *n_blocks, size_t *n_edges) {
    uint8_t *leader = hw_arena_take(scratch, (size_t)f->n_insts + 1);
    if (!leader) return NULL;
    size_t cuts = 2 + f->n_insts / MAX_BLOCK_INSTS, targets = 0;
    for (uint32_t i = 0; i < f->n_insts; i++) {
        const hw_ptx_inst *inst = &f->insts[i];
        hw_flow flow = flow_of(inst);
        if (flow == HW_FLOW_LABEL) leader[block_of_label(f, inst->operands[0].label)] = 1;
        if (flow == HW_FLOW_TABLE) {
            for (uint32_t t = 0; t < inst->n_targets; t++) leader[block_of_label(f, inst->targets[t])] = 1;
            targets += inst->n_targets;
        }
        if (flow != HW_FLOW_ON) cuts++;
        if (hw_cfg_is_skippable(inst)) cuts += 2;
    }
    for (uint32_t i = 0; i < f->n_insts; i++) cuts += leader[i];
    *n_blocks = cuts;
    *n_edges = 2 * cuts + targets;
    return leader;
}

static void cut_into_blocks(const hw_ptx_function *f, const uint8_t *leader, hw_cfg *cfg) {
    uint32_t i = 0, n = 0;
    while (i < f->n_insts) {
        uint32_t start = i;
        bool skips = false;
        cfg->block_at[start] = n;
        for (; i < f->n_insts; i++) {
            if (i > start && (leader[i] || i - start >= MAX_BLOCK_INSTS)) break;
            skips = hw_cfg_is_skippable(&f->insts[i]);
            if (skips) break;
            if (flow_of(&f->insts[i]) != HW_FLOW_ON) {
                i++;
                break;
            }
        }
        cfg->blocks[n++] = (hw_cfg_block){.first = start, .end = i, .skips = skips};
        if (skips) {
            cfg->blocks[n++] = (hw_cfg_block){.first = i, .end = i + 1, .is_skipped = true};
            i++;
        }
    }
    cfg->block_at[f->n_insts] = n;
    cfg->blocks[n++] = (hw_cfg_block){.first = f->n_insts, .end = f->n_insts};
    cfg->n_blocks = n;
}

static void connect_blocks(const hw_ptx_function *f, hw_cfg *cfg) {
    uint32_t n = 0;
    for (uint32_t b = 0; b < cfg->n_blocks; b++) {
        hw_cfg_block *block = &cfg->blocks[b];
        block->succ = n;
        if (block->skips) {
            cfg->edges[n++] = b + 2;
            cfg->edges[n++] = b + 1;
        } else if (block->end > block->first) {
            const hw_ptx_inst *last = &f->insts[block->end - 1];
            hw_flow flow = flow_of(last);
            if (flow == HW_FLOW_LABEL) cfg->edges[n++] = cfg->block_at[block_of_label(f, last->operands[0].label)];
            if (flow == HW_FLOW_TABLE)
                for (uint32_t t = 0; t < last->n_targets; t++)
                    cfg->edges[n++] = cfg->block_at[block_of_label(f, last->targets[t])];
            bool goes_on = flow == HW_FLOW_ON || flow == HW_FLOW_CALL || (flow == HW_FLOW_LABEL && last->guard >= 0);
            if (goes_on) cfg->edges[n++] = b + 1;
        }
        block->n_succs = n - block->succ;
    }
}

// Depth first from the entry, with a stack of our own: programs may be deep.
static hw_status order_blocks(hw_arena *scratch, hw_cfg *cfg, hw_diag *diag) {
    uint32_t n = cfg->n_blocks, depth = 0, left = n;
    uint32_t *stack = hw_arena_take(scratch, n * sizeof *stack), *next = hw_arena_take(scratch, n * sizeof *next);
    uint32_t *order = hw_arena_take(scratch, n * sizeof *order);
    uint8_t *seen = hw_arena_take(scratch, n);
    if (!stack || !next || !order || !seen) return hw_diag_no_memory(diag);
    stack[depth++] = 0;
    seen[0] = 1;
    while (depth) {
        uint32_t b = stack[depth - 1];
        hw_cfg_block *block = &cfg->blocks[b];
        if (next[b] < block->n_succs) {
            uint32_t s = cfg->edges[block->succ + next[b]++];
            if (!seen[s]) {
                seen[s] = 1;
                stack[depth++] = s;
            }
        } else {
            order[--left] = b;
            depth--;
        }
    }
    cfg->rpo = order + left;
    cfg->n_reachable = n - left;
    for (uint32_t b = 0; b < n; b++) cfg->blocks[b].order = HW_NO_BLOCK;
    for (uint32_t k = 0; k < cfg->n_reachable; k++) cfg->blocks[cfg->rpo[k]].order = k;
    return HW_OK;
}

static void find_predecessors(hw_cfg *cfg) {
    for (uint32_t k = 0; k < cfg->n_reachable; k++) {
        const hw_cfg_block *block = &cfg->blocks[cfg->rpo[k]];
        for (uint32_t e = 0; e < block->n_succs; e++) cfg->blocks[cfg->edges[block->succ + e]].n_preds++;
    }
    uint32_t n = 0;
    for (uint32_t b = 0; b < cfg->n_blocks; b++) {
        cfg->blocks[b].pred = n;
        n += cfg->blocks[b].n_preds;
        cfg->blocks[b].n_preds = 0;
    }
    for (uint32_t k = 0; k < cfg->n_reachable; k++) {
        const hw_cfg_block *block = &cfg->blocks[cfg->rpo[k]];
        for (uint32_t e = 0; e < block->n_succs; e++) {
            hw_cfg_block *to = &cfg->blocks[cfg->edges[block->succ + e]];
            cfg->pred_edges[to->pred + to->n_preds++] = cfg->rpo[k];
        }
    }
}

// ---- reconvergence points: immediate post-dominators ----
//
// A branch's lanes meet at its immediate post-dominator. Lanes that leave at once (a conditional branch to a bare ret,
// a guarded exit, a trap) do not keep the others from meeting: that edge is left out of the graph, as hardware takes
// exited lanes off its convergence barriers. Parts of the graph that cannot reach an exit then get their edges back,
// or, being endless loops, one edge to the exit.

typedef struct post_dominance {
    const hw_ptx_function *f;
    hw_cfg *cfg;
    uint8_t *is_dead_end;
    uint8_t *keeps_all;            // by block: its edges are all in the graph
    uint8_t *to_exit;              // by block: has an edge to the virtual exit
    uint32_t *number;              // post-order number in the reverse graph
    uint32_t *idom, *order, *stack, *next;
    uint8_t *seen;
} post_dominance;

static bool is_dead_end(const hw_ptx_function *f, const hw_cfg_block *block) {
    if (block->skips) return false;
    if (block->first == block->end) return true;
    hw_flow last = flow_of(&f->insts[block->end - 1]);
    return last == HW_FLOW_STOP || (last == HW_FLOW_LEAVE && block->end - block->first == 1);
}

static bool has_edge(const post_dominance *j, uint32_t from, uint32_t to) {
    const hw_cfg_block *block = &j->cfg->blocks[from];
    if (block->n_succs != 2 || j->keeps_all[from] || !j->is_dead_end[to]) return true;
    if (!block->skips && flow_of(&j->f->insts[block->end - 1]) != HW_FLOW_LABEL) return true;
    const uint32_t *succ = j->cfg->edges + block->succ;
    return j->is_dead_end[succ[0] == to ? succ[1] : succ[0]];
}

static bool has_dropped_edge(const post_dominance *j, uint32_t b) {
    const hw_cfg_block *block = &j->cfg->blocks[b];
    for (uint32_t e = 0; e < block->n_succs; e++)
        if (!has_edge(j, b, j->cfg->edges[block->succ + e])) return true;
    return false;
}

static void mark_reaching_exit(post_dominance *j, uint32_t from) {
    uint32_t depth = 0;
    if (j->seen[from]) return;
    j->seen[from] = 1;
    j->stack[depth++] = from;
    while (depth) {
        uint32_t b = j->stack[--depth];
        const hw_cfg_block *block = &j->cfg->blocks[b];
        for (uint32_t e = 0; e < block->n_preds; e++) {
            uint32_t p = j->cfg->pred_edges[block->pred + e];
            if (j->seen[p] || !has_edge(j, p, b)) continue;
            j->seen[p] = 1;
            j->stack[depth++] = p;
        }
    }
}

static void make_all_reach_exit(post_dominance *j) {
    const hw_cfg *cfg = j->cfg;
    for (uint32_t k = 0; k < cfg->n_reachable; k++) {
        uint32_t b = cfg->rpo[k];
        if (cfg->blocks[b].n_succs) continue;
        j->to_exit[b] = 1;
        mark_reaching_exit(j, b);
    }
    for (uint32_t k = cfg->n_reachable; k-- > 0;) {
        uint32_t b = cfg->rpo[k];
        if (j->seen[b] || !has_dropped_edge(j, b)) continue;
        j->keeps_all[b] = 1;
        mark_reaching_exit(j, b);
    }
    for (uint32_t k = cfg->n_reachable; k-- > 0;) {
        uint32_t b = cfg->rpo[k];
        if (j->seen[b]) continue;
        j->to_exit[b] = 1;
        mark_reaching_exit(j, b);
    }
}

// Post-order numbers of the reverse graph, from the virtual exit; order[] lists blocks in reverse post-order.
static uint32_t number_backwards(post_dominance *j) {
    const hw_cfg *cfg = j->cfg;
    uint32_t count = 0, left = cfg->n_blocks;
    memset(j->seen, 0, cfg->n_blocks);
    for (uint32_t k = 0; k < cfg->n_reachable; k++) {
        uint32_t root = cfg->rpo[k], depth = 0;
        if (!j->to_exit[root] || j->seen[root]) continue;
        j->seen[root] = 1;
        j->stack[depth++] = root;
        while (depth) {
            uint32_t b = j->stack[depth - 1];
            const hw_cfg_block *block = &cfg->blocks[b];
            if (j->next[b] < block->n_preds) {
                uint32_t p = cfg->pred_edges[block->pred + j->next[b]++];
                if (j->seen[p] || !has_edge(j, p, b)) continue;
                j->seen[p] = 1;
                j->stack[depth++] = p;
            } else {
                j->number[b] = count++;
                j->order[--left] = b;
                depth--;
            }
        }
    }
    j->number[cfg->n_blocks] = count;
    return left;
}

static uint32_t common_dominator(const post_dominance *j, uint32_t a, uint32_t b) {
    while (a != b) {
        while (j->number[a] < j->number[b]) a = j->idom[a];
        while (j->number[b] < j->number[a]) b = j->idom[b];
    }
    return a;
}

// Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm (2001), on the reverse graph.
static void find_post_dominators(post_dominance *j, uint32_t first) {
    const hw_cfg *cfg = j->cfg;
    uint32_t exit = cfg->n_blocks;
    for (uint32_t b = 0; b < exit; b++) j->idom[b] = HW_NO_BLOCK;
    j->idom[exit] = exit;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = first; k < exit; k++) {
            uint32_t b = j->order[k], found = j->to_exit[b] ? exit : HW_NO_BLOCK;
            const hw_cfg_block *block = &cfg->blocks[b];
            for (uint32_t e = 0; e < block->n_succs; e++) {
                uint32_t s = cfg->edges[block->succ + e];
                if (j->idom[s] == HW_NO_BLOCK || !has_edge(j, b, s)) continue;
                found = found == HW_NO_BLOCK ? s : common_dominator(j, found, s);
            }
            if (j->idom[b] == found) continue;
            j->idom[b] = found;
            changed = true;
        }
    }
}

static hw_status find_reconvergence(hw_arena *scratch, const hw_ptx_function *f, hw_cfg *cfg, hw_diag *diag) {
    size_t n = (size_t)cfg->n_blocks + 1;
    post_dominance j = {.f = f, .cfg = cfg,
                        .is_dead_end = hw_arena_take(scratch, n), .keeps_all = hw_arena_take(scratch, n),
                        .to_exit = hw_arena_take(scratch, n), .seen = hw_arena_take(scratch, n),
                        .number = hw_arena_take(scratch, n * 4), .idom = hw_arena_take(scratch, n * 4),
                        .order = hw_arena_take(scratch, n * 4), .stack = hw_arena_take(scratch, n * 4),
                        .next = hw_arena_take(scratch, n * 4)};
    if (!j.is_dead_end || !j.keeps_all || !j.to_exit || !j.seen || !j.number || !j.idom || !j.order || !j.stack ||
        !j.next)
        return hw_diag_no_memory(diag);
    for (uint32_t b = 0; b < cfg->n_blocks; b++) j.is_dead_end[b] = is_dead_end(f, &cfg->blocks[b]);
    make_all_reach_exit(&j);
    find_post_dominators(&j, number_backwards(&j));
    for (uint32_t b = 0; b < cfg->n_blocks; b++) {
        uint32_t reconverge = cfg->blocks[b].order == HW_NO_BLOCK ? HW_NO_BLOCK : j.idom[b];
        cfg->blocks[b].reconverge = reconverge == cfg->n_blocks ? HW_NO_BLOCK : reconverge;
    }
    return HW_OK;
}

hw_status hw_cfg_build(hw_arena *scratch, const hw_ptx_function *f, hw_cfg *cfg, hw_diag *diag) {
    size_t n_blocks, n_edges;
    const uint8_t *leader = find_leaders(scratch, f, &n_blocks, &n_edges);
    if (!leader) return hw_diag_no_memory(diag);
    cfg->blocks = hw_arena_take(scratch, n_blocks * sizeof *cfg->blocks);
    cfg->edges = hw_arena_take(scratch, n_edges * sizeof *cfg->edges);
    cfg->pred_edges = hw_arena_take(scratch, n_edges * sizeof *cfg->pred_edges);
    cfg->block_at = hw_arena_take(scratch, ((size_t)f->n_insts + 1) * sizeof *cfg->block_at);
    if (!cfg->blocks || !cfg->edges || !cfg->pred_edges || !cfg->block_at) return hw_diag_no_memory(diag);
    cut_into_blocks(f, leader, cfg);
    connect_blocks(f, cfg);
    hw_status status = order_blocks(scratch, cfg, diag);
    if (status != HW_OK) return status;
    find_predecessors(cfg);
    return find_reconvergence(scratch, f, cfg, diag);
}
