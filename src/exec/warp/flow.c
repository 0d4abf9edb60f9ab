// Control flow of one warp: branches, divergence and where its lanes reconverge.
//
// Lanes that part at a branch become two paths under one split. Each path runs until it comes to the instruction at
// which the split reconverges (the branch's immediate post-dominator) and waits there; when the last path arrives, all
// go on as one. Unlike a stack, any ready path may run, so lanes that wait for other lanes of their warp get what they
// wait for, and lanes that wait for reconvergence can be let go alone when nothing else can run.
#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "exec/region.h"
#include "exec/undefined/undefined.h"
#include "exec/warp/warp.h"

// The basic block that ends with this instruction has been executed by the active lanes.
static inline void count_block(hw_state *s, const hw_inst *in) {
    hw_block_count *count = &s->worker->counts[in->basic_block];
    count->warps++;
    count->lanes += HW_ALL_ON(&s->warp) ? 32 : hw_bits_set(s->warp.mask);
    s->block->issued += in->count;
}

static void set_split(hw_state *s, hw_split *split) {
    s->split = split;
    s->reconverge = split ? split->reconverge : NULL;
}

static hw_split *new_split(hw_state *s, hw_split *outer, const hw_inst *reconverge, hw_frame *frame, uint32_t lanes) {
    hw_split *split = s->free_splits;
    if (split) {
        s->free_splits = split->outer;
    } else if ((split = hw_malloc(sizeof *split))) {
        split->next_made = s->made_splits;
        s->made_splits = split;
    }
    if (!split) return NULL;
    *split = (hw_split){.outer = outer, .reconverge = reconverge, .frame = frame, .expected = lanes,
                        .next_made = split->next_made};
    return split;
}

static void free_split(hw_state *s, hw_split *split) {
    split->outer = s->free_splits;
    s->free_splits = split;
}

const hw_inst *hw_flow_insts(const hw_state *s, const hw_program *program) {
    return s->undefined ? program->watched->insts : program->insts;
}

void hw_flow_use_frame(hw_state *s, hw_frame *frame) {
    const hw_program *program = frame->program;
    const hw_areas *areas = &s->run->areas[program->index];
    s->frame = frame;
    s->insts = hw_flow_insts(s, program);
    s->warp.slots = program->slots;
    hw_set_base(&s->warp, HW_BASE_FRAME, frame->registers);
    hw_set_base(&s->warp, HW_BASE_LAUNCH, areas->launch);
    hw_set_base(&s->warp, HW_BASE_BLOCK, s->block->block_area + areas->block_offset);
    hw_set_base(&s->warp, HW_BASE_WARP, s->warp_area + areas->warp_offset);
}

void hw_flow_start(hw_state *s, const hw_program *entry, uint32_t lanes) {
    s->live = lanes;
    s->n_paths = 0;
    hw_turn_reset(&s->turn);
    s->entry_frame.live = lanes;
    s->entry_frame.local_top = entry->local_bytes;
    if (s->frame != &s->entry_frame) hw_flow_use_frame(s, &s->entry_frame);
    set_split(s, NULL);
    if (s->warp.mask != lanes) hw_set_mask(&s->warp, lanes);
    s->pc = s->insts;
    s->is_ready = true;
    if (s->copies) hw_copies_forget(s);
}

void hw_flow_free(hw_state *s) {
    while (s->made_splits) {
        hw_split *split = s->made_splits;
        s->made_splits = split->next_made;
        hw_free(split);
    }
    while (s->made_frames) {
        hw_frame *frame = s->made_frames;
        s->made_frames = frame->next_made;
        hw_free_aligned(frame->registers);
        hw_undefined_free_frame(frame);
        hw_free(frame);
    }
}

// Puts the running path among those that do not run; the warp has no running path then.
void hw_flow_suspend(hw_state *s, const hw_inst *pc, hw_path_state state) {
    hw_path *path = &s->paths[s->n_paths++];
    *path = (hw_path){.mask = s->warp.mask, .state = (uint8_t)state, .pc = pc, .frame = s->frame, .split = s->split};
}

