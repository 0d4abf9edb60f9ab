// Waiting: bar and barrier among the threads of a block, and the instructions that gather lanes of a warp.
#include <string.h>

#include "exec/schedule/cycles.h"
#include "exec/schedule/longest.h"
#include "exec/warp/warp.h"

// ---- the block ----

static uint32_t first_lane_of(const hw_warp *w, hw_slot slot) {
    return ((const uint32_t *)hw_at(w, slot))[__builtin_ctz(w->mask)];
}

// What bar.red leaves in its destination, for the lanes of a path that waited.
static void store_result(hw_path *path, const hw_barrier *barrier) {
    const hw_inst *in = path->pc;
    if (in->d == HW_NO_SLOT) return;
    char *d = path->frame->registers + (in->d & ~3u);
    if (in->combination == HW_COMBINE_NONE) {
        for (uint32_t m = path->mask; m; m &= m - 1) ((uint32_t *)d)[__builtin_ctz(m)] = barrier->sum;
        return;
    }
    bool value = in->combination == HW_COMBINE_AND ? barrier->all != 0 : barrier->any != 0;
    uint32_t *p = (uint32_t *)d;
    *p = (*p & ~path->mask) | (value ? path->mask : 0);
}

static void release_barrier(hw_block *block, uint32_t number) {
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
        if (s->n_paths > 1) hw_flow_merge(s);
    }
    hw_barrier_passed(block, number);
    *barrier = (hw_barrier){.all = ~0u};
    block->busy_barriers &= ~(1u << number);
}

void hw_barrier_passed(hw_block *block, uint32_t number) {
    block->turn.has_progressed = true;
    hw_state *s = &block->warps[0];
    if (number != HW_CLUSTER_BARRIER && !block->barriers[number].expected) hw_longest_barrier(block);
    if (s->run->cycles) hw_cycles_barrier(block);
    if (!HW_IS_TOLD(s, BARRIER)) return;
    const hw_barrier_step step = {.where = hw_where_of(s), .note = HW_NO_NOTE, .action = HW_BARRIER_COMPLETE,
                                  .barrier = (uint8_t)number, .expected = block->barriers[number].expected};
    hw_tell_barrier(&s->run->observers->all, s->worker->index, &step);
}

// Lanes that parted from those that arrive, and are to meet them again behind the branch: not those that exit there.
static uint32_t find_left_out(const hw_state *s) {
    uint32_t lanes = 0;
    for (const hw_split *split = s->split; split; split = split->outer)
        if (!split->is_meeting && (split->frame->parent || !hw_flow_is_exit(split->reconverge)))
            lanes |= split->expected | split->waiting;
    return lanes & s->live & ~s->warp.mask;
}

static void tell_arrival(hw_state *s, const hw_inst *in, hw_barrier_action action, uint32_t number, uint32_t expected,
                         uint32_t more_warps) {
    const hw_barrier_step step = {.where = hw_where_of(s), .note = in->note, .action = action,
                                  .barrier = (uint8_t)number, .mask = s->warp.mask, .left_out = find_left_out(s),
                                  .more_warps = more_warps, .expected = expected};
    s->worker->sequence += more_warps;
    hw_tell_barrier(&s->run->observers->all, s->worker->index, &step);
}

void hw_barrier_tell_whole(hw_state *s, uint32_t n_warps, const hw_inst *in, uint32_t number) {
    tell_arrival(s, in, HW_BARRIER_SYNC, number, 0, n_warps - 1);
}

static bool is_complete(const hw_block *block, uint32_t number) {
    const hw_barrier *barrier = &block->barriers[number];
    if (number == HW_CLUSTER_BARRIER) return hw_cluster_is_complete(block);
    if (!barrier->arrived) return false;
    return barrier->arrived >= (barrier->expected ? barrier->expected : block->live_threads);
}

// A cluster's barrier is one of each of its blocks.
static void release(hw_block *block, uint32_t number) {
    if (number != HW_CLUSTER_BARRIER) {
        release_barrier(block, number);
        return;
    }
    for (uint32_t i = 0; i < block->warps[0].run->cluster_blocks; i++) {
        block->peers[i]->is_stuck = false;
        if (block->peers[i]->is_running) release_barrier(block->peers[i], number);
    }
}

void hw_barrier_threads_left(hw_block *block) {
    for (uint32_t left = block->busy_barriers; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        if (!block->barriers[i].expected && is_complete(block, i)) release(block, i);
    }
    // Who has left is not waited for by other blocks of the cluster either.
    if (block->warps[0].run->cluster_blocks > 1 && is_complete(block, HW_CLUSTER_BARRIER))
        release(block, HW_CLUSTER_BARRIER);
}

