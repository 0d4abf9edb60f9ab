// Convoys: warps of a block that stand at the same place with all lanes on execute each instruction together.
//
// Most of what a body costs is not its lanes but finding them: the jump, the operands, the checks. A convoy pays it
// once for up to HW_CONVOY_MAX warps, and their accesses to memory lie side by side in time as they do in space. A
// kernel's entry has its instructions a second time for this, with the bodies' convoy forms. Where warps or their lanes
// part at a branch, each warp goes alone, with the ordinary instructions, to where these ways meet again. Warps that do
// not all come there, or come to an instruction that is each warp's own business, leave: every one goes on alone, and
// joins again when the block's next round finds it beside others.
#include <string.h>

#include "base/arena.h"
#include "exec/schedule/cycles.h"
#include "exec/schedule/longest.h"
#include "exec/undefined/undefined.h"
#include "exec/warp/warp.h"

// An entry's instructions as convoys execute them in this launch.
static const hw_inst *convoy_insts(const hw_state *s, const hw_program *entry) {
    return s->undefined ? entry->watched->convoy_insts : entry->convoy_insts;
}

// ---- leaving ----

// The ordinary instruction at the place of a convoy's instruction.
static const hw_inst *ordinary_inst(const hw_state *s, const hw_inst *in) {
    return s->insts + (in - convoy_insts(s, s->frame->program));
}

static const hw_inst *stop_convoy(hw_warp *w, const hw_inst *next, hw_stop why) {
    const hw_inst *pc = ordinary_inst(hw_state_of(w), next);
    hw_warp *first = w;
    for (uint32_t left = first->convoy; left; left--, w = hw_next_warp(w)) {
        hw_state *s = hw_state_of(w);
        s->pc = pc;
        s->is_ready = true;
        s->stop = why;
        if (why == HW_STOP_YIELD) s->turn.spent++;
    }
    return NULL;
}

const hw_inst *hw_convoy_leave(hw_warp *w, const hw_inst *in) { return stop_convoy(w, in, HW_STOP_LEFT); }

// ---- one warp after the other ----

static const hw_inst *step_end(hw_warp *w, const hw_inst *in) {
    (void)w;
    return in;
}

static const hw_inst *step_each_warp(hw_warp *w, const hw_inst *in) {
    const hw_inst *one = in->steps;
    hw_warp *member = w;
    for (uint32_t left = w->convoy; left; left--, member = hw_next_warp(member))
        if (!one->body(member, one)) return NULL;    // a fault
    HW_NEXT(w, in);
}

// Steps through an instruction that gathers lanes: a constant mask of all members finds them here; with any other mask
// the warps leave the convoy.
static const hw_inst *step_gathering(hw_warp *w, const hw_inst *in) {
    hw_slot members = in->members == HW_MEMBERS_IN_P ? in->p : in->c;
    if ((members & 3) != HW_BASE_LAUNCH || *(const uint32_t *)hw_at(w, members) != 0xffffffffu)
        return hw_convoy_leave(w, in);
    return step_each_warp(w, in);
}

// bar.warp.sync: a constant mask of all members finds them here; with any other mask the warps leave the convoy.
static const hw_inst *convoy_warp_sync(hw_warp *w, const hw_inst *in) {
    bool waits_for_all = (in->a & 3) == HW_BASE_LAUNCH && *(const uint32_t *)hw_at(w, in->a) == 0xffffffffu;
    if (!waits_for_all) return hw_convoy_leave(w, in);
    hw_state *s = hw_state_of(w);
    if (HW_IS_TOLD(s, WARP_SYNC))
        for (uint32_t k = 0; k < w->convoy; k++) hw_sync_tell(s + k, in, 0xffffffffu, 0xffffffffu);
    HW_NEXT(w, in);
}

// One fence of the host is one for all warps.
static const hw_inst *convoy_fence(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (s->events & (HW_WANTS(FENCE) | HW_WANTS(BARRIER)))
        for (uint32_t k = 0; k < w->convoy; k++) hw_fence_tell(s + k, in);
    HW_NEXT(w, in);
}

// ---- control flow ----

static void count_convoy_block(hw_state *s, const hw_inst *in) {
    hw_block_count *count = &s->worker->counts[in->basic_block];
    uint32_t n = s->warp.convoy;
    count->warps += n;
    count->lanes += 32 * n;
    s->block->issued += (uint64_t)in->count * n;
}

static inline const hw_inst *convoy_target(const hw_state *s, const hw_inst *in) {
    return convoy_insts(s, s->frame->program) + in->target;
}

static inline const hw_inst *go_on_in_convoy(hw_state *s, const hw_inst *in, const hw_inst *next) {
    count_convoy_block(s, in);
    return next <= in && !hw_turn_goes_on(&s->turn) ? stop_convoy(&s->warp, next, HW_STOP_YIELD) : next;
}

