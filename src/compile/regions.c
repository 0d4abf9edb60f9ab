// Loops and branches are found by going through the instructions in their order, as a reader of a structured program
// would; what does not fit ends the attempt.
#include "compile/regions.h"

#include <string.h>

#include "compile/choose.h"
#include "compile/draft.h"
#include "compile/lanewise.h"
#include "exec/segment.h"

enum { MOST_INSTRUCTIONS = 192, MOST_ACCESSES = 30, MOST_REGION = 2000, MOST_IN_ALL = 8000 };

typedef struct parser {
    const hw_program_set *set;
    const hw_program *program;
    bool has_gathers;
    const uint32_t *latch;           // by instruction: the last branch back to it; 0: none
    hw_region_item *items;
    uint32_t n_items, most_items, n_steps, depth;
    uint32_t accesses, apart;        // apart: those whose addresses have been seen not to repeat
    uint32_t entered;                // the first instruction of the loop that was entered last
    uint32_t loop_end;               // behind the innermost loop, where branches directly in it may lead; 0: none
    bool has_loops, has_parted, has_break;
    bool has_exits;                  // it ends where the lanes that stay exit
} parser;

static bool parse(parser *p, uint32_t at, uint32_t end);

static bool add(parser *p, hw_region_item_kind kind, uint32_t index, uint32_t count) {
    if (p->n_items == p->most_items) return false;
    p->items[p->n_items++] = (hw_region_item){.kind = (uint8_t)kind, .index = index, .count = count};
    return true;
}

// ---- straight instructions ----

// An access that the text makes itself: one whose addresses do not repeat. The others are quick by their patterns. The
// text is written for gathers, of AVX2 or AVX-512; where there are none the bodies make them.
static bool is_made(const parser *p, uint32_t at) {
    if (!p->has_gathers || !hw_draft_can_access(p->program, at)) return false;
    return hw_segment_seen_apart(p->set, p->program->insts[at].pattern);
}

// *accesses: how many there are in it.
static uint32_t piece_end(const parser *p, uint32_t at, uint32_t end, uint32_t *accesses) {
    const uint32_t first = at;
    bool has_truncated = false;
    *accesses = 0;
    for (; at < end && at - first < MOST_INSTRUCTIONS; at++) {
        if (at > first && p->latch[at]) break;
        if (*accesses < MOST_ACCESSES && is_made(p, at)) {
            ++*accesses;
            continue;
        }
        if (!hw_compile_is_value(p->program, at) || hw_compile_rounds_trip(p->program, at, &has_truncated)) break;
    }
    return at;
}

static void note_access(parser *p, const hw_inst *in) {
    p->apart += hw_segment_seen_apart(p->set, in->pattern);
    p->accesses++;
}

// What a body executes by itself, and returns from. A load that may be waiting ends turns.
static bool is_step(const parser *p, uint32_t at) {
    const hw_inst *in = &p->program->insts[at];
    const hw_body_id id = p->program->bodies[at];
    if (id == HW_BODY_LD || id == HW_BODY_ST) return !(in->flags & HW_INST_VOLATILE);
    const hw_body_info *info = hw_body_info_of(id);
    return info->works_on_lanes && !info->members && info->group >= HW_BODIES_OF_LANES;
}

static bool parse_straight(parser *p, uint32_t *at, uint32_t end) {
    uint32_t accesses;
    const uint32_t behind = piece_end(p, *at, end, &accesses);
    if (behind > *at) {
        if (!add(p, HW_REGION_PIECE, *at, behind - *at)) return false;
        p->items[p->n_items - 1].step = p->n_steps;
        p->n_steps += accesses;
        p->accesses += accesses;
        p->apart += accesses;
        *at = behind;
        return true;
    }
    const hw_body_id id = p->program->bodies[*at];
    if (!is_step(p, *at)) return false;
    if (id == HW_BODY_LD || id == HW_BODY_ST) note_access(p, &p->program->insts[*at]);
    return add(p, HW_REGION_STEP, (*at)++, p->n_steps++);
}

