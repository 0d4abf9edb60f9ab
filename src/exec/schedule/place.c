#include "exec/schedule/place.h"

#include <string.h>

static bool is_same(const hw_place *a, const hw_place *b) {
    return a->file == b->file && a->line == b->line && a->state == b->state && a->barrier == b->barrier;
}

// seen: the places, by their index, that the warp has been counted at: two of its paths may be at one.
static void add_place(hw_place *places, uint32_t most, uint32_t *n, hw_place here, uint32_t mask, uint64_t *seen) {
    uint32_t i = 0;
    if (!mask) return;
    while (i < *n && !is_same(&places[i], &here)) i++;
    if (i == most) return;
    if (i == *n) places[(*n)++] = here;
    places[i].threads += (uint32_t)__builtin_popcount(mask);
    if (i < 64 && *seen >> i & 1) return;
    places[i].warps++;
    if (i < 64) *seen |= (uint64_t)1 << i;
}

static hw_place place_of(const hw_state *s, const hw_inst *pc, hw_place_state state, uint32_t mask, uint8_t barrier) {
    hw_place here = {.state = state, .barrier = barrier, .note = pc->note, .first = s, .mask = mask};
    hw_fault_place(s->run, pc, &here.file, &here.line);
    return here;
}

static void add_warp(const hw_state *s, hw_place *places, uint32_t most, uint32_t *n) {
    static const hw_place_state states[] = {[HW_PATH_READY] = HW_PLACE_RUNS, [HW_PATH_AT_BARRIER] = HW_PLACE_AT_BARRIER,
                                            [HW_PATH_AT_SYNC] = HW_PLACE_AT_SYNC};
    uint64_t seen = 0;            // places that this warp is counted at
    uint32_t left = s->live;
    if (s->is_ready) {
        add_place(places, most, n, place_of(s, s->pc, HW_PLACE_RUNS, s->warp.mask, 0), s->warp.mask, &seen);
        left &= ~s->warp.mask;
    }
    for (uint32_t k = 0; k < s->n_paths; k++) {
        const hw_path *path = &s->paths[k];
        const uint8_t barrier = path->state == HW_PATH_AT_BARRIER ? path->barrier : 0;
        add_place(places, most, n, place_of(s, path->pc, states[path->state], path->mask, barrier), path->mask, &seen);
        left &= ~path->mask;
    }
    add_place(places, most, n, (hw_place){.state = HW_PLACE_RECONVERGES}, left, &seen);
}

void hw_places_add(const hw_block *block, hw_place *places, uint32_t most, uint32_t *n) {
    for (uint32_t i = 0; block->is_running && i < block->n_warps; i++)
        if (block->warps[i].live) add_warp(&block->warps[i], places, most, n);
}

void hw_places_tell_stuck(const hw_worker *worker, const hw_place *places, uint32_t n, hw_stuck stuck) {
    static const hw_stuck_why whys[] = {[HW_PLACE_RUNS] = HW_STUCK_GOES_ROUND,
                                        [HW_PLACE_AT_BARRIER] = HW_STUCK_AT_BARRIER,
                                        [HW_PLACE_AT_SYNC] = HW_STUCK_AT_SYNC};
    enum { MOST = 16 };
    hw_stuck_group groups[MOST];
    stuck.groups = groups;
    if (!(worker->run->events & HW_WANTS(STUCK))) return;
    for (uint32_t i = 0; i < n && stuck.n < MOST; i++) {
        const hw_place *p = &places[i];
        if (p->state == HW_PLACE_RECONVERGES) continue;
        hw_stuck_group *group = &groups[stuck.n++];
        *group = (hw_stuck_group){.note = p->note, .mask = p->mask, .threads = p->threads, .why = whys[p->state],
                                  .where.warp = p->first->index};
        memcpy(group->where.block, p->first->block->index, sizeof group->where.block);
    }
    hw_tell_stuck(&worker->run->observers->all, worker->index, &stuck);
}