static const hw_inst *convoy_bra(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    HW_GO_ON(w, go_on_in_convoy(s, in, convoy_target(s, in)));
}

static const hw_inst *convoy_fall(hw_warp *w, const hw_inst *in) {
    HW_GO_ON(w, go_on_in_convoy(hw_state_of(w), in, in + 1));
}

// All ones or zero when the lanes of all warps agree about predicate p; any other value when they do not.
static uint32_t common_predicate(hw_warp *w, const hw_inst *in) {
    uint32_t any = 0, all = ~0u;
    HW_EACH_WARP(uint32_t p = hw_pred(w, in->p); any |= p; all &= p;);
    if (any && ~all) return 1;
    return any ^ (in->flags & HW_INST_NEGATE_P ? ~0u : 0);
}

// Does the warp have undefined values, which it follows alone?
static bool has_undefined(const hw_state *s) {
    return s->undefined && (s->undefined->n_undefined | s->undefined->carry);
}

// A warp goes alone from `branch` to `meeting`. Does it come there with all its lanes, and may join others?
static bool go_alone(hw_state *s, const hw_inst *branch, const hw_inst *meeting) {
    s->pc = branch;
    s->is_ready = true;
    if (!hw_flow_expect(s, meeting)) {
        hw_fault_stop(s, branch, HW_FAULT_NO_MEMORY, 0);
        return false;
    }
    hw_block_run_warp(s);
    return s->stop == HW_STOP_MET && s->warp.mask == 0xffffffffu && !s->n_paths && !has_undefined(s);
}

// The warps part at a branch, and go on together where their ways meet, if all come there.
static const hw_inst *part_and_meet(hw_warp *w, const hw_inst *in) {
    hw_state *first = hw_state_of(w);
    const hw_inst *branch = ordinary_inst(first, in), *meeting = first->insts + in->reconverge;
    const int32_t whole_turn = hw_turn_fuel(first->run->launch->max_instructions);
    int32_t fuel = first->turn.fuel;
    bool have_met = true;
    for (uint32_t k = 0; k < w->convoy; k++) {
        have_met &= go_alone(first + k, branch, meeting);
        fuel -= whole_turn - first[k].turn.fuel;
        if (first[k].stop == HW_STOP_FAULT) {
            first->stop = HW_STOP_FAULT;
            return NULL;
        }
    }
    if (!have_met) {
        first->stop = HW_STOP_LEFT;
        return NULL;
    }
    for (uint32_t k = 0; k < w->convoy; k++) first[k].is_ready = false;
    first->turn.fuel = fuel;
    const hw_inst *next = convoy_insts(first, first->frame->program) + in->reconverge;
    return next <= in && !hw_turn_goes_on(&first->turn) ? stop_convoy(w, next, HW_STOP_YIELD) : next;
}

static const hw_inst *convoy_bra_p(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    uint32_t taken = common_predicate(w, in);
    if (taken == 1 && in->reconverge == HW_NO_RECONVERGENCE) return hw_convoy_leave(w, in);
    if (taken == 1) HW_GO_ON(w, part_and_meet(w, in));
    HW_GO_ON(w, go_on_in_convoy(s, in, taken ? convoy_target(s, in) : in + 1));
}

static const hw_inst *convoy_guard(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    uint32_t on = common_predicate(w, in);
    if (on == 1) return hw_convoy_leave(w, in);
    if (on) return in + 1;
    s->worker->guarded_off[in->note] += (uint64_t)32 * w->convoy * in->count;
    return convoy_target(s, in);
}

static const hw_inst *convoy_unguard(hw_warp *w, const hw_inst *in) {
    (void)w;
    HW_NEXT(w, in);
}

static const hw_inst *convoy_exit(hw_warp *w, const hw_inst *in) {
    hw_block *block = hw_state_of(w)->block;
    uint32_t n = w->convoy;
    count_convoy_block(hw_state_of(w), in);
    for (uint32_t left = n; left; left--, w = hw_next_warp(w)) {
        hw_state_of(w)->live = 0;
        hw_state_of(w)->stop = HW_STOP_DONE;
    }
    block->live_threads -= 32 * n;
    block->turn.has_progressed = true;
    if (block->busy_barriers) hw_barrier_threads_left(block);
    return NULL;
}

// Waits for nobody when the whole block is here.
static const hw_inst *convoy_barrier(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    bool is_plain = (in->a & 3) == HW_BASE_LAUNCH && in->b == HW_NO_SLOT;
    if (!is_plain) return hw_convoy_leave(w, in);
    uint32_t number = *(const uint32_t *)hw_at(w, in->a) % HW_BARRIERS;
    if (32 * w->convoy == s->block->live_threads && !s->block->busy_barriers) {
        if (HW_IS_TOLD(s, BARRIER)) hw_barrier_tell_whole(s, w->convoy, in, number);
        hw_barrier_passed(s->block, number);
        HW_NEXT(w, in);
    }
    hw_barrier_arrive_whole(s, w->convoy, ordinary_inst(s, in), number);
    return NULL;
}

