// Packed lanes: where few lanes of a convoy's warps enter an `if` with loops, they go through it side by side in the
// place of one warp. Three lanes are as much work as 32, so eight warps with three lanes each become one warp's work.
//
// It is exact because all that code does with lanes it does lane by lane, and what it counts by warps it counts for
// each warp whose lanes are among those that are on. Registers are copied in and out, and what bodies execute they
// execute for each warp in its own place, in the order of warps. Lanes of different warps have no order between two
// barriers.
#include <string.h>

#include "event/sinks.h"
#include "exec/region.h"
#include "exec/schedule/longest.h"

enum { MOST_FRAME_BYTES = 32768, MOST_WARP_BYTES = 16384, FEW_LANES = 16 };

// The place of the packed lanes.
typedef struct place {
    hw_warp warp;                // first: bodies of steps get a pointer to it
    const hw_region_pack *pack;
    _Alignas(64) char frame[MOST_FRAME_BYTES];
    _Alignas(64) char own[MOST_WARP_BYTES];
} place;

static uint32_t spread(uint32_t packed, uint32_t lanes) {
    uint32_t m = 0;
    for (; lanes; lanes &= lanes - 1, packed >>= 1)
        if (packed & 1) m |= lanes & -lanes;
    return m;
}

// Those of the packed lanes that are member k's, as its own.
static uint32_t lanes_of(const hw_region_pack *p, uint32_t k, uint32_t packed) {
    return spread(packed >> p->first[k], p->lanes[k]);
}

// ---- registers ----

#define COPY_LANES(type, to_packed)                                                                                    \
    for (uint32_t left = lanes, j = at; left; left &= left - 1, j++) {                                                 \
        type *const own_lane = (type *)own + __builtin_ctz(left), *const packed_lane = (type *)packed + j;             \
        if (to_packed) *packed_lane = *own_lane;                                                                       \
        else *own_lane = *packed_lane;                                                                                 \
    }

// Of lanes `lanes` of a warp, of which the first one's place is `at`.
static void copy_in(void *packed, const void *from, uint32_t bytes, uint32_t lanes, uint32_t at) {
    void *own = (void *)(uintptr_t)from;
    switch (bytes) {
    case 2: COPY_LANES(uint16_t, true); break;
    case 4: COPY_LANES(uint32_t, true); break;
    case 8: COPY_LANES(uint64_t, true); break;
    default:
        for (uint32_t left = lanes, j = at; left; left &= left - 1, j++) {
            const uint32_t bit = *(const uint32_t *)from >> __builtin_ctz(left) & 1;
            *(uint32_t *)packed = (*(uint32_t *)packed & ~(1u << j)) | bit << j;
        }
    }
}

static void copy_out(const void *from, void *own, uint32_t bytes, uint32_t lanes, uint32_t at) {
    void *packed = (void *)(uintptr_t)from;
    switch (bytes) {
    case 2: COPY_LANES(uint16_t, false); break;
    case 4: COPY_LANES(uint32_t, false); break;
    case 8: COPY_LANES(uint64_t, false); break;
    default: *(uint32_t *)own = (*(uint32_t *)own & ~lanes) | (spread(*(const uint32_t *)from >> at, lanes) & lanes);
    }
}

static void bring(const hw_region_pack *p, hw_warp *packed) {
    for (uint32_t r = 0; r < p->region->n_registers; r++) {
        const hw_region_register *reg = &p->region->registers[r];
        void *to = hw_at(packed, reg->slot);
        if (!reg->bytes) *(uint32_t *)to = 0;
        for (uint32_t k = 0; k < p->n; k++)
            copy_in(to, hw_at(&p->members[k]->warp, reg->slot), reg->bytes, p->lanes[k], p->first[k]);
    }
}

static void take_back(const hw_region_pack *p, const hw_warp *packed) {
    for (uint32_t r = 0; r < p->region->n_registers; r++) {
        const hw_region_register *reg = &p->region->registers[r];
        for (uint32_t k = 0; k < p->n && reg->is_written; k++)
            copy_out(hw_at(packed, reg->slot), hw_at(&p->members[k]->warp, reg->slot), reg->bytes, p->lanes[k],
                     p->first[k]);
    }
}

// ---- what bodies execute ----

static bool is_own(hw_slot slot) { return slot != HW_NO_SLOT && (slot & 3) == HW_BASE_FRAME; }

const hw_inst *hw_region_step_packed(hw_warp *packed, const hw_inst *step) {
    const hw_region_pack *p = ((const place *)packed)->pack;
    const hw_inst *in = p->region->steps + (step - p->region->packed_steps);
    // What is loaded comes back with the lanes that are off, whose values the step has to have.
    const hw_slot used[] = {in->a, in->b, in->d};
    const uint32_t bytes[] = {in->flags & HW_INST_ADDRESS_32 ? 4 : 8, in->reg_bytes, in->reg_bytes};
    const hw_inst *next = step;
    for (uint32_t k = 0; k < p->n && next; k++) {
        hw_warp *own = &p->members[k]->warp;
        const uint32_t on = lanes_of(p, k, packed->mask);
        if (!on) continue;
        for (unsigned j = 0; j < 3; j++)
            if (is_own(used[j]))
                copy_out(hw_at(packed, used[j]), hw_at(own, used[j]), bytes[j], p->lanes[k], p->first[k]);
        hw_set_mask(own, on);
        next = in->body(own, in);
        if (is_own(in->d)) copy_in(hw_at(packed, in->d), hw_at(own, in->d), in->reg_bytes, p->lanes[k], p->first[k]);
    }
    return next;
}

