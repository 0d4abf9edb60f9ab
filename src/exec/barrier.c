// Waiting: bar and barrier among the threads of a block, and the instructions that gather lanes of a warp.
#include <string.h>

#include "exec/warp.h"

// ---- the block ----

static uint32_t first_lane_of(const hw_warp *w, hw_slot slot) {
    return ((const uint32_t *)hw_at(w, slot))[__builtin_ctz(w->mask)];
}

// What bar.red leaves in its destination, for the lanes of a path that waited.
static void store_result(hw_path *path, const hw_barrier *barrier) {
    const hw_inst *in = path->pc;
    if (in->d == HW_NO_SLOT) return;
    char *d = path->frame->registers + (in->d & ~3u);
    if (in->sub == 0) {
        for (uint32_t m = path->mask; m; m &= m - 1) ((uint32_t *)d)[__builtin_ctz(m)] = barrier->sum;
        return;
    }
    bool value = in->sub == 1 ? barrier->all != 0 : barrier->any != 0;
    uint32_t *p = (uint32_t *)d;
    *p = (*p & ~path->mask) | (value ? path->mask : 0);
}

static void release(hw_block *block, uint32_t number) {
    hw_barrier *barrier = &block->barriers[number];
    for (uint32_t i = 0; i < block->n_warps; i++) {
        hw_state *s = &block->warps[i];
        for (uint32_t k = 0; k < s->n_paths; k++) {
            hw_path *path = &s->paths[k];
            if (path->state != HW_PATH_AT_BARRIER || path->barrier != number) continue;
            store_result(path, barrier);
            path->state = HW_PATH_READY;
            path->pc++;
        }
    }
    *barrier = (hw_barrier){.all = ~0u};
    block->busy_barriers &= ~(1u << number);
    block->progressed = true;
    hw_run *run = block->warps[0].run;
    hw_sink *sink = run->launch->sink;
    if (sink && sink->ordered && sink->barrier)
        sink->barrier(sink, block->warps[0].worker->index, block->index, number);
}

static bool is_complete(const hw_block *block, const hw_barrier *barrier) {
    if (!barrier->arrived) return false;
    return barrier->arrived >= (barrier->expected ? barrier->expected : block->live_threads);
}

void hw_barrier_threads_left(hw_block *block) {
    for (uint32_t left = block->busy_barriers; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        if (!block->barriers[i].expected && is_complete(block, &block->barriers[i])) release(block, i);
    }
}

// Lanes that count: a warp whose living lanes all come counts as 32 where a number of threads was asked for, since that
// number is one of whole warps (PTX ISA, bar).
static uint32_t arriving(const hw_state *s, const hw_barrier *barrier) {
    if (barrier->expected && s->warp.mask == s->live) return 32;
    return (uint32_t)__builtin_popcount(s->warp.mask);
}

static const hw_inst *arrive(hw_warp *w, const hw_inst *in, bool waits) {
    hw_state *s = hw_state_of(w);
    uint32_t number = first_lane_of(w, in->a) % HW_BARRIERS;
    hw_barrier *barrier = &s->block->barriers[number];
    barrier->expected = in->b == HW_NO_SLOT ? 0 : first_lane_of(w, in->b);
    if (in->p != HW_NO_SLOT) {
        uint32_t p = hw_pred(w, in->p) ^ (in->flags & HW_INST_NEGATE_P ? ~0u : 0);
        barrier->sum += (uint32_t)__builtin_popcount(p & w->mask);
        if ((p & w->mask) != w->mask) barrier->all = 0;
        if (p & w->mask) barrier->any = ~0u;
    }
    barrier->arrived += arriving(s, barrier);
    s->block->busy_barriers |= 1u << number;
    if (!waits) {
        if (is_complete(s->block, barrier)) release(s->block, number);
        return in + 1;
    }
    hw_flow_suspend(s, in, HW_PATH_AT_BARRIER);
    s->paths[s->n_paths - 1].barrier = (uint8_t)number;
    if (is_complete(s->block, barrier)) release(s->block, number);
    return hw_flow_next_path(s);
}

static const hw_inst *barrier_sync(hw_warp *w, const hw_inst *in) { return arrive(w, in, true); }
static const hw_inst *barrier_arrive(hw_warp *w, const hw_inst *in) { return arrive(w, in, false); }