// The innermost first: what was pushed last.
bool hw_flow_pick(hw_state *s) {
    if (s->is_ready) {
        s->is_ready = false;
        return true;
    }
    for (uint32_t i = s->n_paths; i-- > 0;) {
        if (s->paths[i].state != HW_PATH_READY) continue;
        hw_path path = s->paths[i];
        memmove(&s->paths[i], &s->paths[i + 1], (s->n_paths - i - 1) * sizeof path);
        s->n_paths--;
        s->pc = path.pc;
        if (s->frame != path.frame) hw_flow_use_frame(s, path.frame);
        set_split(s, path.split);
        if (s->warp.mask != path.mask) hw_set_mask(&s->warp, path.mask);
        return true;
    }
    return false;
}

bool hw_flow_has_ready(const hw_state *s) {
    if (s->is_ready) return true;
    for (uint32_t i = 0; i < s->n_paths; i++)
        if (s->paths[i].state == HW_PATH_READY) return true;
    return false;
}

static const hw_inst *next_path(hw_state *s) {
    if (hw_flow_pick(s)) return s->pc;
    s->stop = HW_STOP_BLOCKED;
    return NULL;
}

static void push_ready(hw_state *s, uint32_t mask, const hw_inst *pc, hw_frame *frame, hw_split *split) {
    s->paths[s->n_paths++] = (hw_path){.mask = mask, .state = HW_PATH_READY, .pc = pc, .frame = frame, .split = split};
}

static const hw_inst *yield_path(hw_state *s, const hw_inst *next) {
    s->stop = HW_STOP_YIELD;
    s->pc = next;
    return NULL;
}

const hw_inst *hw_flow_spend(hw_state *s, const hw_inst *next) {
    return hw_turn_goes_on(&s->turn) ? next : yield_path(s, next);
}

bool hw_flow_expect(hw_state *s, const hw_inst *meeting) {
    hw_split *split = new_split(s, NULL, meeting, s->frame, s->warp.mask);
    if (!split) return false;
    split->is_meeting = true;
    set_split(s, split);
    return true;
}

static const hw_inst *stop_at_meeting(hw_state *s, const hw_inst *next) {
    s->stop = HW_STOP_MET;
    s->pc = next;
    s->is_ready = true;
    return NULL;
}

// The running path has come to the instruction at which its split reconverges, after instruction `in`. The head of a
// loop can be such an instruction.
static const hw_inst *arrive_at_reconvergence(hw_state *s, const hw_inst *in, const hw_inst *next) {
    while (next == s->reconverge && s->split->frame == s->frame) {
        hw_split *split = s->split;
        split->expected &= ~s->warp.mask;
        split->waiting |= s->warp.mask;
        if (split->expected) return next_path(s);
        const bool is_meeting = split->is_meeting;
        hw_set_mask(&s->warp, split->waiting);
        set_split(s, split->outer);
        free_split(s, split);
        if (is_meeting) return stop_at_meeting(s, next);
    }
    return next <= in ? hw_flow_spend(s, next) : next;
}

// Goes on to `next`, the first instruction of a basic block.
static inline const hw_inst *go_to_block(hw_state *s, const hw_inst *in, const hw_inst *next) {
    if (next == s->reconverge) return arrive_at_reconvergence(s, in, next);
    if (hw_turn_is_interrupted(&s->turn)) return yield_path(s, next);
    if (next <= in && !hw_turn_goes_on(&s->turn)) return yield_path(s, next);
    return next;
}

static const hw_inst *out_of_memory(hw_state *s, const hw_inst *in) {
    return hw_fault_stop(s, in, HW_FAULT_NO_MEMORY, __builtin_ctz(s->warp.mask));
}

// What compiled code may be made for.
static inline void note_parted(const hw_state *s, const hw_inst *in) {
    uint8_t *parted = &s->run->set->parted[in->basic_block];
    if (!__atomic_load_n(parted, __ATOMIC_RELAXED)) __atomic_store_n(parted, 1, __ATOMIC_RELAXED);
}