// ---- stopping inside ----

// Lanes that are not among those that stay have exited. False: none stays.
static bool leave(hw_state *s, uint32_t staying) {
    const uint32_t gone = s->live & ~staying;
    s->live = s->entry_frame.live = staying;
    s->block->live_threads -= (uint32_t)__builtin_popcount(gone);
    s->block->turn.has_progressed |= gone != 0;
    if (!staying) s->stop = HW_STOP_DONE;
    return staying;
}

// Where a warp goes on that has `mask` of its lanes at `at` and the others where `open` says, from the outside in. None
// may be there: its lanes have left what is open, or wait on the other side of a branch.
static bool stand(hw_state *s, hw_region_open *open, uint32_t n, uint32_t mask, uint32_t at) {
    while (!mask && n) {
        hw_region_open *top = &open[n - 1];
        if (top->others) {
            mask = top->others;
            at = top->others_at;
            top->others = 0;
        } else {
            mask = top->lanes;
            at = top->reconverge;
            n--;
        }
    }
    hw_set_mask(&s->warp, mask);
    s->is_ready = true;
    s->stop = HW_STOP_YIELD;
    s->pc = s->insts + at;
    if (!n) return true;
    s->turn.spent++;
    return hw_flow_stop_inside(s, open, n, s->insts + at);
}

// The pack's turn is over where its run says.
static bool stand_packed(const hw_region_pack *p, const hw_region_run *run, uint32_t packed_mask) {
    bool is_whole = true;
    for (uint32_t k = 0; k < p->n && is_whole; k++) {
        hw_region_open open[HW_REGION_DEPTH];
        for (uint32_t d = 0; d < run->depth; d++) {
            open[d] = run->open[d];
            open[d].lanes = d || p->region->has_exits ? lanes_of(p, k, run->open[d].lanes) : ~0u;
            open[d].others = lanes_of(p, k, run->open[d].others);
        }
        if (!p->region->has_exits || leave(p->members[k], open[0].lanes))
            is_whole = stand(p->members[k], open, run->depth, lanes_of(p, k, packed_mask), run->at);
    }
    return is_whole;
}

// A warp whose lanes `inside` have gone through the branch, and no further; 0: none is left there.
static bool stand_at_begin(hw_state *s, const hw_region *region, uint32_t inside) {
    hw_region_open whole = {.reconverge = region->end, .lanes = ~0u};
    if (!region->has_exits) return stand(s, &whole, 1, inside, region->first + 1);
    return !leave(s, inside) || stand(s, NULL, 0, inside, region->first + 1);
}

// ---- running ----

// What the code finds in place of the worker's list, so that it asks whose lanes these are only where a list is full.
static hw_lone_list always_full = {.n = HW_LONE_KEPT};

static void give_issued(hw_block *block, const hw_region_pack *p) {
    for (uint32_t k = 0; k < p->n; k++) {
        const uint64_t issued = p->issued[k] + (p->in >> p->ends[k] & 1 ? p->fresh : 0);
        hw_longest_turn_to(block, (hw_longest_turn){p->members[k]->index, 1});
        block->issued += issued;
    }
}

// To whom lanes belong; those behind the last member's are off.
static void number_members(hw_region_pack *p) {
    for (uint32_t k = 0; k < p->n; k++)
        for (uint32_t i = p->first[k]; i <= p->ends[k]; i++) p->member[i] = k << HW_PACK_SHIFT;
}

static hw_region_result run_pack(hw_state *first, hw_region_pack *p, place *where) {
    hw_region_run run;
    uint32_t all = 0;
    hw_region_begin(&run, first, p->region);
    run.ends = 1u << 31;
    run.steps = p->region->packed_steps;
    for (uint32_t k = 0; k < p->n; k++) {
        if (k) run.ends |= 1u << (p->first[k] - 1);
        p->ends[k] = k + 1 < p->n ? p->first[k + 1] - 1 : 31;
        p->issued[k] = 0;
        all |= ((1ull << __builtin_popcount(p->lanes[k])) - 1) << p->first[k];
    }
    if (p->is_told_as_one) number_members(p);
    run.local = NULL;
    run.pack = p;
    p->lone = run.lone;
    if (run.lone) run.lone = &always_full;
    p->in = p->fresh = 0;
    where->pack = p;
    bring(p, &where->warp);
    hw_set_mask(&where->warp, all);
    hw_region_result result = (hw_region_result)p->region->inside((char *)&where->warp, &run);
    take_back(p, &where->warp);
    give_issued(first->block, p);
    for (uint32_t k = 0; k < p->n; k++) hw_set_mask(&p->members[k]->warp, ~0u);
    if (result == HW_REGION_STOPPED && !stand_packed(p, &run, where->warp.mask)) result = HW_REGION_FAULT;
    return result;
}