// ---- what has a begin and an end ----

static bool parse_inside(parser *p, uint32_t at, uint32_t end) {
    const uint32_t loop_end = p->loop_end;
    p->loop_end = 0;
    const bool is_whole = ++p->depth <= HW_REGION_DEPTH && parse(p, at, end);
    p->depth--;
    p->loop_end = loop_end;
    return is_whole;
}

static bool parse_if(parser *p, uint32_t *at, uint32_t end) {
    const uint32_t index = *at;
    const hw_inst *in = &p->program->insts[index];
    if (in->reconverge > end || !add(p, HW_REGION_IF, index, 0)) return false;
    *at = in->reconverge;
    return parse_inside(p, index + 1, in->reconverge) && add(p, HW_REGION_END, index, 0);
}

static bool parse_if_else(parser *p, uint32_t *at, uint32_t end) {
    const uint32_t index = *at;
    const hw_inst *in = &p->program->insts[index];
    const uint32_t jump = in->target - 1;
    const bool has_jump = jump > index && p->program->bodies[jump] == HW_BODY_BRA &&
                          p->program->insts[jump].target == in->reconverge;
    if (!has_jump || in->reconverge <= in->target || in->reconverge > end) return false;
    if (!add(p, HW_REGION_IF_ELSE, index, 0) || !parse_inside(p, index + 1, jump)) return false;
    if (!add(p, HW_REGION_ELSE, jump, 0) || !parse_inside(p, in->target, in->reconverge)) return false;
    *at = in->reconverge;
    return add(p, HW_REGION_END, index, 0);
}

static bool parse_guard(parser *p, uint32_t *at, uint32_t end) {
    const uint32_t index = *at, behind = p->program->insts[index].target;
    if (behind <= index + 1 || behind > end || p->program->bodies[behind - 1] != HW_BODY_UNGUARD) return false;
    if (!add(p, HW_REGION_GUARD, index, 0)) return false;
    for (*at = index + 1; *at + 1 < behind;)
        if (!parse_straight(p, at, behind - 1)) return false;
    *at = behind;
    return add(p, HW_REGION_END, index, 0);
}

static bool is_parted(const parser *p, uint32_t index) {
    return hw_region_seen_parted(p->set, p->program->insts[index].basic_block);
}

static bool is_exit(const parser *p, uint32_t index) {
    return p->program->bodies[index] == HW_BODY_EXIT || p->program->bodies[index] == HW_BODY_RET;
}

static bool parse_branch(parser *p, uint32_t *at, uint32_t end) {
    const hw_inst *in = &p->program->insts[*at];
    if (p->has_exits && !p->depth && is_exit(p, in->target)) return add(p, HW_REGION_EXIT_IF, (*at)++, in->target);
    if (in->reconverge == HW_NO_RECONVERGENCE) return false;
    if (p->loop_end && in->target == p->loop_end && in->reconverge == p->loop_end) {
        p->has_break = true;
        p->has_parted |= is_parted(p, *at);
        return add(p, HW_REGION_BREAK, (*at)++, 0);
    }
    if (in->target <= *at) return false;
    return in->target == in->reconverge ? parse_if(p, at, end) : parse_if_else(p, at, end);
}

// Its last branch is the only one back; branches directly in it may lead out.
static bool parse_loop(parser *p, uint32_t *at, uint32_t end) {
    const uint32_t head = *at, latch = p->latch[head], outer_end = p->loop_end;
    const bool is_conditional = p->program->bodies[latch] == HW_BODY_BRA_P, outer_break = p->has_break;
    if (latch >= end || (is_conditional && p->program->insts[latch].reconverge != latch + 1)) return false;
    if (++p->depth > HW_REGION_DEPTH || !add(p, HW_REGION_LOOP, head, latch + 1)) return false;
    p->loop_end = latch + 1;
    p->has_loops = true;
    p->has_break = false;
    p->entered = head;
    if (!parse(p, head, latch) || (!is_conditional && !p->has_break)) return false;
    p->has_parted |= is_conditional && is_parted(p, latch);
    p->has_break = outer_break;
    p->loop_end = outer_end;
    p->depth--;
    *at = latch + 1;
    return add(p, HW_REGION_LATCH, latch, 0);
}

