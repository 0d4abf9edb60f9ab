// Barriers in shared memory: mbarrier, and what cp.async does with them. PTX ISA 9.7.13.15.
//
// A barrier is one 64-bit word. What a program gets as a phase's state is the word as it was; PTX says no more of it.
#include <string.h>

#include "exec/warp/warp.h"

enum { COUNT_BITS = 20, MOST_COUNT = (1 << COUNT_BITS) - 1 };

// Arrivals missing in this phase, and in each; bytes still to come; which phase, by turns 0 and 1.
typedef struct barrier {
    uint32_t missing, expected;
    int32_t bytes;
    uint32_t phase;
} barrier;

static barrier unpack_mbarrier(uint64_t word) {
    return (barrier){.missing = (uint32_t)(word & MOST_COUNT), .expected = (uint32_t)(word >> COUNT_BITS & MOST_COUNT),
                     .bytes = (int32_t)((int64_t)(word << 1) >> 41), .phase = (uint32_t)(word >> 63)};
}

static uint64_t pack_mbarrier(barrier b) {
    return (uint64_t)(b.missing & MOST_COUNT) | (uint64_t)(b.expected & MOST_COUNT) << COUNT_BITS |
           (uint64_t)((uint32_t)b.bytes & 0x7fffff) << 40 | (uint64_t)b.phase << 63;
}

static void complete_phase(barrier *b) {
    if (b->missing || b->bytes) return;
    b->phase ^= 1;
    b->missing = b->expected;
}

static void arrive_at_mbarrier(barrier *b, uint32_t count) {
    b->missing -= count < b->missing ? count : b->missing;
    complete_phase(b);
}

static void act_on_mbarrier(const hw_inst *in, hw_mbarrier_action what, barrier *b, uint32_t operand) {
    switch (what) {
    case HW_MBARRIER_INIT: *b = (barrier){.missing = operand & MOST_COUNT, .expected = operand & MOST_COUNT}; break;
    case HW_MBARRIER_INVALIDATE: *b = (barrier){0}; break;
    case HW_MBARRIER_EXPECT: b->bytes += (int32_t)operand; break;
    case HW_MBARRIER_COMPLETE:
        b->bytes -= (int32_t)operand;
        complete_phase(b);
        break;
    case HW_MBARRIER_ARRIVE: case HW_MBARRIER_ARRIVE_DROP:
        if (in->choices & HW_MBARRIER_EXPECTS) {
            b->bytes += (int32_t)operand;
            operand = 1;
        }
        if (what == HW_MBARRIER_ARRIVE_DROP) b->expected -= operand < b->expected ? operand : b->expected;
        arrive_at_mbarrier(b, operand);
        break;
    case HW_MBARRIER_ARRIVE_COPIES:    // without .noinc the phase first waits for one arrival more, so that nothing
                                       // changes
        if (in->choices & HW_MBARRIER_NOINC) arrive_at_mbarrier(b, 1);
        break;
    case HW_MBARRIER_TEST: break;
    }
}

static void tell_mbarrier(hw_state *s, const hw_inst *in, hw_mbarrier_action what, void *const at[32], uint32_t ended) {
    hw_mbarrier_step step = {.where = hw_where_of(s), .note = in->note, .mask = s->warp.mask, .action = what,
                             .ended = ended};
    const hw_warp *w = &s->warp;
    const uint32_t *operands = in->b == HW_NO_SLOT ? NULL : hw_at(w, in->b);
    const uint64_t *states = what == HW_MBARRIER_TEST && !(in->choices & HW_MBARRIER_PARITY) ? hw_at(w, in->b) : NULL;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        step.at[i] = hw_cluster_offset(s->block, at[i]);
        step.operand[i] = states ? unpack_mbarrier(states[i]).phase : operands ? operands[i] : 1;
    }
    hw_tell_mbarrier(&s->run->observers->all, s->worker->index, &step);
}