// Lanes that count: a warp whose living lanes have all come counts as 32 where a number of threads was asked for, since
// that number is one of whole warps (PTX ISA, bar).
static uint32_t count_arriving(const hw_state *s, const hw_barrier *barrier, uint32_t number) {
    uint32_t lanes = (uint32_t)__builtin_popcount(s->warp.mask), here = s->warp.mask;
    if (!barrier->expected) return lanes;
    for (uint32_t i = 0; i < s->n_paths; i++)
        if (s->paths[i].state == HW_PATH_AT_BARRIER && s->paths[i].barrier == number) here |= s->paths[i].mask;
    return here == s->live ? lanes + 32 - (uint32_t)__builtin_popcount(s->live) : lanes;
}

// Active lanes whose value in the slot is that of the first.
static uint32_t like_first(const hw_warp *w, hw_slot slot) {
    if ((slot & 3) == HW_BASE_LAUNCH) return w->mask;
    const uint32_t *value = hw_at(w, slot), first = value[__builtin_ctz(w->mask)];
    uint32_t same = 0;
    for (int i = 0; i < 32; i++) same |= (uint32_t)(value[i] == first) << i;
    return same & w->mask;
}

static const hw_inst *arrive_at_barrier(hw_warp *w, const hw_inst *in, bool waits) {
    hw_state *s = hw_state_of(w);
    bool is_cluster = in->a == HW_NO_SLOT;
    uint32_t together = is_cluster ? w->mask : like_first(w, in->a);
    if (in->b != HW_NO_SLOT) together &= like_first(w, in->b);
    if (together != w->mask) {    // lanes that name another barrier or number come later
        uint32_t others = w->mask & ~together;
        hw_set_mask(w, others);
        hw_flow_suspend(s, in, HW_PATH_READY);
        hw_set_mask(w, together);
    }
    uint32_t number = is_cluster ? HW_CLUSTER_BARRIER : first_lane_of(w, in->a) % HW_BARRIERS;
    hw_barrier *barrier = &s->block->barriers[number];
    barrier->expected = in->b == HW_NO_SLOT ? 0 : first_lane_of(w, in->b);
    if (in->p != HW_NO_SLOT) {
        uint32_t p = hw_pred(w, in->p) ^ (in->flags & HW_INST_NEGATE_P ? ~0u : 0);
        barrier->sum += (uint32_t)__builtin_popcount(p & w->mask);
        if ((p & w->mask) != w->mask) barrier->all = 0;
        if (p & w->mask) barrier->any = ~0u;
    }
    barrier->arrived += count_arriving(s, barrier, number);
    s->block->busy_barriers |= 1u << number;
    if (HW_IS_TOLD(s, BARRIER)) {
        hw_barrier_action waiting = in->p == HW_NO_SLOT ? HW_BARRIER_SYNC : HW_BARRIER_REDUCE;
        if (is_cluster) waiting = HW_BARRIER_WAIT;    // barrier.cluster.arrive has told that they arrive
        tell_arrival(s, in, waits ? waiting : HW_BARRIER_ARRIVE, number, barrier->expected, 0);
    }
    if (!waits) {
        if (is_complete(s->block, number)) release(s->block, number);
        return in + 1;
    }
    hw_flow_suspend(s, in, HW_PATH_AT_BARRIER);
    s->paths[s->n_paths - 1].barrier = (uint8_t)number;
    if (is_complete(s->block, number)) release(s->block, number);
    return hw_flow_next_path(s);
}

void hw_barrier_arrive_whole(hw_state *s, uint32_t n_warps, const hw_inst *in, uint32_t number) {
    hw_block *block = s->block;
    hw_barrier *barrier = &block->barriers[number];
    barrier->expected = 0;
    barrier->arrived += 32 * n_warps;
    block->busy_barriers |= 1u << number;
    if (HW_IS_TOLD(s, BARRIER)) hw_barrier_tell_whole(s, n_warps, in, number);
    for (uint32_t k = 0; k < n_warps; k++) {
        hw_flow_suspend(s + k, in, HW_PATH_AT_BARRIER);
        s[k].paths[s[k].n_paths - 1].barrier = (uint8_t)number;
        s[k].stop = HW_STOP_BLOCKED;
    }
    if (is_complete(block, number)) release(block, number);
}

static const hw_inst *barrier_sync(hw_warp *w, const hw_inst *in) { return arrive_at_barrier(w, in, true); }
static const hw_inst *barrier_arrive(hw_warp *w, const hw_inst *in) { return arrive_at_barrier(w, in, false); }

// ---- the warp ----