// All that executes instructions `at` .. `end` - 1, and goes on at `end`.
static bool parse(parser *p, uint32_t at, uint32_t end) {
    while (at < end) {
        const hw_inst *in = &p->program->insts[at];
        bool fits;
        if (p->latch[at] && p->entered != at) {
            fits = parse_loop(p, &at, end);
        } else {
            switch (p->program->bodies[at]) {
            case HW_BODY_BRA_P: fits = parse_branch(p, &at, end); break;
            case HW_BODY_GUARD: fits = parse_guard(p, &at, end); break;
            case HW_BODY_BRA: fits = in->target == at + 1 && add(p, HW_REGION_BLOCK, at++, 0); break;
            case HW_BODY_FALL: fits = add(p, HW_REGION_BLOCK, at++, 0); break;
            default: fits = parse_straight(p, &at, end);
            }
        }
        if (!fits) return false;
    }
    return at == end;
}

// ---- all of a program ----

static uint32_t *find_latches(const hw_program *program, hw_arena *arena) {
    uint32_t *latch = hw_arena_take(arena, (program->n_insts + 1) * sizeof *latch);
    for (uint32_t i = 0; latch && i < program->n_insts; i++) {
        const hw_body_id id = program->bodies[i];
        if ((id == HW_BODY_BRA || id == HW_BODY_BRA_P) && program->insts[i].target <= i)
            latch[program->insts[i].target] = i;
    }
    return latch;
}

static bool make_steps(const parser *p, hw_region *region, hw_arena *arena) {
    hw_inst *steps = hw_arena_take(arena, (2 * (size_t)p->n_steps + 1) * sizeof *steps);
    for (uint32_t k = 0; steps && k < p->n_items; k++) {
        const hw_region_item *item = &p->items[k];
        uint32_t step = item->step;
        if (item->kind == HW_REGION_STEP) hw_region_step(p->program, item->index, &steps[2 * item->count]);
        for (uint32_t i = item->index; item->kind == HW_REGION_PIECE && i < item->index + item->count; i++)
            if (hw_draft_can_access(p->program, i)) hw_region_step(p->program, i, &steps[2 * step++]);
    }
    region->steps = steps;
    return steps != NULL;
}

// From a branch to an exit, which some lanes take, to that exit.
static bool parse_to_exit(parser *p, uint32_t first) {
    const uint32_t exit = p->program->insts[first].target;
    uint32_t at = first;
    p->has_exits = true;
    if (exit <= first || !parse_branch(p, &at, exit) || !parse(p, at, exit)) return false;
    return p->has_loops && exit - first <= MOST_REGION;
}

static bool is_if(const parser *p) { return p->items[0].kind == HW_REGION_IF; }

// A loop or branch that begins at `first`. Accesses that lie as the last time are the business of segments, which are
// quicker by them, and so is what only computes.
static bool parse_region(parser *p, uint32_t first) {
    const hw_inst *in = &p->program->insts[first];
    uint32_t at = first;
    p->n_items = p->n_steps = p->depth = p->apart = p->accesses = p->loop_end = 0;
    p->has_loops = p->has_parted = p->has_break = p->has_exits = false;
    p->entered = HW_NO_RECONVERGENCE;
    if (p->latch[first]) {
        if (!parse_loop(p, &at, p->program->n_insts) || !p->has_parted) return false;
    } else {
        if (p->program->bodies[first] != HW_BODY_BRA_P || !is_parted(p, first)) return false;
        if (is_exit(p, in->target)) return parse_to_exit(p, first);
        if (in->target <= first || !parse_branch(p, &at, p->program->n_insts)) return false;
    }
    const bool pays = !p->has_loops || 2 * p->apart >= p->accesses || is_if(p);
    return at - first <= MOST_REGION && p->accesses && pays;
}

