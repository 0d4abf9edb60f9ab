// Counts memory accesses, on the worker threads. The models are asked once per pattern and base modulo 256.
#include <string.h>

#include "event/sinks.h"
#include "model/banks.h"
#include "model/constant.h"
#include "model/lanes.h"
#include "prof/internal.h"

// HW_PROF_SPACES: of those that nobody counts.
static inline hw_prof_space space_of(uint8_t space) {
    static const uint8_t spaces[] = {[HW_SPACE_GENERIC] = HW_PROF_SPACES, [HW_SPACE_GLOBAL] = HW_PROF_GLOBAL,
                                     [HW_SPACE_SHARED] = HW_PROF_SHARED,  [HW_SPACE_LOCAL] = HW_PROF_LOCAL,
                                     [HW_SPACE_CONST] = HW_PROF_CONST,    [HW_SPACE_PARAM] = HW_PROF_SPACES,
                                     [HW_SPACE_REG] = HW_PROF_SPACES};
    return (hw_prof_space)spaces[space];
}

static void begin_accesses(const hw_prof *prof, hw_prof_accesses *accesses, uint32_t note_index) {
    const hw_note *note = &prof->notes[note_index];
    memset(accesses, 0, offsetof(hw_prof_accesses, patterns));
    for (int i = 0; i < HW_PATTERN_WAYS_COUNTED; i++) accesses->patterns[i].serial = 0;
    accesses->epoch = prof->epoch;
    accesses->kind = note->kind;
    accesses->meeting = note->meeting;
    accesses->is_combined = note->is_combined && prof->gpu->arch->cc >= 70;
    accesses->width = note->merged_bytes ? note->merged_bytes : note->width_bytes;
    accesses->is_merged = note->merged_bytes > note->width_bytes;
    accesses->skips_l1 = prof->no_l1 || note->skips_l1;
    accesses->is_listed = accesses->width <= 16 && !accesses->is_merged;
}

// Atomics that count lanes together are for the banks as loads are. Of GPUs whose shared memory has atomics of its own;
// what those before do with a lock is not known.
static hw_note_kind kind_at_banks(const hw_prof *prof, const hw_prof_accesses *accesses) {
    const bool at_once = accesses->meeting == HW_MEET_AT_ONCE && prof->gpu->arch->cc >= 50;
    return at_once || accesses->is_combined ? HW_NOTE_LOAD : (hw_note_kind)accesses->kind;
}

// A compare-and-swap takes the banks twice, loops of one and a load three times.
static uint32_t passes_of(const hw_prof *prof, const hw_prof_accesses *accesses, uint32_t wavefronts) {
    static const uint8_t times[] = {[HW_MEET_ONE_BY_ONE] = 1, [HW_MEET_AT_ONCE] = 1, [HW_MEET_COMPARING] = 2,
                                    [HW_MEET_IN_LOOP] = 3, [HW_MEET_IN_WIDE_LOOP] = 3};
    return prof->gpu->arch->cc >= 50 ? wavefronts * times[accesses->meeting] : wavefronts;
}

// Of the lanes those that no lane before means the word of.
static uint32_t firsts_of(uint32_t mask, const int64_t *delta) {
    uint32_t firsts = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint32_t before = firsts;
        while (before && delta[__builtin_ctz(before)] != delta[lane]) before &= before - 1;
        if (!before) firsts |= 1u << lane;
    }
    return firsts;
}

// Of 64 bits: in each turn all lanes that are left load, and compare and swap by half-warps; one lane of each word is
// done then, the lowest first.
static uint32_t wide_loop_passes(const hw_prof *prof, uint32_t mask, uint64_t base, const int64_t *delta,
                                 uint32_t width) {
    static const uint32_t halves[] = {0xffff, 0xffff0000};
    const hw_arch *arch = prof->gpu->arch;
    uint32_t passes = 0;
    for (uint32_t left = mask; left; left &= ~firsts_of(left, delta)) {
        passes += hw_banks_wavefronts(arch, HW_NOTE_LOAD, prof->bank_bytes, left, base, delta, width);
        for (int i = 0; i < 2; i++)
            if (left & halves[i])
                passes += 2 * hw_banks_wavefronts(arch, HW_NOTE_LOAD, prof->bank_bytes, left & halves[i], base, delta,
                                                  width);
    }
    return passes;
}