void hw_sync_tell(hw_state *s, const hw_inst *in, uint32_t members, uint32_t mask) {
    const hw_warp_sync sync = {.where = hw_where_of(s), .note = in->note, .members = members, .mask = mask};
    hw_tell_warp_sync(&s->run->observers->all, s->worker->index, &sync);
}

// Runs the waiting instruction for all who have come, and lets them go on.
static void complete_sync(hw_state *s, const hw_inst *in, uint32_t members, uint32_t together) {
    hw_path *first = NULL;
    bool in_one_call = true;
    if (HW_IS_TOLD(s, WARP_SYNC)) hw_sync_tell(s, in, members, together);
    for (uint32_t i = 0; i < s->n_paths; i++) {
        hw_path *path = &s->paths[i];
        if (path->state != HW_PATH_AT_SYNC || !(path->mask & together)) continue;
        if (!first) first = path;
        in_one_call = in_one_call && path->frame == first->frame;
    }
    hw_body inner = in->then;
    if (inner) {
        hw_frame *frame = s->frame;
        if (in_one_call) {
            hw_flow_use_frame(s, first->frame);
            hw_set_mask(&s->warp, together);
            inner(&s->warp, in);
        } else {
            hw_frames_meet(s, in, together);
        }
        if (frame) hw_flow_use_frame(s, frame);
    }
    for (uint32_t i = 0; i < s->n_paths; i++) {
        hw_path *path = &s->paths[i];
        if (path->state != HW_PATH_AT_SYNC || !(path->mask & together)) continue;
        path->state = HW_PATH_READY;
        path->pc++;
    }
    hw_flow_merge(s);
}

// Have all lanes arrived that the path's instruction waits for? Lanes at any bar.warp.sync answer each other; other
// instructions are executed together, so lanes must have come to the same one, in whatever call.
static bool try_sync(hw_state *s, const hw_path *path) {
    const hw_inst *in = path->pc;
    uint32_t together = 0;
    for (uint32_t i = 0; i < s->n_paths; i++) {
        const hw_path *other = &s->paths[i];
        if (other->state != HW_PATH_AT_SYNC || other->members != path->members) continue;
        if (in->then ? other->pc == in : !other->pc->then) together |= other->mask;
    }
    if (path->members & s->live & ~together) return false;
    complete_sync(s, in, path->members, together);
    return true;
}

void hw_sync_lanes_left(hw_state *s) {
    for (uint32_t i = 0; i < s->n_paths; i++)
        if (s->paths[i].state == HW_PATH_AT_SYNC && try_sync(s, &s->paths[i])) i = (uint32_t)-1;
}

// Lanes that name different members: the tiles of a warp, each of which goes through alone.
static const hw_inst *sync_groups(hw_warp *w, const hw_inst *in, hw_slot members_slot) {
    hw_state *s = hw_state_of(w);
    hw_body inner = in->then;
    uint32_t all = w->mask, done = 0;
    for (uint32_t left = all; left;) {
        hw_set_mask(w, left);
        uint32_t group = like_first(w, members_slot), members = first_lane_of(w, members_slot);
        left &= ~group;
        hw_set_mask(w, group);
        if (members & s->live & ~group) {
            hw_flow_suspend(s, in, HW_PATH_AT_SYNC);
            s->paths[s->n_paths - 1].members = members;
        } else {
            if (HW_IS_TOLD(s, WARP_SYNC)) hw_sync_tell(s, in, members, group);
            if (inner) inner(w, in);
            done |= group;
        }
    }
    if (done) hw_set_mask(w, done);
    if (done == all) return in + 1;
    if (done) hw_flow_suspend(s, in + 1, HW_PATH_READY);
    hw_sync_lanes_left(s);
    if (!hw_flow_has_ready(s)) hw_flow_release_waiting(s);
    return hw_flow_next_path(s);
}

static const hw_inst *sync_lanes(hw_warp *w, const hw_inst *in, hw_slot members_slot) {
    hw_state *s = hw_state_of(w);
    uint32_t members = first_lane_of(w, members_slot);
    if (__builtin_expect(like_first(w, members_slot) != w->mask, 0)) return sync_groups(w, in, members_slot);
    if (__builtin_expect(!(members & s->live & ~w->mask), 1)) {
        hw_body inner = in->then;
        if (HW_IS_TOLD(s, WARP_SYNC)) hw_sync_tell(s, in, members, w->mask);
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
    return sync_lanes(w, in, in->members == HW_MEMBERS_IN_P ? in->p : in->c);
}

#define NAMED(id, name, function, ...) {function, NULL},
#define ROW(name, function, ...) {function, NULL},
const hw_body_forms hw_barrier_bodies[] = {
#include "isa/bodies/barrier.def"
};
