// An access whose relative addresses are those of the last time: found by one comparison of lane vectors and one check
// of bounds. For files that are compiled once per instruction-set level. Private to exec.
#ifndef HW_EXEC_KNOWN_H
#define HW_EXEC_KNOWN_H

#include "exec/memory/locate.h"

#if defined(__AVX512F__)
static inline __mmask8 differ_64(const uint64_t *a, __m512i first, const int64_t *delta) {
    return _mm512_cmpneq_epi64_mask(_mm512_sub_epi64(_mm512_loadu_si512(a), first), _mm512_load_si512(delta));
}

static inline bool same_deltas(const uint64_t *a, uint64_t first, const int64_t *delta) {
    __m512i f = _mm512_set1_epi64((long long)first);
    __mmask8 low = _kor_mask8(differ_64(a, f, delta), differ_64(a + 8, f, delta + 8));
    __mmask8 high = _kor_mask8(differ_64(a + 16, f, delta + 16), differ_64(a + 24, f, delta + 24));
    return _kortestz_mask8_u8(low, high);
}

static inline bool same_deltas_32(const uint32_t *a, uint32_t first, const int32_t *delta) {
    __m512i f = _mm512_set1_epi32((int)first);
    __m512i low_is = _mm512_sub_epi32(_mm512_loadu_si512(a), f);
    __m512i high_is = _mm512_sub_epi32(_mm512_loadu_si512(a + 16), f);
    __mmask16 low = _mm512_cmpneq_epi32_mask(low_is, _mm512_load_si512(delta));
    __mmask16 high = _mm512_cmpneq_epi32_mask(high_is, _mm512_load_si512(delta + 16));
    return _mm512_kortestz(low, high);
}
#else
static inline bool same_deltas(const uint64_t *a, uint64_t first, const int64_t *delta) {
    uint64_t differ = 0;
    for (int i = 0; i < 32; i++) differ |= (a[i] - first) ^ (uint64_t)delta[i];
    return !differ;
}

static inline bool same_deltas_32(const uint32_t *a, uint32_t first, const int32_t *delta) {
    uint32_t differ = 0;
    for (int i = 0; i < 32; i++) differ |= (a[i] - first) ^ (uint32_t)delta[i];
    return !differ;
}
#endif

// ---- one warp, all lanes on ----

// Fills *host and *base. False: the access is not known.
static inline bool hw_known_find(hw_warp *w, const hw_inst *in, const hw_pattern *p, char **host, uint64_t *base) {
    bool is_narrow = in->flags & HW_INST_ADDRESS_32, is_same;
    uint32_t bytes = (uint32_t)in->width * in->vector;
    const void *lanes = hw_at(w, in->a);
    if (is_narrow) {
        const uint32_t *a = lanes;
        *base = (uint32_t)(a[0] + (uint32_t)in->imm);
        is_same = same_deltas_32(a, a[0], p->delta_32);
    } else {
        const uint64_t *a = lanes;
        *base = a[0] + (uint64_t)in->imm;
        is_same = same_deltas(a, a[0], p->delta);
    }
    if (!is_same || p->mask != 0xffffffffu || *base - p->begin >= p->limit || *base & (bytes - 1)) return false;
    *host = (char *)((p->space == HW_SPACE_SHARED ? (uintptr_t)hw_state_of(w)->shared : 0) + (*base - p->window));
    return true;
}

// Does an access by the same register as `first`, whose lanes have been compared, have the known pattern too? Both have
// one shape, and of lanes side by side one width.
static inline bool hw_known_is_alike(const hw_pattern *p, const hw_pattern *first) {
    return p->shape == first->shape && p->delta[16] == first->delta[16] && p->space == first->space &&
           p->mask == 0xffffffffu;
}