// ---- the warp ----

// Runs the waiting instruction for all who have come, and lets them go on.
static void complete_sync(hw_state *s, const hw_inst *in, uint32_t together) {
    hw_path *first = NULL;
    for (uint32_t i = 0; i < s->n_paths; i++)
        if (s->paths[i].state == HW_PATH_AT_SYNC && s->paths[i].mask & together && !first) first = &s->paths[i];
    hw_body inner = (hw_body)(intptr_t)in->imm;
    if (inner) {
        hw_frame *frame = s->frame;
        hw_flow_use_frame(s, first->frame);
        hw_set_mask(&s->warp, together);
        inner(&s->warp, in);
        if (frame) hw_flow_use_frame(s, frame);
    }
    for (uint32_t i = 0; i < s->n_paths; i++) {
        hw_path *path = &s->paths[i];
        if (path->state != HW_PATH_AT_SYNC || !(path->mask & together)) continue;
        path->state = HW_PATH_READY;
        path->pc++;
    }
    // Lanes that stand at the same place in the same call and split are one path again.
    for (uint32_t i = 0; i < s->n_paths; i++) {
        for (uint32_t k = s->n_paths; k-- > i + 1;) {
            hw_path *a = &s->paths[i], *b = &s->paths[k];
            if (a->state != HW_PATH_READY || b->state != HW_PATH_READY || a->pc != b->pc || a->frame != b->frame ||
                a->split != b->split)
                continue;
            a->mask |= b->mask;
            memmove(b, b + 1, (s->n_paths - k - 1) * sizeof *b);
            s->n_paths--;
        }
    }
}

// Are all lanes that instruction `in` waits for there? Lanes at any bar.warp.sync answer each other; other
// instructions are executed together, so they must be the same one in the same call.
static bool try_sync(hw_state *s, const hw_path *path) {
    const hw_inst *in = path->pc;
    uint32_t together = 0;
    for (uint32_t i = 0; i < s->n_paths; i++) {
        const hw_path *other = &s->paths[i];
        if (other->state != HW_PATH_AT_SYNC || other->members != path->members) continue;
        if (in->imm ? other->pc == in && other->frame == path->frame : !other->pc->imm) together |= other->mask;
    }
    if (path->members & s->live & ~together) return false;
    complete_sync(s, in, together);
    return true;
}

void hw_sync_lanes_left(hw_state *s) {
    for (uint32_t i = 0; i < s->n_paths; i++)
        if (s->paths[i].state == HW_PATH_AT_SYNC && try_sync(s, &s->paths[i])) i = (uint32_t)-1;
}

static const hw_inst *sync_lanes(hw_warp *w, const hw_inst *in, hw_slot members_slot) {
    hw_state *s = hw_state_of(w);
    uint32_t members = first_lane_of(w, members_slot);
    if (__builtin_expect(!(members & s->live & ~w->mask), 1)) {
        hw_body inner = (hw_body)(intptr_t)in->imm;
        return inner ? inner(w, in) : in + 1;
    }
    hw_flow_suspend(s, in, HW_PATH_AT_SYNC);
    s->paths[s->n_paths - 1].members = members;
    try_sync(s, &s->paths[s->n_paths - 1]);
    if (!hw_flow_has_ready(s)) hw_flow_release_waiting(s);
    return hw_flow_next_path(s);
}

static const hw_inst *barrier_warp_sync(hw_warp *w, const hw_inst *in) { return sync_lanes(w, in, in->a); }

// shfl has its member mask in p, the others in c (lower/program.h).
const hw_inst *hw_sync_then(hw_warp *w, const hw_inst *in) {
    return sync_lanes(w, in, in->list == HW_SYNC_MEMBERS_IN_P ? in->p : in->c);
}

const hw_body_row hw_barrier_bodies[] = {
    {"bar.sync", barrier_sync},     {"bar.arrive", barrier_arrive},  {"bar.red.popc", barrier_sync},
    {"bar.red.and", barrier_sync},  {"bar.red.or", barrier_sync},    {"bar.red.popc.u32", barrier_sync},
    {"bar.red.and.pred", barrier_sync}, {"bar.red.or.pred", barrier_sync}, {"bar.warp.sync", barrier_warp_sync},
    {NULL, NULL},
};
