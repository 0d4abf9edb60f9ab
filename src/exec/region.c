// Regions find their place among a program's instructions, and are run.
#include "exec/region.h"

#include "exec/schedule/longest.h"
#include "exec/segment.h"

// ---- running ----

void hw_region_begin(hw_region_run *run, hw_state *s, const hw_region *region) {
    const hw_program *program = s->frame->program;
    hw_worker *worker = s->worker;
    run->counts = &worker->counts[program->first_block];
    run->guarded_off = &worker->guarded_off[program->first_note];
    run->issued = &s->block->issued;
    run->fuel = &s->turn.fuel;
    run->steps = region->steps;
    run->patterns = s->patterns;
    run->lone = worker->is_counted ? &worker->lone : NULL;
    run->tell = hw_access_tell_lone;
    run->worker = worker;
    run->shared = s->shared;
    run->local = s->local;
    run->is_quick = !worker->ordered;
    run->ends = 0;
    run->pack = NULL;
}

static hw_region_result run_region(hw_state *s, const hw_region *region) {
    hw_region_run run;
    hw_region_begin(&run, s, region);
    const hw_region_result result = (hw_region_result)region->code((char *)&s->warp, &run);
    if (result != HW_REGION_STOPPED) return result;
    if (!hw_flow_stop_inside(s, run.open, run.depth, s->insts + run.at)) return HW_REGION_FAULT;
    return HW_REGION_STOPPED;
}

// Turns that are interrupted between basic blocks are the interpreter's.
static const hw_inst *region_warp(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    const hw_region *region = s->frame->program->regions[in - s->insts];
    if (__builtin_expect(s->turn.steps != 0, 0)) return region->body(w, in);
    if (run_region(s, region) != HW_REGION_DONE) return NULL;
    HW_GO_ON(w, hw_flow_go(s, in, s->insts + region->end));
}

// Do lanes of these warps part at the branch?
static bool do_part(hw_warp *w, const hw_inst *in) {
    uint32_t any = 0, all = ~0u;
    HW_EACH_WARP(const uint32_t p = hw_pred(w, in->p); any |= p; all &= p;);
    return any && ~all;
}

// A loop may stop inside, and the convoy with it.
static const hw_inst *pack_convoy(hw_warp *w, const hw_inst *in, const hw_region *region) {
    hw_state *first = hw_state_of(w);
    hw_region_result result;
    if (!hw_region_run_packed(first, region, &result)) return region->convoy_body(w, in);
    if (result == HW_REGION_FAULT) first->stop = HW_STOP_FAULT;
    if (result != HW_REGION_DONE || region->has_exits) return NULL;
    HW_GO_ON(w, first->frame->program->convoy_insts + region->end);
}

// Each warp for itself. All go through the same instructions where there is no branch.
static bool each_warp(hw_state *first, const hw_region *region) {
    hw_block *block = first->block;
    const hw_longest_turn together = block->longest.turn;
    bool is_done = true;
    for (uint32_t k = 0; k < first->warp.convoy && is_done; k++) {
        if (!region->is_straight) hw_longest_turn_to(block, (hw_longest_turn){first[k].index, 1});
        is_done = run_region(first + k, region) == HW_REGION_DONE;
    }
    if (!region->is_straight) hw_longest_turn_to(block, together);
    return is_done;
}

// They go on together.
static const hw_inst *region_convoy(hw_warp *w, const hw_inst *in) {
    hw_state *first = hw_state_of(w);
    const hw_program *program = first->frame->program;
    const hw_region *region = program->regions[in - program->convoy_insts];
    if (!region->is_straight && !do_part(w, in)) return region->convoy_body(w, in);
    if (region->has_loops) return pack_convoy(w, in, region);
    if (!each_warp(first, region)) {
        first->stop = HW_STOP_FAULT;
        return NULL;
    }
    HW_GO_ON(w, program->convoy_insts + region->end);
}

// ---- their place ----

static const hw_inst *end_step(hw_warp *w, const hw_inst *in) {
    (void)w;
    return in;
}

// Convoys come by a branch. Loops they go through together until their lanes part, or packed.
static bool serves_convoys(const hw_program *program, const hw_region *region) {
    return program->convoy_insts && (!region->has_loops || region->inside);
}

hw_body hw_region_own_body(const hw_program *program, uint32_t index) {
    const hw_segment *segment = program->segments ? program->segments[index] : NULL;
    const hw_region *region = program->regions ? program->regions[index] : NULL;
    return segment ? segment->body : region ? region->body : program->insts[index].body;
}

hw_body hw_region_own_convoy_body(const hw_program *program, uint32_t index) {
    const hw_segment *segment = program->segments ? program->segments[index] : NULL;
    const hw_region *region = program->regions ? program->regions[index] : NULL;
    if (segment) return segment->convoy_body;
    return region && serves_convoys(program, region) ? region->convoy_body : program->convoy_insts[index].body;
}

void hw_region_step(const hw_program *program, uint32_t index, hw_inst steps[2]) {
    steps[0] = program->insts[index];
    steps[0].body = hw_region_own_body(program, index);
    steps[1] = (hw_inst){.body = end_step};
}

void hw_region_attach(hw_program *program, hw_region *region) {
    hw_inst *in = &program->insts[region->first];
    if (!program->regions || program->regions[region->first]) return;
    region->body = in->body;
    if (serves_convoys(program, region)) region->convoy_body = program->convoy_insts[region->first].body;
    program->regions[region->first] = region;
    if (!region->is_only_packed) __atomic_store_n(&in->body, region_warp, __ATOMIC_RELEASE);
    if (serves_convoys(program, region))
        __atomic_store_n(&program->convoy_insts[region->first].body, region_convoy, __ATOMIC_RELEASE);
}

bool hw_region_seen_parted(const hw_program_set *set, uint32_t basic_block) {
    return set->parted && __atomic_load_n(&set->parted[basic_block], __ATOMIC_RELAXED);
}