static uint32_t shared_passes(const hw_prof *prof, const hw_prof_accesses *accesses, uint32_t mask, uint64_t base,
                              const int64_t *delta) {
    if (accesses->meeting == HW_MEET_IN_WIDE_LOOP && prof->gpu->arch->cc >= 50)
        return wide_loop_passes(prof, mask, base, delta, accesses->width);
    return passes_of(prof, accesses,
                     hw_banks_wavefronts(prof->gpu->arch, kind_at_banks(prof, accesses), prof->bank_bytes, mask, base,
                                         delta, accesses->width));
}

// delta: of the lanes in mask, from `at`, the address in the lowest of them.
static uint32_t cost_of_lanes(const hw_prof *prof, const hw_prof_accesses *accesses, hw_prof_space space, uint32_t mask,
                              uint64_t at, const int64_t *delta) {
    const hw_arch *arch = prof->gpu->arch;
    // A merged access begins where its bytes do, not where its first part in program order does.
    const uint64_t base = accesses->is_merged ? at & ~(uint64_t)(accesses->width - 1) : at;
    switch (space) {
    case HW_PROF_SHARED: return shared_passes(prof, accesses, mask, base, delta);
    case HW_PROF_LOCAL: return hw_coalesce_local_sectors(arch, mask, base, delta, accesses->width);
    case HW_PROF_CONST: return hw_constant_passes(arch, mask, delta);
    default: return hw_coalesce_sectors(arch, mask, base, delta, accesses->width);
    }
}

static uint32_t cost_of_access(const hw_prof *prof, const hw_prof_accesses *accesses, const hw_access *a,
                               hw_prof_space space) {
    return cost_of_lanes(prof, accesses, space, a->pattern->mask, a->base, a->pattern->delta);
}

// The most that the ideal can be, whatever the access costs.
static uint32_t packed_cost(const hw_prof *prof, const hw_prof_accesses *accesses, uint32_t mask,
                            hw_prof_space space) {
    if (space == HW_PROF_SHARED) return hw_banks_ideal(prof->gpu->arch, mask, accesses->width, UINT16_MAX);
    return hw_coalesce_ideal_sectors(mask, accesses->width, UINT16_MAX);
}

// Bytes that the lanes ask for; what they share is told apart only where all share it.
static uint32_t asked_bytes(const hw_prof_accesses *accesses, uint32_t mask, const int64_t *delta) {
    for (uint32_t left = mask; left; left &= left - 1)
        if (delta[__builtin_ctz(left)]) return hw_lanes_on(mask) * accesses->width;
    return accesses->width;
}

static void remember_pattern(const hw_prof *prof, hw_prof_accesses *accesses, hw_prof_pattern *p, const hw_access *a,
                             hw_prof_space space) {
    accesses->n_patterns += !p->serial;
    p->serial = a->pattern->serial;
    p->of = a->pattern;
    p->packed = (uint16_t)packed_cost(prof, accesses, a->pattern->mask, space);
    p->asked = (uint16_t)asked_bytes(accesses, a->pattern->mask, a->pattern->delta);
    p->space = (uint8_t)space;
    p->worst = 0;
    memset(p->cost, 0, sizeof p->cost);
}

static void add_cost(hw_prof_accesses *accesses, hw_prof_space space, uint32_t cost, uint32_t packed, uint32_t asked,
                     uint64_t repeat) {
    accesses->cost[space] += cost * repeat;
    accesses->ideal[space] += (cost < packed ? cost : packed) * repeat;
    if (space == HW_PROF_GLOBAL) accesses->asked += (cost * 32 < asked ? cost * 32 : asked) * repeat;
}

static void count_access(hw_prof *prof, hw_prof_accesses *accesses, const hw_access *a, hw_prof_space space,
                         uint32_t cost, uint32_t packed, uint32_t asked) {
    add_cost(accesses, space, cost, packed, asked, a->repeat);
    if (prof->is_old) hw_prof_count_generation(prof, accesses, a, space, cost);
}

// Where a worker counts an instruction's accesses; NULL: nowhere.
static inline hw_prof_accesses *accesses_of(const hw_prof *prof, hw_prof_worker *w, uint32_t note) {
    if (!w || note >= prof->n_notes) return NULL;
    const uint32_t index = prof->accesses_of[note];
    if (index == HW_PROF_NO_ACCESSES) return NULL;
    hw_prof_accesses *accesses = &w->accesses[index];
    if (accesses->epoch != prof->epoch) begin_accesses(prof, accesses, note);
    return accesses;
}

