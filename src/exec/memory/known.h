// Accesses that a segment is about to make, found without going through their lanes: by one comparison of lane vectors
// for all accesses of one register, or none where the register was compared before. For files that are compiled once
// for each instruction-set level. Private to exec.
#ifndef HW_EXEC_KNOWN_H
#define HW_EXEC_KNOWN_H

#include "exec/memory/deltas.h"
#include "exec/memory/locate.h"
#include "exec/segment.h"

// ---- addresses ----

// What is the same for all warps of a block.
typedef struct hw_known_sums {
    uint32_t add_32;
    uint64_t add_64;
} hw_known_sums;

static inline hw_known_sums hw_known_sum(const hw_warp *w, const hw_segment_address *a) {
    hw_known_sums sums = {a->add_32, (uint64_t)a->add_64};
    for (uint32_t k = 0; k < a->n_terms_32; k++) {
        const hw_segment_term *t = &a->terms_32[k];
        sums.add_32 += *(const uint32_t *)hw_at(w, t->a) *
                       (t->b == HW_NO_SLOT ? 1 : *(const uint32_t *)hw_at(w, t->b));
    }
    for (uint32_t k = 0; k < a->n_terms_64; k++) sums.add_64 += *(const uint64_t *)hw_at(w, a->terms_64[k].a);
    return sums;
}

// A lane's address.
static inline uint64_t hw_known_base(const hw_warp *w, const hw_segment_address *a, hw_known_sums sums, int lane) {
    const void *root = hw_at(w, a->root);
    if (a->root_bytes == 8) return ((const uint64_t *)root)[lane] + sums.add_64;
    uint32_t low = ((const uint32_t *)root)[lane] + sums.add_32;
    if (!a->is_extended) return low;
    return (uint64_t)a->scale * (uint64_t)(a->is_signed ? (int64_t)(int32_t)low : (int64_t)low) + sums.add_64;
}

// Of an extended root: the lanes' distances before they are scaled; false where these are no multiples.
static __attribute__((noinline)) bool hw_known_unscale(hw_pattern *p, int64_t scale) {
    p->root_scale = 0;
    for (int i = 0; i < 32; i++) {
        if (p->delta[i] % scale) return false;
        p->root_delta[i] = (int32_t)(p->delta[i] / scale);
    }
    p->root_scale = scale;
    return true;
}

// Are the lanes as far apart as the pattern says? An extended root must not wrap between them.
static inline bool hw_known_lanes(const hw_warp *w, const hw_segment_address *a, hw_pattern *p) {
    const void *root = hw_at(w, a->root);
    if (a->root_bytes == 8) return hw_same_deltas(root, *(const uint64_t *)root, p->delta);
    if (!a->is_extended) return hw_same_deltas_32(root, *(const uint32_t *)root, p->delta_32);
    if (p->root_scale != a->scale && !hw_known_unscale(p, a->scale)) return false;
    return hw_same_deltas_32(root, *(const uint32_t *)root, p->root_delta);
}

// The same of the lanes in the pattern's mask, which are the warp's.
static inline bool hw_known_lanes_some(const hw_warp *w, const hw_segment_address *a, hw_pattern *p, int lane) {
    const void *root = hw_at(w, a->root);
    const uint32_t *narrow = root;
    if (a->root_bytes == 8) return hw_same_deltas_of(p->mask, root, ((const uint64_t *)root)[lane], p->delta);
    if (!a->is_extended) return hw_same_deltas_32_of(p->mask, narrow, narrow[lane], p->delta_32);
    if (p->root_scale != a->scale && !hw_known_unscale(p, a->scale)) return false;
    return hw_same_deltas_32_of(p->mask, narrow, narrow[lane], p->root_delta);
}

// lane: the first that is on.
static inline bool hw_known_wraps(const hw_warp *w, const hw_segment_address *a, hw_known_sums sums,
                                  const hw_pattern *p, uint32_t bytes, int lane) {
    if (!a->is_extended) return false;
    uint32_t low = ((const uint32_t *)hw_at(w, a->root))[lane] + sums.add_32;
    int64_t first = a->is_signed ? (int64_t)(int32_t)low : (int64_t)low;
    int64_t least = first + p->low / a->scale, most = first + (p->high - (int64_t)bytes) / a->scale;
    return a->is_signed ? least < INT32_MIN || most > INT32_MAX : least < 0 || most > UINT32_MAX;
}

static inline uint64_t hw_known_memory(const hw_state *s, const hw_pattern *p) {
    return (p->space == HW_SPACE_SHARED ? (uintptr_t)s->shared : 0) - p->window;
}

// Has an access by the root of `leader`, whose lanes have been compared, the known pattern too?
static inline bool hw_known_is_alike(const hw_pattern *p, const hw_pattern *leader) {
    return p->shape == leader->shape && p->delta[16] == leader->delta[16] && p->mask == 0xffffffffu;
}

