// Where the lanes of any access lie, whatever their pattern: addresses are computed, checked and compared by vectors,
// and only what is new is looked up. Compiled for each instruction-set level.
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

// The active lanes' addresses, and the first one's for the others; each one's difference to the first's. Returns that.
static inline uint64_t compute_addresses(const hw_warp *w, const hw_inst *in, uint64_t at[32], int64_t delta[32]) {
    const int first = __builtin_ctz(w->mask);
    const int32_t *on = w->lanes;
    uint64_t base = (uint64_t)in->imm;
    if (in->a == HW_NO_SLOT) {
        for (int i = 0; i < 32; i++) at[i] = base;
    } else if (in->flags & HW_INST_ADDRESS_32) {
        const uint32_t *a = hw_at(w, in->a), imm = (uint32_t)in->imm;
        base = (uint32_t)(a[first] + imm);
        for (int i = 0; i < 32; i++) at[i] = on[i] ? (uint32_t)(a[i] + imm) : base;
    } else {
        const uint64_t *a = hw_at(w, in->a), imm = (uint64_t)in->imm;
        base = a[first] + imm;
        for (int i = 0; i < 32; i++) at[i] = on[i] ? a[i] + imm : base;
    }
    for (int i = 0; i < 32; i++) delta[i] = (int64_t)(at[i] - base);
    return base;
}

// Do all lie at room_begin .. room_begin + room - 1, aligned? No room reaches half of the address space, so that one
// sign tells of too low and too high.
static inline bool are_in_room(const hw_pattern *p, const uint64_t at[32], uint32_t bytes) {
    const uint64_t begin = p->room_begin, last = p->room - 1;
    uint64_t outside = last, bits = 0;
    for (int i = 0; i < 32; i++) {
        const uint64_t offset = at[i] - begin;
        outside |= offset | (last - offset);
        bits |= at[i];
    }
    return !(outside >> 63) && !(bits & (bytes - 1));
}

static inline bool have_deltas(const hw_pattern *p, const int64_t delta[32]) {
    uint64_t differ = 0;
    for (int i = 0; i < 32; i++) differ |= (uint64_t)(p->delta[i] ^ delta[i]);
    return !differ;
}

// Memory comes nearer while a sink that wants order works on the access before it is made.
static inline void prefetch_lanes(const hw_pattern *p, const uint64_t at[32]) {
    for (int i = 0; i < 32; i++) __builtin_prefetch((const void *)(uintptr_t)(at[i] + p->room_shift));
}

static inline void count_access(hw_state *s, const hw_inst *in, hw_pattern *p, const uint64_t at[32],
                                hw_access_pattern *pattern, uint64_t base) {
    if (p->apart) {
        p->apart--;
        if (!(s->events & (HW_WANTS(ACCESS) | HW_WANTS(ATOMIC)))) return;
        pattern->mask = s->warp.mask;
        pattern->space = p->room_space;
        if (s->worker->ordered && p->room_space == HW_SPACE_GLOBAL) prefetch_lanes(p, at);
        hw_access_tell_once(s, in, pattern, base);
        return;
    }
    const bool is_known = p->mask == s->warp.mask && have_deltas(p, pattern->delta);
    // Limits are for the quick bodies, which are of no use to some lanes, nor to local memory.
    const bool has_limit = base - p->begin < p->limit || !HW_ALL_ON(&s->warp) || p->space == HW_SPACE_LOCAL;
    if (is_known && has_limit && p->space == p->room_space && !s->worker->ordered) hw_access_count(p, base);
    else hw_access_count_in_room(s, in, p, at, is_known);
}

hw_space HW_LEVEL_NAME(hw_lanes_at)(hw_state *s, const hw_inst *in, uint64_t at[32]) {
    hw_pattern *p = &s->patterns[in->pattern];
    const uint32_t bytes = (uint32_t)in->width * in->vector;
    hw_access_pattern pattern;
    const uint64_t base = compute_addresses(&s->warp, in, at, pattern.delta);
    if (!are_in_room(p, at, bytes) && !hw_access_find_room(s, in, p, at)) return HW_SPACE_GENERIC;
    count_access(s, in, p, at, &pattern, base);
    const uint64_t origin = p->room_origin;
    const hw_space space = (hw_space)p->room_space;
    if (space == HW_SPACE_LOCAL) {
        const uint64_t local = (uint64_t)(uintptr_t)s->local;
        for (int i = 0; i < 32; i++) at[i] = local + hw_local_offset(at[i] - origin) + 4 * (uint64_t)i;
    } else {
        const uint64_t shift = space == HW_SPACE_SHARED ? (uint64_t)(uintptr_t)s->shared - origin : p->room_shift;
        for (int i = 0; i < 32; i++) at[i] += shift;
    }
    return space;
}
