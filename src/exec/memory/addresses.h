// The addresses of a warp's lanes as one value: with AVX-512 four registers, which go through the checks of an access
// without touching memory. For files that are compiled once for each instruction-set level. Private to exec.
#ifndef HW_EXEC_ADDRESSES_H
#define HW_EXEC_ADDRESSES_H

#include "exec/ops/lanes.h"

#ifdef HW_HAS_AVX512
// No array: that would be kept in memory.
typedef struct hw_addresses {
    __m512i a, b, c, d;      // 8 lanes each
} hw_addresses;

static inline hw_addresses hw_addresses_same(uint64_t address) {
    const __m512i all = _mm512_set1_epi64((long long)address);
    return (hw_addresses){all, all, all, all};
}

// a[i] + more of the lanes in mask, `other` of the rest.
static inline hw_addresses hw_addresses_sum(const uint64_t *a, uint64_t more, uint32_t mask, uint64_t other) {
    const __m512i m = _mm512_set1_epi64((long long)more), o = _mm512_set1_epi64((long long)other);
    return (hw_addresses){_mm512_mask_add_epi64(o, (__mmask8)mask, hw_get(a, 0), m),
                          _mm512_mask_add_epi64(o, (__mmask8)(mask >> 8), hw_get(a, 1), m),
                          _mm512_mask_add_epi64(o, (__mmask8)(mask >> 16), hw_get(a, 2), m),
                          _mm512_mask_add_epi64(o, (__mmask8)(mask >> 24), hw_get(a, 3), m)};
}

// The same of addresses of 32 bits, whose sums wrap.
static inline hw_addresses hw_addresses_sum_32(const uint32_t *a, uint32_t more, uint32_t mask, uint64_t other) {
    const __m512i m = _mm512_set1_epi32((int)more), o = _mm512_set1_epi64((long long)other);
    const __m512i low = _mm512_add_epi32(hw_get(a, 0), m), high = _mm512_add_epi32(hw_get(a, 1), m);
    return (hw_addresses){
        _mm512_mask_cvtepu32_epi64(o, (__mmask8)mask, _mm512_castsi512_si256(low)),
        _mm512_mask_cvtepu32_epi64(o, (__mmask8)(mask >> 8), _mm512_extracti64x4_epi64(low, 1)),
        _mm512_mask_cvtepu32_epi64(o, (__mmask8)(mask >> 16), _mm512_castsi512_si256(high)),
        _mm512_mask_cvtepu32_epi64(o, (__mmask8)(mask >> 24), _mm512_extracti64x4_epi64(high, 1))};
}

static inline hw_addresses hw_addresses_plus(hw_addresses x, uint64_t more) {
    const __m512i m = _mm512_set1_epi64((long long)more);
    return (hw_addresses){_mm512_add_epi64(x.a, m), _mm512_add_epi64(x.b, m), _mm512_add_epi64(x.c, m),
                          _mm512_add_epi64(x.d, m)};
}

static inline void hw_addresses_put(hw_addresses x, void *to) {
    _mm512_storeu_si512(to, x.a);
    _mm512_storeu_si512((char *)to + 64, x.b);
    _mm512_storeu_si512((char *)to + 128, x.c);
    _mm512_storeu_si512((char *)to + 192, x.d);
}

static inline bool hw_addresses_equal(hw_addresses x, const int64_t y[32]) {
    const __mmask8 low = _mm512_cmpneq_epi64_mask(x.a, hw_get(y, 0)) | _mm512_cmpneq_epi64_mask(x.b, hw_get(y, 1));
    const __mmask8 high = _mm512_cmpneq_epi64_mask(x.c, hw_get(y, 2)) | _mm512_cmpneq_epi64_mask(x.d, hw_get(y, 3));
    return !(low | high);
}