// The same for another access by the register of `first`. Fills *base.
static inline bool hw_known_follow(const hw_warp *w, const hw_inst *in, const hw_pattern *p, const hw_pattern *first,
                                   uint64_t *base) {
    uint32_t bytes = (uint32_t)in->width * in->vector;
    *base = in->flags & HW_INST_ADDRESS_32 ? (uint32_t)(*(const uint32_t *)hw_at(w, in->a) + (uint32_t)in->imm)
                                           : *(const uint64_t *)hw_at(w, in->a) + (uint64_t)in->imm;
    return hw_known_is_alike(p, first) && *base - p->begin < p->limit && !(*base & (bytes - 1));
}

// ---- convoys ----

// Looks the addresses of all warps up: p->at, p->phase. False when a warp's access does not have the known pattern.
static __attribute__((noinline)) bool hw_known_find_anew(hw_warp *w, const hw_inst *in, hw_pattern *p) {
    uint32_t n = w->convoy, bytes = (uint32_t)in->width * in->vector;
    bool is_narrow = in->flags & HW_INST_ADDRESS_32, is_known = p->known_limit != 0;
    uint64_t begin = p->begin, limit = p->limit, offsets = 0;
    uint64_t memory = (p->space == HW_SPACE_SHARED ? (uintptr_t)hw_state_of(w)->shared : 0) - p->window;
    hw_warp *member = w;
    for (uint32_t k = 0; k < n; k++, member = hw_next_warp(member)) {
        uint64_t base;
        if (is_narrow) {
            const uint32_t *a = hw_at(member, in->a);
            base = (uint32_t)(a[0] + (uint32_t)in->imm);
            is_known &= same_deltas_32(a, a[0], p->delta_32);
        } else {
            const uint64_t *a = hw_at(member, in->a);
            base = a[0] + (uint64_t)in->imm;
            is_known &= same_deltas(a, a[0], p->delta);
        }
        is_known &= base - begin < limit;
        offsets |= base - begin;
        p->phase[k] = (uint8_t)(base & 127);
        p->at[k] = (char *)(uintptr_t)(memory + base);
    }
    return is_known && !(offsets & (bytes - 1));
}

static inline bool hw_known_find_all(hw_warp *w, const hw_inst *in, hw_pattern *p) {
    if (p->fixed_for == w && p->n_at == w->convoy) return true;
    if (p->fixed_for) hw_access_settle(p);
    if (!hw_known_find_anew(w, in, p)) return false;
    if ((in->a & 3) == HW_BASE_WARP || (in->a & 3) == HW_BASE_LAUNCH) {
        p->fixed_for = w;
        p->n_at = w->convoy;
        p->repeats = 0;
    }
    return true;
}

// The same for another access by the register of `first`, which has been found, `distance` bytes from it.
static __attribute__((noinline)) bool hw_known_follow_anew(hw_warp *w, const hw_inst *in, hw_pattern *p,
                                                           const hw_pattern *first, int64_t distance) {
    uint32_t n = w->convoy, bytes = (uint32_t)in->width * in->vector;
    bool is_known = p->known_limit != 0 && hw_known_is_alike(p, first);
    uint64_t memory = (p->space == HW_SPACE_SHARED ? (uintptr_t)hw_state_of(w)->shared : 0) - p->window;
    uint64_t begin = p->begin + memory, limit = p->limit, offsets = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint64_t host = (uint64_t)(uintptr_t)first->at[k] + (uint64_t)distance;
        is_known &= host - begin < limit;
        offsets |= host - begin;
        p->phase[k] = (uint8_t)(first->phase[k] + distance) & 127;
    }
    return is_known && !(offsets & (bytes - 1));
}

static inline bool hw_known_follow_all(hw_warp *w, const hw_inst *in, hw_pattern *p, const hw_pattern *first,
                                       int64_t distance) {
    if (p->fixed_for == w && p->n_at == w->convoy) return true;
    if (p->fixed_for) hw_access_settle(p);
    if (!hw_known_follow_anew(w, in, p, first, distance)) return false;
    if (first->fixed_for == w) {
        for (uint32_t k = 0; k < w->convoy; k++) p->at[k] = first->at[k] + distance;
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