// Lanes `taken` go to target, the other active ones to the next instruction.
static const hw_inst *diverge_path(hw_state *s, const hw_inst *in, uint32_t taken, const hw_inst *target) {
    uint32_t others = s->warp.mask & ~taken;
    const hw_inst *reconverge = in->reconverge == HW_NO_RECONVERGENCE ? NULL : s->insts + in->reconverge;
    s->worker->counts[in->basic_block].divergent++;
    note_parted(s, in);
    if (reconverge && (reconverge != s->reconverge || s->split->frame != s->frame)) {
        hw_split *split = new_split(s, s->split, reconverge, s->frame, s->warp.mask);
        if (!split) return out_of_memory(s, in);
        set_split(s, split);
    }
    // One side may already be where both meet: lanes that leave a loop, an if without else.
    if (reconverge && target == reconverge) {
        s->split->expected &= ~taken;
        s->split->waiting |= taken;
        hw_set_mask(&s->warp, others);
        return go_to_block(s, in, in + 1);
    }
    if (reconverge && in + 1 == reconverge) {
        s->split->expected &= ~others;
        s->split->waiting |= others;
        hw_set_mask(&s->warp, taken);
        return go_to_block(s, in, target);
    }
    push_ready(s, taken, target, s->frame, s->split);
    hw_set_mask(&s->warp, others);
    return go_to_block(s, in, in + 1);
}

static const hw_inst *flow_bra(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    count_block(s, in);
    HW_GO_ON(w, go_to_block(s, in, s->insts + in->target));
}

static const hw_inst *flow_bra_p(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    uint32_t p = hw_pred(w, in->p) ^ (in->flags & HW_INST_NEGATE_P ? ~0u : 0);
    uint32_t taken = p & w->mask;
    count_block(s, in);
    if (!taken) HW_GO_ON(w, go_to_block(s, in, in + 1));
    if (taken == w->mask) HW_GO_ON(w, go_to_block(s, in, s->insts + in->target));
    return diverge_path(s, in, taken, s->insts + in->target);
}

static const hw_inst *flow_fall(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    count_block(s, in);
    HW_GO_ON(w, go_to_block(s, in, in + 1));
}

// A branch through a table: one path for each target that lanes chose.
static const hw_inst *flow_brx(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    const uint32_t *index = hw_at(w, in->a);
    const uint32_t *targets = s->frame->program->targets + in->targets;
    const hw_inst *reconverge = in->reconverge == HW_NO_RECONVERGENCE ? NULL : s->insts + in->reconverge;
    count_block(s, in);
    uint32_t left = w->mask, first = index[__builtin_ctz(left)], same = 0;
    HW_EACH_ACTIVE_LANE(if (index[i] >= (uint64_t)in->imm) return hw_fault_stop(s, in, HW_FAULT_INVALID_CALL, i));
    HW_EACH_ACTIVE_LANE(if (targets[index[i]] == targets[first]) same |= 1u << i);
    if (same == left) return go_to_block(s, in, s->insts + targets[first]);
    s->worker->counts[in->basic_block].divergent++;
    if (reconverge && (reconverge != s->reconverge || s->split->frame != s->frame)) {
        hw_split *split = new_split(s, s->split, reconverge, s->frame, w->mask);
        if (!split) return out_of_memory(s, in);
        set_split(s, split);
    }
    while (left) {
        uint32_t target = targets[index[__builtin_ctz(left)]];
        same = 0;
        for (uint32_t m = left; m; m &= m - 1)
            if (targets[index[__builtin_ctz(m)]] == target) same |= m & -m;
        left &= ~same;
        if (reconverge && s->insts + target == reconverge) {
            s->split->expected &= ~same;
            s->split->waiting |= same;
        } else {
            push_ready(s, same, s->insts + target, s->frame, s->split);
        }
    }
    const hw_inst *next = next_path(s);
    return next ? hw_flow_spend(s, next) : NULL;
}

static const hw_inst *flow_guard(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    uint32_t p = hw_pred(w, in->p) ^ (in->flags & HW_INST_NEGATE_P ? ~0u : 0);
    uint32_t on = p & w->mask;
    if (on == w->mask) {
        s->outer_mask = w->mask;
        return in + 1;
    }
    uint32_t off = hw_bits_set(w->mask & ~p);
    s->worker->guarded_off[in->note] += (uint64_t)off * in->count;
    if (!on) return s->insts + in->target;
    s->outer_mask = w->mask;
    hw_set_mask(w, on);
    return in + 1;
}

static const hw_inst *flow_unguard(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    if (w->mask != s->outer_mask) hw_set_mask(w, s->outer_mask);
    return in + 1;
}