// Do all lie at begin .. begin + room - 1, and are multiples of `bytes`, a power of two? room: less than half of the
// address space.
static inline bool hw_addresses_within(hw_addresses x, uint64_t begin, uint64_t room, uint32_t bytes) {
    const hw_addresses behind = hw_addresses_plus(x, -begin);
    const __m512i lower = _mm512_max_epu64(behind.a, behind.b), upper = _mm512_max_epu64(behind.c, behind.d);
    const __m512i bits = _mm512_or_si512(_mm512_or_si512(x.a, x.b), _mm512_or_si512(x.c, x.d));
    const __m512i most = _mm512_max_epu64(lower, upper), end = _mm512_set1_epi64((long long)room);
    const __mmask8 outside = _mm512_cmpge_epu64_mask(most, end);
    return !(outside | _mm512_test_epi64_mask(bits, _mm512_set1_epi64((long long)bytes - 1)));
}

// The least, and the greatest, lane by lane.
static inline hw_addresses hw_addresses_least(hw_addresses x, hw_addresses y) {
    return (hw_addresses){_mm512_min_epu64(x.a, y.a), _mm512_min_epu64(x.b, y.b), _mm512_min_epu64(x.c, y.c),
                          _mm512_min_epu64(x.d, y.d)};
}

static inline hw_addresses hw_addresses_most(hw_addresses x, hw_addresses y) {
    return (hw_addresses){_mm512_max_epu64(x.a, y.a), _mm512_max_epu64(x.b, y.b), _mm512_max_epu64(x.c, y.c),
                          _mm512_max_epu64(x.d, y.d)};
}

// Of all lanes.
static inline uint64_t hw_addresses_low(hw_addresses x) {
    return _mm512_reduce_min_epu64(_mm512_min_epu64(_mm512_min_epu64(x.a, x.b), _mm512_min_epu64(x.c, x.d)));
}

static inline uint64_t hw_addresses_high(hw_addresses x) {
    return _mm512_reduce_max_epu64(_mm512_max_epu64(_mm512_max_epu64(x.a, x.b), _mm512_max_epu64(x.c, x.d)));
}

// Addresses in local memory as the host's: words of the lanes side by side (hw_local_offset).
static inline hw_addresses hw_addresses_local(hw_addresses x, uint64_t memory) {
    const __m512i lanes = _mm512_set_epi64(28, 24, 20, 16, 12, 8, 4, 0), in_word = _mm512_set1_epi64(3);
#define PLACE(y, first)                                                                                          \
    _mm512_add_epi64(_mm512_ternarylogic_epi64(_mm512_slli_epi64(_mm512_srli_epi64(y, 2), 7), y, in_word, 0xf8), \
                     _mm512_add_epi64(lanes, _mm512_set1_epi64((long long)memory + 4 * (first))))
    return (hw_addresses){PLACE(x.a, 0), PLACE(x.b, 8), PLACE(x.c, 16), PLACE(x.d, 24)};
#undef PLACE
}

// (x - origin) >> shift, in 32 bits.
static inline void hw_addresses_put_places(hw_addresses x, uint64_t origin, uint32_t shift, uint32_t to[32]) {
    const hw_addresses behind = hw_addresses_plus(x, -origin);
    const __m128i by = _mm_cvtsi32_si128((int)shift);
    const __m256i a = _mm512_cvtepi64_epi32(_mm512_srl_epi64(behind.a, by));
    const __m256i b = _mm512_cvtepi64_epi32(_mm512_srl_epi64(behind.b, by));
    const __m256i c = _mm512_cvtepi64_epi32(_mm512_srl_epi64(behind.c, by));
    const __m256i d = _mm512_cvtepi64_epi32(_mm512_srl_epi64(behind.d, by));
    _mm512_storeu_si512(to, _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1));
    _mm512_storeu_si512(to + 16, _mm512_inserti64x4(_mm512_castsi256_si512(c), d, 1));
}

#else
typedef struct hw_addresses {
    uint64_t of[32];
} hw_addresses;

static inline hw_addresses hw_addresses_same(uint64_t address) {
    hw_addresses same;
    for (int i = 0; i < 32; i++) same.of[i] = address;
    return same;
}

static inline hw_addresses hw_addresses_sum(const uint64_t *a, uint64_t more, uint32_t mask, uint64_t other) {
    hw_addresses sum;
    for (int i = 0; i < 32; i++) sum.of[i] = mask >> i & 1 ? a[i] + more : other;
    return sum;
}