void hw_prof_access(hw_sink *sink, uint32_t worker, const hw_access *a) {
    hw_prof *prof = (hw_prof *)sink;
    const hw_prof_space space = space_of(a->space);
    hw_prof_accesses *accesses = accesses_of(prof, hw_prof_worker_of(prof, worker), a->note);
    if (!accesses || space == HW_PROF_SPACES) return;
    accesses->inst[space] += a->repeat;
    if (!a->pattern->mask) return;
    accesses->requests[space] += a->repeat;
    if (a->pattern->index == HW_NO_PATTERN) {
        const uint32_t asked = asked_bytes(accesses, a->pattern->mask, a->pattern->delta);
        count_access(prof, accesses, a, space, cost_of_access(prof, accesses, a, space),
                     packed_cost(prof, accesses, a->pattern->mask, space), asked);
        return;
    }
    hw_prof_pattern *p = &accesses->patterns[a->pattern->index % HW_PATTERN_WAYS_COUNTED];
    if (p->serial != a->pattern->serial) remember_pattern(prof, accesses, p, a, space);
    uint16_t *known = &p->cost[a->base % HW_PROF_PHASES];
    if (!*known) {
        *known = (uint16_t)(cost_of_access(prof, accesses, a, space) + 1);
        if (*known > p->cost[p->worst]) p->worst = a->base % HW_PROF_PHASES;
    }
    count_access(prof, accesses, a, space, *known - 1u, p->packed, p->asked);
}

// Places of a merged access, which begins where its bytes do, in units of all its bytes. False: they are no multiples.
static bool merge_places(const hw_prof_accesses *accesses, const hw_lone_access *a, uint32_t merged[HW_WARP_LANES]) {
    const uint32_t parts = accesses->width / a->width_bytes, first = a->place[__builtin_ctz(a->mask)];
    const int shift = __builtin_ctz(parts);
    uint32_t odd = accesses->width % a->width_bytes | (parts & (parts - 1)), lanes = 0;
    // Loops that compilers make vectors of; lanes that are off need a look only where some lane is odd.
    for (int i = 0; i < HW_WARP_LANES; i++) merged[i] = a->place[i] >> shift;
    for (int i = 0; i < HW_WARP_LANES; i++) lanes |= a->place[i] - first;
    if (odd | (lanes & (parts - 1)))
        for (uint32_t left = a->mask; left; left &= left - 1)
            odd |= (a->place[__builtin_ctz(left)] - first) & (parts - 1);
    return !odd;
}

// What is wide, constant, or merged and does not fit goes the long way.
static uint32_t cost_of_lone(const hw_prof *prof, const hw_prof_accesses *accesses, hw_prof_space space,
                             const hw_lone_access *a) {
    uint32_t merged[HW_WARP_LANES];
    const bool is_usual = accesses->width <= 16 && (!accesses->is_merged || merge_places(accesses, a, merged));
    const uint32_t *place = accesses->is_merged ? merged : a->place;
    const hw_lanes lanes = {.mask = a->mask, .width = accesses->width, .place = place};
    int64_t delta[HW_WARP_LANES];
    if (is_usual && space == HW_PROF_GLOBAL) return hw_coalesce_sectors_of_places(&lanes);
    if (is_usual && space == HW_PROF_LOCAL) return hw_coalesce_local_sectors_of_places(&lanes);
    if (is_usual && space == HW_PROF_SHARED)
        return passes_of(prof, accesses, hw_banks_wavefronts_of_places(prof->gpu->arch, kind_at_banks(prof, accesses),
                                                                       prof->bank_bytes, &lanes));
    const uint8_t base = hw_lone_deltas(a, delta);
    return cost_of_lanes(prof, accesses, space, a->mask, base, delta);
}

// Lanes that all have one address touch two sectors at most, so that the others need no look.
static inline bool are_at_one_place(const hw_lone_access *a, uint32_t lanes) {
    const uint32_t first = a->place[__builtin_ctz(lanes)];
    for (uint32_t left = lanes & (lanes - 1); left; left &= left - 1)
        if (a->place[__builtin_ctz(left)] != first) return false;
    return true;
}

