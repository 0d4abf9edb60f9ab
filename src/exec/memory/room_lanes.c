// Where the lanes of any access lie, whatever their pattern: addresses are computed, checked and compared by vectors,
// and only what is new is looked up. Compiled for each instruction-set level.
#include "exec/memory/addresses.h"
#include "exec/memory/locate.h"

// Whole vectors: bodies that load what narrower stores have written would wait for the cache.
void HW_LEVEL_NAME(hw_set_mask)(hw_warp *w, uint32_t mask) {
    static const uint32_t bit[32] = {
        1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5, 1u << 6, 1u << 7, 1u << 8, 1u << 9, 1u << 10,
        1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20,
        1u << 21, 1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30,
        1u << 31};
    w->mask = mask;
    for (int i = 0; i < 32; i++) w->lanes[i] = -(int32_t)((mask & bit[i]) == bit[i]);
}

// An access of an instruction whose patterns do not repeat.
static inline void tell_apart(hw_state *s, const hw_inst *in, hw_pattern *p, hw_addresses at, uint64_t base) {
    hw_worker *worker = s->worker;
    p->apart--;
    if (worker->is_counted) {
        hw_lone_access *lone = hw_access_add_lone(worker);
        lone->note = in->note;
        lone->ends = 0;
        lone->mask = s->warp.mask;
        lone->space = p->room_space;
        lone->width_bytes = (uint8_t)(in->width * in->vector);
        lone->lanes = HW_ALL_ON(&s->warp) ? 32 : (uint8_t)__builtin_popcount(s->warp.mask);
        hw_addresses_put_places(at, hw_lone_origin(p), (uint32_t)__builtin_ctz(lone->width_bytes), lone->place);
    }
    if (__builtin_expect(!worker->ordered, 1)) return;
    hw_access_pattern pattern = {.mask = s->warp.mask, .space = p->room_space};
    hw_addresses_put(hw_addresses_plus(at, -base), pattern.delta);
    hw_access_tell_once(s, in, &pattern, base);
}

// Memory comes nearer while a sink that wants order works on the access before it is made.
static inline void prefetch_lanes(const uint64_t at[32]) {
    for (int i = 0; i < 32; i++) __builtin_prefetch((const void *)(uintptr_t)at[i]);
}

static inline void count_access(hw_state *s, const hw_inst *in, hw_pattern *p, hw_addresses at, uint64_t base) {
    if (p->apart && hw_lone_has_places(p, (uint32_t)in->width * in->vector)) {
        tell_apart(s, in, p, at, base);
        return;
    }
    const hw_addresses deltas = hw_addresses_plus(at, -base);
    const bool is_known = p->mask == s->warp.mask && hw_addresses_equal(deltas, p->delta);
    // Limits are for those who know of no local memory.
    const bool has_limit = base - p->begin < p->limit || p->space == HW_SPACE_LOCAL;
    if (is_known && has_limit && p->space == p->room_space && !s->worker->ordered) {
        hw_access_count(p, base);
    } else {
        uint64_t addresses[32];
        hw_addresses_put(at, addresses);
        hw_access_count_in_room(s, in, p, addresses, is_known);
    }
}

hw_space HW_LEVEL_NAME(hw_lanes_at)(hw_state *s, const hw_inst *in, uint64_t at[32]) {
    hw_pattern *p = &s->patterns[in->pattern];
    uint64_t base;
    const hw_addresses addresses = hw_addresses_of(&s->warp, in, &base);
    if (!hw_addresses_within(addresses, p->room_begin, p->room, (uint32_t)in->width * in->vector)) {
        hw_addresses_put(addresses, at);
        if (!hw_access_find_room(s, in, p, at)) return HW_SPACE_GENERIC;
    }
    // First what needs the addresses, which calls would have to keep.
    const hw_space space = (hw_space)p->room_space;
    const uint64_t origin = p->room_origin, shared = (uint64_t)(uintptr_t)s->shared - origin;
    if (space == HW_SPACE_LOCAL) {
        const hw_addresses offsets = hw_addresses_plus(addresses, -origin);
        hw_addresses_put(hw_addresses_local(offsets, (uint64_t)(uintptr_t)s->local), at);
    } else {
        hw_addresses_put(hw_addresses_plus(addresses, space == HW_SPACE_SHARED ? shared : p->room_shift), at);
    }
    if (p->apart && s->worker->ordered && space == HW_SPACE_GLOBAL) prefetch_lanes(at);
    count_access(s, in, p, addresses, base);
    return space;
}