static inline hw_addresses hw_addresses_sum_32(const uint32_t *a, uint32_t more, uint32_t mask, uint64_t other) {
    hw_addresses sum;
    for (int i = 0; i < 32; i++) sum.of[i] = mask >> i & 1 ? (uint32_t)(a[i] + more) : other;
    return sum;
}

static inline hw_addresses hw_addresses_plus(hw_addresses a, uint64_t more) {
    for (int i = 0; i < 32; i++) a.of[i] += more;
    return a;
}

static inline void hw_addresses_put(hw_addresses a, void *to) { __builtin_memcpy(to, a.of, sizeof a.of); }

static inline bool hw_addresses_equal(hw_addresses a, const int64_t b[32]) {
    uint64_t differ = 0;
    for (int i = 0; i < 32; i++) differ |= a.of[i] ^ (uint64_t)b[i];
    return !differ;
}

// One sign tells of too low and too high.
static inline bool hw_addresses_within(hw_addresses a, uint64_t begin, uint64_t room, uint32_t bytes) {
    const uint64_t last = room - 1;
    uint64_t outside = last, bits = 0;
    for (int i = 0; i < 32; i++) {
        const uint64_t offset = a.of[i] - begin;
        outside |= offset | (last - offset);
        bits |= a.of[i];
    }
    return !(outside >> 63) && !(bits & (bytes - 1));
}

// Addresses are below 2^63, and signed ones are compared sooner.
static inline hw_addresses hw_addresses_least(hw_addresses a, hw_addresses b) {
    for (int i = 0; i < 32; i++) a.of[i] = (int64_t)b.of[i] < (int64_t)a.of[i] ? b.of[i] : a.of[i];
    return a;
}

static inline hw_addresses hw_addresses_most(hw_addresses a, hw_addresses b) {
    for (int i = 0; i < 32; i++) a.of[i] = (int64_t)b.of[i] > (int64_t)a.of[i] ? b.of[i] : a.of[i];
    return a;
}

static inline uint64_t hw_addresses_low(hw_addresses a) {
    int64_t low = (int64_t)a.of[0];
    for (int i = 1; i < 32; i++) low = (int64_t)a.of[i] < low ? (int64_t)a.of[i] : low;
    return (uint64_t)low;
}

static inline uint64_t hw_addresses_high(hw_addresses a) {
    int64_t high = (int64_t)a.of[0];
    for (int i = 1; i < 32; i++) high = (int64_t)a.of[i] > high ? (int64_t)a.of[i] : high;
    return (uint64_t)high;
}

static inline void hw_addresses_put_places(hw_addresses a, uint64_t origin, uint32_t shift, uint32_t to[32]) {
    for (int i = 0; i < 32; i++) to[i] = (uint32_t)((a.of[i] - origin) >> shift);
}

static inline hw_addresses hw_addresses_local(hw_addresses a, uint64_t memory) {
    for (int i = 0; i < 32; i++) a.of[i] = memory + (a.of[i] >> 2) * 128 + (a.of[i] & 3) + 4 * (uint64_t)i;
    return a;
}
#endif

// The active lanes' addresses, and for the others the first one's, which is *base.
static inline hw_addresses hw_addresses_of(const hw_warp *w, const hw_inst *in, uint64_t *base) {
    const int first = __builtin_ctz(w->mask);
    *base = (uint64_t)in->imm;
    if (in->a == HW_NO_SLOT) return hw_addresses_same(*base);
    if (in->flags & HW_INST_ADDRESS_32) {
        const uint32_t *a = hw_at(w, in->a), imm = (uint32_t)in->imm;
        *base = (uint32_t)(a[first] + imm);
        return hw_addresses_sum_32(a, imm, w->mask, *base);
    }
    const uint64_t *a = hw_at(w, in->a), imm = (uint64_t)in->imm;
    *base = a[first] + imm;
    return hw_addresses_sum(a, imm, w->mask, *base);
}

#endif