// Does an access cost what the one before it in the list did, as a counter does that is read, changed, and written? Of
// shared memory a load and a store may not.
static inline bool costs_as_before(const hw_lone_access *a, const hw_prof_accesses *accesses,
                                   const hw_lone_access *before, const hw_prof_accesses *accesses_before) {
    return a->mask == before->mask && a->place[0] == before->place[0] && a->place[31] == before->place[31] &&
           a->space == before->space && a->space != HW_SPACE_SHARED && a->width_bytes == before->width_bytes &&
           accesses->width == accesses_before->width && accesses->is_merged == accesses_before->is_merged &&
           !memcmp(a->place, before->place, sizeof a->place);
}

// What accesses of a list cost, in its order. Those of one space are counted at once, and have slots behind each other.
enum { GLOBAL_SLOTS = 0, LOCAL_SLOTS = HW_COALESCE_LIST, OTHER_SLOTS = 2 * HW_COALESCE_LIST };
typedef struct lone_costs {
    hw_prof_accesses *accesses[HW_COALESCE_LIST];    // NULL: nobody counts it
    uint8_t slot[HW_COALESCE_LIST];
    uint32_t cost[3 * HW_COALESCE_LIST];             // by slot
} lone_costs;
_Static_assert(3 * HW_COALESCE_LIST <= UINT8_MAX + 1, "slots have 8 bits");

// Base and delta have no meaning beside places.
static inline void put_lanes(hw_lanes *lanes, uint32_t width, const hw_lone_access *a) {
    lanes->mask = a->mask;
    lanes->width = width;
    lanes->place = a->place;
}

static void find_costs(const hw_prof *prof, hw_prof_worker *worker, const hw_lone_access *list, uint32_t n,
                       lone_costs *found) {
    hw_lanes global[HW_COALESCE_LIST], local[HW_COALESCE_LIST];    // not all zero: they are large
    uint32_t n_global = 0, n_local = 0, before = n;
    for (uint32_t k = 0; k < n; k++) {
        const hw_lone_access *a = &list[k];
        const bool is_counted = space_of(a->space) != HW_PROF_SPACES;
        hw_prof_accesses *accesses = is_counted ? accesses_of(prof, worker, a->note) : NULL;
        found->accesses[k] = accesses;
        if (!accesses) continue;
        if (before < n && costs_as_before(a, accesses, &list[before], found->accesses[before])) {
            found->slot[k] = found->slot[before];
        } else if (accesses->is_listed && a->space == HW_SPACE_GLOBAL) {
            found->slot[k] = (uint8_t)(GLOBAL_SLOTS + n_global);
            put_lanes(&global[n_global++], accesses->width, a);
        } else if (accesses->is_listed && a->space == HW_SPACE_LOCAL) {
            found->slot[k] = (uint8_t)(LOCAL_SLOTS + n_local);
            put_lanes(&local[n_local++], accesses->width, a);
        } else {
            found->slot[k] = (uint8_t)(OTHER_SLOTS + k);
            found->cost[OTHER_SLOTS + k] = cost_of_lone(prof, accesses, space_of(a->space), a);
        }
        before = k;
    }
    if (n_global) hw_coalesce_sectors_of_list(global, n_global, found->cost + GLOBAL_SLOTS);
    if (n_local) hw_coalesce_local_sectors_of_list(local, n_local, found->cost + LOCAL_SLOTS);
}

static inline __attribute__((always_inline)) void count_lone(const hw_prof *prof, hw_prof_accesses *accesses,
                                                             const hw_lone_access *a, uint32_t cost) {
    const hw_prof_space space = space_of(a->space);
    const uint32_t bytes = a->lanes * accesses->width;
    uint32_t packed = hw_coalesce_packed_sectors(a->lanes, accesses->width), asked = bytes;
    if (space == HW_PROF_SHARED) packed = hw_banks_packed(prof->gpu->arch, a->lanes, accesses->width);
    if (space == HW_PROF_GLOBAL && cost <= 2 && are_at_one_place(a, a->mask)) asked = accesses->width;
    accesses->inst[space]++;
    accesses->requests[space]++;
    add_cost(accesses, space, cost, packed, asked, 1);
    if (prof->wants_lines) hw_prof_see_lone(accesses, a, space, cost, packed);
}

// Of several warps that have told of one access: each one's lanes that are on, in a loop's body.
#define EACH_MEMBER(a, lanes)                                                                                  \
    for (uint32_t left_ = (a)->ends, up_to_ = 0, before_ = 0, lanes;                                           \
         left_ && (up_to_ = left_ ^ (left_ - 1), lanes = (a)->mask & up_to_ & ~before_, before_ = up_to_, true); \
         left_ &= left_ - 1)                                                                                   \
        if (lanes)