// Straight instructions of a basic block from `first` on, up to the last of their accesses that the text makes; no more
// of the others than of these, since convoys make those together. *end: behind them.
static bool parse_straight_region(parser *p, uint32_t first, uint32_t *end) {
    uint32_t made = 0, others = 0, n_items = 0, n_steps = 0;
    p->n_items = p->n_steps = p->apart = p->accesses = 0;
    p->has_loops = p->has_exits = false;
    for (uint32_t at = first; at - first < MOST_REGION && others <= made;) {
        const uint32_t apart = p->apart;
        if ((at > first && p->latch[at]) || !parse_straight(p, &at, p->program->n_insts)) break;
        const hw_region_item *last = &p->items[p->n_items - 1];
        if (last->kind == HW_REGION_STEP) others++;
        else if (p->apart == apart && !made) return false;    // a convoy computes it together
        if (last->kind == HW_REGION_STEP || p->apart == apart) continue;
        made += p->apart - apart;
        *end = at;
        n_items = p->n_items;
        n_steps = p->n_steps;
    }
    p->n_items = n_items;
    p->n_steps = n_steps;
    return made >= 2;
}

static bool keep_region(const parser *p, uint32_t first, uint32_t end, hw_region_plan *plan, hw_arena *arena) {
    hw_region_item *items = hw_arena_take(arena, p->n_items * sizeof *items);
    hw_region *region = hw_arena_take(arena, sizeof *region);
    if (!items || !region || !make_steps(p, region, arena)) return false;
    memcpy(items, p->items, p->n_items * sizeof *items);
    for (uint32_t k = 0; k < p->n_items; k++)
        if (items[k].kind == HW_REGION_LOOP)
            items[k].is_lanewise = hw_lanewise_has(p->program, &items[k], p->n_items - k, &items[k].step);
    region->first = first;
    region->end = end;
    region->has_loops = p->has_loops;
    region->has_exits = p->has_exits;
    region->is_only_packed = p->has_exits || (p->has_loops && 2 * p->apart < p->accesses);
    region->is_straight = p->program->bodies[first] != HW_BODY_BRA_P && !p->has_loops;
    *plan = (hw_region_plan){.region = region, .items = items, .n_items = p->n_items};
    if (p->has_loops && (p->has_exits || is_if(p))) hw_compile_find_packed(p->program, plan, p->n_steps, arena);
    return true;
}

hw_region_plan *hw_compile_choose_regions(const hw_program_set *set, const hw_program *program, hw_arena *arena,
                                          uint32_t *count) {
    const uint32_t most = 3 * program->n_insts + 8;
    parser p = {.set = set, .program = program, .most_items = most};
    hw_region_plan *plans = hw_arena_take(arena, (program->n_insts + 1) * sizeof *plans);
    p.has_gathers = hw_segment_level() && strcmp(hw_segment_level(), "base") != 0;
    p.latch = find_latches(program, arena);
    p.items = hw_arena_take(arena, most * sizeof *p.items);
    *count = 0;
    if (!plans || !p.latch || !p.items) return NULL;
    uint32_t all = 0;
    for (uint32_t i = 0, straight_end = 0; i < program->n_insts && all < MOST_IN_ALL; i++) {
        uint32_t end = p.latch[i] ? p.latch[i] + 1 : program->insts[i].reconverge;
        if (parse_region(&p, i)) straight_end = i > straight_end ? i : straight_end;
        else if (i < straight_end || !parse_straight_region(&p, i, &end)) continue;
        else straight_end = end;
        if (p.has_exits) end = program->insts[i].target;
        if (!keep_region(&p, i, end, &plans[*count], arena)) return NULL;
        if (plans[*count].region->is_only_packed && !plans[*count].region->registers) continue;
        all += plans[(*count)++].n_items;
    }
    return plans;
}