// Takes the lanes `gone` out of a split and those around it. Lanes that wait go on where no other is expected.
static void settle_splits(hw_state *s, hw_split *split, uint32_t gone) {
    while (split) {
        hw_split *outer = split->outer;
        split->expected &= ~gone;
        if (!split->expected) {
            if (split->waiting)
                push_ready(s, split->waiting, split->reconverge, split->frame, outer);
            free_split(s, split);
        }
        split = outer;
    }
}

// Takes lanes that exit out of calls and splits, and away from where other lanes wait for them.
static void drop_exited_lanes(hw_state *s, uint32_t gone) {
    for (hw_frame *f = s->frame; f;) {
        hw_frame *parent = f->parent;
        f->live &= ~gone;
        if (!f->live && parent) {
            f->next_free = s->free_frames;
            s->free_frames = f;
        }
        f = parent;
    }
    settle_splits(s, s->split, gone);
    s->frame = NULL;
    hw_sync_lanes_left(s);
}

static const hw_inst *flow_exit(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    count_block(s, in);
    uint32_t gone = w->mask;
    s->live &= ~gone;
    s->block->live_threads -= HW_ALL_ON(w) ? 32 : hw_bits_set(gone);
    s->block->turn.has_progressed = true;
    if (s->live || s->frame != &s->entry_frame || s->split) drop_exited_lanes(s, gone);
    if (s->block->busy_barriers) hw_barrier_threads_left(s->block);
    if (!s->live) {
        s->stop = HW_STOP_DONE;
        return NULL;
    }
    return next_path(s);
}

// Reconvergence is a convenience, not a promise (since compute capability 7.0): when the lanes that are waited for
// cannot go on without the lanes that wait, the waiting lanes go on alone.
bool hw_flow_release_waiting(hw_state *s) {
    bool released = false;
    if (s->run->launch->gpu.compute_capability < 70) return false;
    // Copies: push_ready adds to the list that is walked.
    uint32_t n = s->n_paths;
    for (uint32_t i = 0; i < n; i++) {
        for (hw_split *split = s->paths[i].split; split; split = split->outer) {
            if (!split->waiting) continue;
            uint32_t waiting = split->waiting;
            split->waiting = 0;
            push_ready(s, waiting, split->reconverge, split->frame, split->outer);
            released = true;
        }
    }
    return released;
}

// Lanes that stand at the same place in the same call and split are one path again.
void hw_flow_merge(hw_state *s) {
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

// For calls: the callee's lanes meet again behind the call.
bool hw_flow_enter(hw_state *s, const hw_inst *return_to) {
    hw_split *split = new_split(s, s->split, return_to, s->frame, s->warp.mask);
    if (!split) return false;
    set_split(s, split);
    return true;
}

// The same splits and paths as if the interpreter had parted these lanes. Where none have there is no split.
bool hw_flow_stop_inside(hw_state *s, const hw_region_open *open, uint32_t n, const hw_inst *at) {
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t inside = k + 1 < n ? open[k + 1].lanes : s->warp.mask, others = open[k].others;
        const uint32_t waiting = open[k].lanes & ~inside & ~others;
        const hw_inst *reconverge = s->insts + open[k].reconverge;
        if (!waiting && !others) continue;
        if (reconverge != s->reconverge || s->split->frame != s->frame) {
            hw_split *split = new_split(s, s->split, reconverge, s->frame, open[k].lanes);
            if (!split) {
                out_of_memory(s, at);
                return false;
            }
            set_split(s, split);
        }
        s->split->expected &= ~waiting;
        s->split->waiting |= waiting;
        if (others) push_ready(s, others, s->insts + open[k].others_at, s->frame, s->split);
    }
    yield_path(s, at);
    return true;
}

void hw_flow_account(hw_state *s, const hw_inst *in) { count_block(s, in); }
const hw_inst *hw_flow_go(hw_state *s, const hw_inst *in, const hw_inst *next) { return go_to_block(s, in, next); }
const hw_inst *hw_flow_next_path(hw_state *s) { return next_path(s); }
bool hw_flow_is_exit(const hw_inst *in) { return in->body == flow_exit || hw_call_is_ret(in); }
const hw_inst *hw_flow_exit(hw_state *s, const hw_inst *in) { return flow_exit(&s->warp, in); }

#define NAMED(id, name, function, ...) {function, NULL},
const hw_body_forms hw_flow_bodies[] = {
#include "isa/bodies/flow.def"
};