// The branch, by a warp whose lanes `inside` do not take it, and the exit that others take.
static void count_branch(hw_state *s, const hw_region *region, uint32_t inside) {
    const hw_inst *in = &s->frame->program->insts[region->first], *exit = &s->frame->program->insts[in->target];
    hw_flow_account(s, in);
    s->worker->counts[in->basic_block].divergent += inside && ~inside;
    if (!region->has_exits || !~inside) return;
    hw_set_mask(&s->warp, ~inside);
    hw_flow_account(s, exit);
    hw_set_mask(&s->warp, ~0u);
}

// For each lane of `lanes` how many of the eight that it stands in are before it; 0 for others.
static void put_in_order(uint32_t lanes, uint32_t order[HW_WARP_LANES]) {
    for (uint32_t part = 0; part < HW_WARP_LANES; part += 8) {
        uint32_t next = 0;
        for (uint32_t i = part; i < part + 8; i++) order[i] = lanes >> i & 1 ? next++ : 0;
    }
}

// The next warps from number `k` on whose lanes have room together; k goes on behind them.
static void fill(hw_region_pack *p, hw_state *first, const uint32_t *inside, uint32_t n, uint32_t *k) {
    uint32_t used = 0;
    for (p->n = 0; *k < n; ++*k) {
        const uint32_t lanes = (uint32_t)__builtin_popcount(inside[*k]);
        if (!lanes) continue;
        if (used + lanes > HW_WARP_LANES) break;
        p->lanes[p->n] = inside[*k];
        p->first[p->n] = used;
        put_in_order(inside[*k], p->order[p->n]);
        p->members[p->n++] = first + *k;
        used += lanes;
    }
}

static bool is_for_packs(const hw_state *s) {
    const hw_program *program = s->frame->program;
    return !s->turn.steps && !s->worker->ordered && !s->run->cycles && program->frame_bytes <= MOST_FRAME_BYTES &&
           program->warp_bytes <= MOST_WARP_BYTES;
}

// A pack of warps begin .. end - 1 has stopped inside.
static bool stop_convoy(hw_state *first, const hw_region *region, const uint32_t *inside, uint32_t begin,
                        uint32_t end) {
    bool is_whole = true;
    for (uint32_t k = 0; k < first->warp.convoy && is_whole; k++) {
        const bool is_of_pack = k >= begin && k < end && inside[k];
        if (!is_of_pack) is_whole = stand_at_begin(first + k, region, k < end ? 0 : inside[k]);
    }
    return is_whole;
}

static hw_region_result run_packs(hw_state *first, const hw_region *region, const uint32_t *inside) {
    place where;
    hw_region_pack pack = {.region = region};
    hw_region_result result = HW_REGION_DONE;
    pack.is_told_as_one = hw_take_packs(&first->run->observers->counting);
    where.warp = first->warp;
    hw_set_base(&where.warp, HW_BASE_FRAME, where.frame);
    hw_set_base(&where.warp, HW_BASE_WARP, where.own);
    for (uint32_t k = 0; k < first->warp.convoy && result == HW_REGION_DONE;) {
        const uint32_t begin = k;
        fill(&pack, first, inside, first->warp.convoy, &k);
        if (pack.n) result = run_pack(first, &pack, &where);
        if (result == HW_REGION_STOPPED && !stop_convoy(first, region, inside, begin, k)) result = HW_REGION_FAULT;
    }
    return result;
}

static void leave_all(hw_state *first) {
    for (uint32_t k = 0; k < first->warp.convoy; k++) leave(first + k, 0);
}

bool hw_region_run_packed(hw_state *first, const hw_region *region, hw_region_result *result) {
    const hw_inst *in = &first->frame->program->insts[region->first];
    uint32_t inside[HW_CONVOY_MAX], lanes = 0;
    if (!region->inside || !is_for_packs(first)) return false;
    for (uint32_t k = 0; k < first->warp.convoy; k++) {
        const uint32_t p = hw_pred(&first[k].warp, in->p);
        inside[k] = in->flags & HW_INST_NEGATE_P ? p : ~p;
        lanes += (uint32_t)__builtin_popcount(inside[k]);
    }
    if (lanes > FEW_LANES * first->warp.convoy) return false;
    const hw_longest_turn together = first->block->longest.turn;
    for (uint32_t k = 0; k < first->warp.convoy; k++) {
        hw_longest_turn_to(first->block, (hw_longest_turn){first[k].index, 1});
        count_branch(first + k, region, inside[k]);
    }
    *result = run_packs(first, region, inside);
    hw_longest_turn_to(first->block, together);
    if (!region->has_exits) return true;
    if (*result == HW_REGION_DONE) leave_all(first);
    if (first->block->busy_barriers) hw_barrier_threads_left(first->block);
    return true;
}