static void count_members(const hw_prof *prof, hw_prof_accesses *accesses, const hw_lone_access *a) {
    hw_lone_access one = *a;
    EACH_MEMBER(a, lanes) {
        one.mask = lanes;
        one.lanes = (uint8_t)hw_bits_set(lanes);
        count_lone(prof, accesses, &one, cost_of_lone(prof, accesses, HW_PROF_GLOBAL, &one));
    }
}

// Of warps which have touched `sectors` in all. Where each lane has one for itself, or a warp's lanes fit into one side
// by side, a warp cannot do with less than side by side, and asks for no more than it touches.
static void count_pack(const hw_prof *prof, hw_prof_accesses *accesses, const hw_lone_access *a, uint32_t sectors) {
    const uint32_t width = accesses->width;
    const bool shares = sectors < a->lanes;
    uint32_t n = 0, ideal = 0, shared_lanes = 0;
    bool is_long = false;
    EACH_MEMBER(a, lanes) {
        const uint32_t n_lanes = hw_bits_set(lanes), packed = hw_coalesce_packed_sectors(n_lanes, width);
        n++;
        ideal += packed;
        is_long |= packed > 1;
        if (shares && n_lanes > 1 && are_at_one_place(a, lanes)) shared_lanes += n_lanes - 1;
    }
    if (shares && is_long) {
        count_members(prof, accesses, a);
        return;
    }
    accesses->inst[HW_PROF_GLOBAL] += n;
    accesses->requests[HW_PROF_GLOBAL] += n;
    accesses->cost[HW_PROF_GLOBAL] += sectors;
    accesses->ideal[HW_PROF_GLOBAL] += ideal;
    accesses->asked += (a->lanes - shared_lanes) * width;
}

static inline void count_listed(const hw_prof *prof, hw_prof_accesses *accesses, const hw_lone_access *a,
                                uint32_t cost) {
    if (__builtin_expect(a->ends != 0, 0)) count_pack(prof, accesses, a, cost);
    else count_lone(prof, accesses, a, cost);
}

void hw_prof_lone(hw_sink *sink, uint32_t worker, const hw_lone_access *list, uint32_t n) {
    const hw_prof *prof = (const hw_prof *)sink;
    hw_prof_worker *w = hw_prof_worker_of((hw_prof *)sink, worker);
    lone_costs found;
    for (uint32_t first = 0; first < n && w; first += HW_COALESCE_LIST) {
        const hw_lone_access *some = list + first;
        const uint32_t n_some = n - first < HW_COALESCE_LIST ? n - first : HW_COALESCE_LIST;
        find_costs(prof, w, some, n_some, &found);
        for (uint32_t k = 0; k < n_some; k++)
            if (found.accesses[k]) count_listed(prof, found.accesses[k], &some[k], found.cost[found.slot[k]]);
    }
}

// ---- copies past the first-level cache ----

static hw_fetched fetched_by(const hw_copy_begun *copy) {
    uint64_t from[HW_WARP_LANES];
    uint32_t to[HW_WARP_LANES];
    for (int i = 0; i < HW_WARP_LANES; i++) {
        from[i] = copy->from + (uint64_t)copy->from_pattern->delta[i];
        to[i] = (uint32_t)(copy->to + (uint64_t)copy->to_pattern->delta[i]);
    }
    return hw_coalesce_copies(copy->reading, from, to);
}

void hw_prof_copy(hw_sink *sink, uint32_t worker, const hw_copy_begun *copy) {
    hw_prof *prof = (hw_prof *)sink;
    hw_prof_accesses *accesses = copy->reading ? accesses_of(prof, hw_prof_worker_of(prof, worker), copy->note) : NULL;
    if (!accesses || prof->notes[copy->note].kind != HW_NOTE_COPY_BYPASS) return;
    hw_prof_copies *known = &accesses->copies;
    if (known->from_serial != copy->from_pattern->serial || known->to_serial != copy->to_pattern->serial ||
        known->from_phase != copy->from % 128 || known->to_phase != copy->to % 128)
        *known = (hw_prof_copies){.from_serial = copy->from_pattern->serial, .to_serial = copy->to_pattern->serial,
                                  .from_phase = copy->from % 128, .to_phase = copy->to % 128,
                                  .cost = fetched_by(copy)};
    accesses->fetched += known->cost.sectors;
    accesses->l2_fetched += known->cost.l2_sectors;
}