// One lane after the other.
static const hw_inst *each_lane(hw_warp *w, const hw_inst *in, hw_mbarrier_action what) {
    hw_state *s = hw_state_of(w);
    void *at[32];
    if (!hw_access_pointers(s, in, true, at)) return NULL;
    const uint32_t *operands = in->b == HW_NO_SLOT ? NULL : hw_at(w, in->b);
    uint64_t *d = in->d == HW_NO_SLOT ? NULL : hw_at(w, in->d);
    uint32_t ended = 0;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        uint64_t word;
        memcpy(&word, at[i], sizeof word);
        barrier b = unpack_mbarrier(word);
        if (d) d[i] = word;
        uint32_t phase = b.phase;
        act_on_mbarrier(in, what, &b, operands ? operands[i] : 1);
        ended |= (uint32_t)(b.phase != phase) << i;
        word = pack_mbarrier(b);
        memcpy(at[i], &word, sizeof word);
    }
    bool has_phases = what != HW_MBARRIER_INIT && what != HW_MBARRIER_INVALIDATE;
    if (HW_IS_TOLD(s, MBARRIER)) tell_mbarrier(s, in, what, at, has_phases ? ended : 0);
    s->block->turn.has_progressed = true;
    return in + 1;
}

static const hw_inst *mbarrier_init(hw_warp *w, const hw_inst *in) { return each_lane(w, in, HW_MBARRIER_INIT); }
static const hw_inst *mbarrier_inval(hw_warp *w, const hw_inst *in) { return each_lane(w, in, HW_MBARRIER_INVALIDATE); }
static const hw_inst *mbarrier_expect(hw_warp *w, const hw_inst *in) { return each_lane(w, in, HW_MBARRIER_EXPECT); }
static const hw_inst *mbarrier_complete(hw_warp *w, const hw_inst *in) {
    return each_lane(w, in, HW_MBARRIER_COMPLETE);
}
static const hw_inst *mbarrier_arrive(hw_warp *w, const hw_inst *in) { return each_lane(w, in, HW_MBARRIER_ARRIVE); }
static const hw_inst *mbarrier_drop(hw_warp *w, const hw_inst *in) { return each_lane(w, in, HW_MBARRIER_ARRIVE_DROP); }

// The copies that the lanes have begun end here, and so are done when the barrier is passed.
static const hw_inst *copies_arrive(hw_warp *w, const hw_inst *in) {
    hw_copies_land(hw_state_of(w), in);
    return each_lane(w, in, HW_MBARRIER_ARRIVE_COPIES);
}

void hw_mbarrier_complete(char *at, uint32_t bytes) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    barrier b = unpack_mbarrier(word);
    act_on_mbarrier(NULL, HW_MBARRIER_COMPLETE, &b, bytes);
    word = pack_mbarrier(b);
    memcpy(at, &word, sizeof word);
}

// Has the phase ended? If not, copies that it waits for end now.
static bool has_ended(hw_state *s, char *at, uint32_t asked) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    if (unpack_mbarrier(word).phase != asked) return true;
    hw_bulk_land(s, at);
    memcpy(&word, at, sizeof word);
    return unpack_mbarrier(word).phase != asked;
}

// Has the phase of the state, or of the parity, ended? A loop of tests lets others run.
static const hw_inst *mbarrier_test(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    void *at[32];
    uint32_t ended = 0;
    if (!hw_access_pointers(s, in, false, at)) return NULL;
    bool by_parity = in->choices & HW_MBARRIER_PARITY;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        uint32_t asked = by_parity ? ((const uint32_t *)hw_at(w, in->b))[i] & 1
                                   : unpack_mbarrier(((const uint64_t *)hw_at(w, in->b))[i]).phase;
        ended |= (uint32_t)has_ended(s, at[i], asked) << i;
    }
    if (HW_IS_TOLD(s, MBARRIER)) tell_mbarrier(s, in, HW_MBARRIER_TEST, at, ended);
    if (in->d != HW_NO_SLOT) hw_set_pred(w, in->d, ended);
    if (ended != w->mask) hw_turn_poll(&s->turn);
    return in + 1;
}

static const hw_inst *mbarrier_pending(hw_warp *w, const hw_inst *in) {
    const uint64_t *a = hw_at(w, in->a);
    uint32_t *d = hw_at(w, in->d);
    HW_LANES(d, (uint32_t)(a[i] & MOST_COUNT));
    return in + 1;
}

#define ROW(name, function, ...) {function, NULL},
const hw_body_forms hw_mbarrier_bodies[] = {
#include "isa/bodies/mbarrier.def"
};