// ---- the second set of instructions ----

static const hw_body forms[HW_CONVOY_FORMS] = {
    [HW_CONVOY_LEAVES] = hw_convoy_leave,
    [HW_CONVOY_EACH_WARP] = step_each_warp,
    [HW_CONVOY_JUMP] = convoy_bra,
    [HW_CONVOY_BRANCH] = convoy_bra_p,
    [HW_CONVOY_FALL] = convoy_fall,
    [HW_CONVOY_GUARD] = convoy_guard,
    [HW_CONVOY_UNGUARD] = convoy_unguard,
    [HW_CONVOY_EXIT] = convoy_exit,
    [HW_CONVOY_BARRIER] = convoy_barrier,
    [HW_CONVOY_WARP_SYNC] = convoy_warp_sync,
    [HW_CONVOY_FENCE] = convoy_fence,
};

hw_body hw_convoy_body(const hw_inst *in, hw_body_id id, hw_body form) {
    const hw_body_info *info = hw_body_info_of(id);
    if (in->flags & HW_INST_VOLATILE && (in->d != HW_NO_SLOT || in->vector > 1))
        return hw_convoy_leave;   // it may be waiting
    if (form) return form;
    if (info->members) return step_gathering;
    return forms[info->works_on_lanes ? HW_CONVOY_EACH_WARP : info->convoy];
}

bool hw_convoy_bind(hw_program *program, const hw_body *bodies, hw_arena *arena) {
    uint32_t n_steps = 0;
    for (uint32_t i = 0; i < program->n_insts; i++)
        n_steps += bodies[i] == step_each_warp || bodies[i] == step_gathering;
    hw_inst *insts = hw_arena_take(arena, program->n_insts * sizeof *insts);
    hw_inst *steps = hw_arena_take(arena, (2 * (size_t)n_steps + 1) * sizeof *steps);
    if (!insts || !steps) return false;
    for (uint32_t i = 0; i < program->n_insts; i++) {
        insts[i] = program->insts[i];
        insts[i].body = bodies[i];
        if (bodies[i] != step_each_warp && bodies[i] != step_gathering) continue;
        steps[0] = program->insts[i];
        steps[1].body = step_end;
        insts[i].steps = steps;
        steps += 2;
    }
    program->convoy_insts = insts;
    return true;
}

// ---- running ----

// The instruction at which the warp goes on, if all its lanes are one path in the entry; else NULL.
static const hw_inst *whole_warp_pc(const hw_state *s) {
    if (s->live != 0xffffffffu || hw_turn_waits(&s->turn)) return NULL;
    if (has_undefined(s)) return NULL;
    if (s->is_ready) {
        bool is_whole = !s->n_paths && s->warp.mask == 0xffffffffu && s->frame == &s->entry_frame && !s->split;
        return is_whole ? s->pc : NULL;
    }
    const hw_path *path = &s->paths[0];
    bool is_whole = s->n_paths == 1 && path->state == HW_PATH_READY && path->mask == 0xffffffffu &&
                    path->frame == &s->entry_frame && !path->split;
    return is_whole ? path->pc : NULL;
}

uint32_t hw_convoy_run(hw_block *block, uint32_t first, int32_t fuel) {
    hw_state *s = &block->warps[first];
    const hw_program *program = s->run->entry;
    const hw_inst *pc = whole_warp_pc(s);
    uint32_t n = 1, most = block->n_warps - first < HW_CONVOY_MAX ? block->n_warps - first : HW_CONVOY_MAX;
    if (!pc || !program->convoy_insts) return 0;
    while (n < most && whole_warp_pc(s + n) == pc) n++;
    if (n == 1) return 0;
    for (uint32_t k = 0; k < n; k++) {
        hw_flow_pick(s + k);
        s[k].stop = HW_STOP_NONE;
        s[k].turn.polls = 0;
    }
    s->warp.convoy = n;
    s->turn.fuel = fuel;
    const hw_inst *in = convoy_insts(s, program) + (pc - hw_flow_insts(s, program));
    hw_longest_turn_to(block, (hw_longest_turn){first, n});
    if (s->run->cycles) hw_cycles_turn_to(s->worker, s, n);
    while (in) in = in->body(&s->warp, in);
    if (s->run->cycles) hw_cycles_turn_to(s->worker, NULL, 0);
    hw_longest_turn_to(block, (hw_longest_turn){0, 0});
    return n;
}
