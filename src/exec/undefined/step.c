// A program's instructions a second time, with bodies that look at undefined bits before the usual ones run.
#include <string.h>

#include "base/arena.h"
#include "exec/region.h"
#include "exec/undefined/undefined.h"

static const hw_undefined_facts *facts_of(const hw_state *s, const hw_inst *in) {
    const struct hw_watched *watched = s->frame->program->watched;
    return &watched->facts[in - watched->insts];
}

static bool is_of_lanes(uint8_t rule) { return rule < HW_RULE_LOAD; }

// Arithmetic on defined registers has a defined result.
static const hw_inst *look_at_lanes(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    const hw_undefined_facts *f = facts_of(s, in);
    if (s->undefined->n_undefined | s->undefined->carry) hw_undefined_lanes(s, in, f);
    return f->body(w, in);
}

// What they move is in memory and in registers alone.
static bool is_plain(const hw_undefined_facts *f) {
    return f->rule == HW_RULE_LOAD || f->rule == HW_RULE_STORE || f->rule == HW_RULE_ATOMIC;
}

// Warps whose registers are defined: is there nothing to look at in memory, nor to define?
static bool is_settled(hw_state *s, const hw_inst *in, uint32_t n) {
    const uint32_t bytes = (uint32_t)in->width * in->vector;
    if (hw_undefined_is_none(s->undefined, in)) return true;
    return hw_undefined_knows_step(s, in, n) || hw_undefined_all_clean(s, in, bytes, n);
}

static const hw_inst *look_at_access(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    const hw_undefined_facts *f = facts_of(s, in);
    const bool is_defined = is_plain(f) && !s->undefined->n_undefined;
    if (is_defined && is_settled(s, in, 1)) return f->body(w, in);
    const uint32_t from = is_defined ? s->undefined->shared->state : 0;
    hw_undefined_access(s, in, f);
    if (f->rule != HW_RULE_ATOMIC && !s->undefined->n_undefined) hw_undefined_learn_step(s, in, 1, from);
    return f->body(w, in);
}

// What gathers lanes runs when all are there, from an instruction of this program; from a copy of one where they are in
// several calls, whose registers are looked at no further.
static const hw_inst *look_at_gathered(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    const struct hw_watched *watched = s->frame->program->watched;
    const uint32_t n = s->frame->program->n_insts;
    if (in >= watched->insts && in < watched->insts + n) return look_at_lanes(w, in);
    uint32_t i = 0;
    while (i + 1 < n && !(watched->insts[i].note == in->note && watched->insts[i].then == look_at_gathered)) i++;
    return watched->facts[i].body(w, in);
}

// ---- convoys --------------------------------------------------------------------------------------------------------

// None of a convoy's warps has an undefined register. One that would read an undefined byte leaves it, with the others.
static const hw_inst *look_at_convoy(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    const struct hw_watched *watched = s->frame->program->watched;
    // The ordinary instruction has its operands; steps may have taken the place of some in this one.
    const hw_inst *one = &watched->insts[in - watched->convoy_insts];
    const hw_undefined_facts *f = &watched->facts[in - watched->convoy_insts];
    const uint32_t from = is_plain(f) ? s->undefined->shared->state : 0;
    if (is_plain(f) && is_settled(s, one, w->convoy)) return f->convoy(w, in);
    for (uint32_t k = 0; k < w->convoy; k++)
        if (!hw_undefined_may_go_on(s + k, one, f)) return hw_convoy_leave(w, in);
    for (uint32_t k = 0; k < w->convoy; k++) hw_undefined_go_on(s + k, one, f);
    if (from) hw_undefined_learn_step(s, one, w->convoy, from);
    return f->convoy(w, in);
}

static bool concerns_convoys(const hw_undefined_facts *f) {
    return f->rule >= HW_RULE_LOAD && f->rule <= HW_RULE_MBARRIER && f->rule != HW_RULE_TEXTURE &&
           f->rule != HW_RULE_SURFACE && f->convoy != hw_convoy_leave;
}

// ---- making them ----------------------------------------------------------------------------------------------------

// What executes the instruction where no compiled code does (exec/segment.h).
static void find_bodies(const hw_program *program, uint32_t i, hw_undefined_facts *f) {
    f->body = hw_region_own_body(program, i);
    if (hw_body_info_of(program->bodies[i])->members) f->body = program->insts[i].then;
    if (program->convoy_insts) f->convoy = hw_region_own_convoy_body(program, i);
}

static void watch_inst(const hw_program *program, uint32_t i, struct hw_watched *watched) {
    hw_inst *in = &watched->insts[i];
    hw_undefined_facts *f = &watched->facts[i];
    *in = program->insts[i];
    hw_undefined_describe(in, program->bodies[i], f);
    find_bodies(program, i, f);
    const bool gathers = hw_body_info_of(program->bodies[i])->members;
    if (gathers) in->then = f->rule == HW_RULE_NONE ? f->body : look_at_gathered;
    else if (f->rule == HW_RULE_NONE) in->body = f->body;
    else in->body = is_of_lanes(f->rule) ? look_at_lanes : look_at_access;
    if (!watched->convoy_insts) return;
    watched->convoy_insts[i] = program->convoy_insts[i];
    watched->convoy_insts[i].body = concerns_convoys(f) ? look_at_convoy : f->convoy;
}

bool hw_undefined_watch(hw_program *program, hw_arena *arena) {
    const size_t n = (size_t)program->n_insts + 1;
    struct hw_watched *watched = hw_arena_take(arena, sizeof *watched);
    if (!watched) return false;
    watched->insts = hw_arena_take(arena, n * sizeof *watched->insts);
    watched->facts = hw_arena_take(arena, n * sizeof *watched->facts);
    watched->convoy_insts = program->convoy_insts ? hw_arena_take(arena, n * sizeof *watched->convoy_insts) : NULL;
    if (!watched->insts || !watched->facts || (program->convoy_insts && !watched->convoy_insts)) return false;
    for (uint32_t i = 0; i < program->n_insts; i++) watch_inst(program, i, watched);
    program->watched = watched;
    return true;
}