static inline bool hw_known_is_alike_some(const hw_pattern *p, const hw_pattern *leader) {
    return p->shape == leader->shape && p->lane_0 == leader->lane_0 && p->lane_16 == leader->lane_16 &&
           p->mask == leader->mask;
}

// ---- one warp, all lanes on ----

// Fills *host and *base. leader: the pattern of an access by the same root that has been found, or NULL.
static inline bool hw_known_find(hw_warp *w, const hw_inst *in, const hw_segment_address *a, hw_pattern *p,
                                 const hw_pattern *leader, char **host, uint64_t *base) {
    uint32_t bytes = (uint32_t)in->width * in->vector;
    hw_known_sums sums = hw_known_sum(w, a);
    *base = hw_known_base(w, a, sums, 0);
    bool is_same = leader ? hw_known_is_alike(p, leader) : p->mask == 0xffffffffu && hw_known_lanes(w, a, p);
    if (!is_same || *base - p->begin >= p->limit || *base & (bytes - 1)) return false;
    if (hw_known_wraps(w, a, sums, p, bytes, 0)) return false;
    *host = (char *)(uintptr_t)(hw_known_memory(hw_state_of(w), p) + *base);
    return true;
}

// ---- one warp, some lanes on ----

// The same; *host: of lane 0, on or off.
static inline bool hw_known_find_some(hw_warp *w, const hw_inst *in, const hw_segment_address *a, hw_pattern *p,
                                      const hw_pattern *leader, char **host, uint64_t *base) {
    const uint32_t bytes = (uint32_t)in->width * in->vector;
    const int lane = __builtin_ctz(w->mask);
    const hw_known_sums sums = hw_known_sum(w, a);
    if (p->mask != w->mask) return false;
    *base = hw_known_base(w, a, sums, lane);
    const bool is_same = leader ? hw_known_is_alike_some(p, leader) : hw_known_lanes_some(w, a, p, lane);
    if (!is_same || *base - p->begin >= p->limit || *base & (bytes - 1)) return false;
    if (hw_known_wraps(w, a, sums, p, bytes, lane)) return false;
    *host = (char *)(uintptr_t)(hw_known_memory(hw_state_of(w), p) + *base + (uint64_t)p->lane_0);
    return true;
}

// ---- convoys ----

// Looks the addresses of all warps up: p->at, p->phase. False when a warp's access does not have the known pattern.
static __attribute__((noinline)) bool hw_known_find_anew(hw_warp *w, const hw_inst *in, const hw_segment_access *access,
                                                         hw_pattern *p, const hw_pattern *leader) {
    const hw_segment_address *a = &access->address;
    uint32_t n = w->convoy, bytes = (uint32_t)in->width * in->vector;
    hw_known_sums sums = hw_known_sum(w, a);
    // Registers that depend on the thread alone are compared once a launch.
    bool is_compared = leader || (p->root_for == w && p->root_n == n);
    bool is_known = p->known_limit != 0 && (!leader || hw_known_is_alike(p, leader));
    uint64_t begin = p->begin, limit = p->limit, offsets = 0, memory = hw_known_memory(hw_state_of(w), p);
    hw_warp *member = w;
    for (uint32_t k = 0; k < n && is_known; k++, member = hw_next_warp(member)) {
        uint64_t base = hw_known_base(member, a, sums, 0);
        if (!is_compared) is_known = hw_known_lanes(member, a, p);
        is_known &= base - begin < limit && !hw_known_wraps(member, a, sums, p, bytes, 0);
        offsets |= base - begin;
        p->phase[k] = (uint8_t)(base & 127);
        p->at[k] = (char *)(uintptr_t)(memory + base);
    }
    is_known = is_known && !(offsets & (bytes - 1));
    if (is_known && !leader && (a->root & 3) != HW_BASE_FRAME) p->root_for = w, p->root_n = n;
    return is_known;
}

static inline bool hw_known_find_all(hw_warp *w, const hw_inst *in, const hw_segment_access *access, hw_pattern *p,
                                     const hw_pattern *leader) {
    if (p->fixed_for == w && p->n_at == w->convoy) return true;
    if (p->fixed_for) hw_access_settle(p);
    if (!hw_known_find_anew(w, in, access, p, leader)) return false;
    if (access->is_fixed) {
        p->fixed_for = w;
        p->n_at = w->convoy;
        p->repeats = 0;
    }
    return true;
}

// Counts an access that has been found.
static inline void hw_known_count_all(const hw_warp *w, hw_pattern *p) {
    if (p->fixed_for == w) {
        p->repeats++;
        return;
    }
    for (uint32_t k = 0; k < w->convoy; k++) p->hits[p->phase[k]]++;
}

#endif
