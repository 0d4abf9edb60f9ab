// The addresses of a warp's lanes as one value: with AVX-512 four registers, with AVX2 eight, which go through the
// checks of an access without touching memory. For files that are compiled once for each instruction-set level. Private
// to exec.
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

#elif defined(__AVX2__)
// No array, as above; and no loops over lanes, of which GCC makes vectors of 16 bytes that it keeps in memory.
typedef struct hw_addresses {
    __m256i a, b, c, d, e, f, g, h;      // 4 lanes each
} hw_addresses;

// F(part, number) of all parts.
#define HW_EACH_PART(F) \
    ((hw_addresses){F(a, 0), F(b, 1), F(c, 2), F(d, 3), F(e, 4), F(f, 5), F(g, 6), F(h, 7)})
#define HW_OR_PARTS(x)                                                                                           \
    _mm256_or_si256(_mm256_or_si256(_mm256_or_si256((x).a, (x).b), _mm256_or_si256((x).c, (x).d)),               \
                    _mm256_or_si256(_mm256_or_si256((x).e, (x).f), _mm256_or_si256((x).g, (x).h)))

static inline __m256i hw_part_of(const void *lanes, int k) {
    return _mm256_loadu_si256((const __m256i *)lanes + k);
}

// All bits of lanes 4k to 4k + 3 that are in the mask.
static inline __m256i hw_part_mask(uint32_t mask, int k) {
    const __m256i bits = _mm256_slli_epi64(_mm256_setr_epi64x(1, 2, 4, 8), 4 * k);
    return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x((long long)mask), bits), bits);
}

static inline hw_addresses hw_addresses_same(uint64_t address) {
    const __m256i all = _mm256_set1_epi64x((long long)address);
    return (hw_addresses){all, all, all, all, all, all, all, all};
}

static inline hw_addresses hw_addresses_plus(hw_addresses x, uint64_t more) {
    const __m256i m = _mm256_set1_epi64x((long long)more);
#define SUM(part, k) _mm256_add_epi64(x.part, m)
    return HW_EACH_PART(SUM);
#undef SUM
}

// x of the lanes in mask, `other` of the rest.
static inline hw_addresses hw_addresses_choose(hw_addresses x, uint32_t mask, uint64_t other) {
    const __m256i o = _mm256_set1_epi64x((long long)other);
    if (mask == 0xffffffff) return x;
#define CHOICE(part, k) _mm256_blendv_epi8(o, x.part, hw_part_mask(mask, k))
    return HW_EACH_PART(CHOICE);
#undef CHOICE
}

// a[i] + more of the lanes in mask, `other` of the rest.
static inline hw_addresses hw_addresses_sum(const uint64_t *a, uint64_t more, uint32_t mask, uint64_t other) {
#define PART(part, k) hw_part_of(a, k)
    return hw_addresses_choose(hw_addresses_plus(HW_EACH_PART(PART), more), mask, other);
#undef PART
}

// The same of addresses of 32 bits, whose sums wrap.
static inline hw_addresses hw_addresses_sum_32(const uint32_t *a, uint32_t more, uint32_t mask, uint64_t other) {
    const __m128i m = _mm_set1_epi32((int)more);
#define PART(part, k) _mm256_cvtepu32_epi64(_mm_add_epi32(_mm_loadu_si128((const __m128i *)a + k), m))
    return hw_addresses_choose(HW_EACH_PART(PART), mask, other);
#undef PART
}

static inline void hw_addresses_put(hw_addresses x, void *to) {
    __m256i *parts = to;
    _mm256_storeu_si256(parts, x.a);
    _mm256_storeu_si256(parts + 1, x.b);
    _mm256_storeu_si256(parts + 2, x.c);
    _mm256_storeu_si256(parts + 3, x.d);
    _mm256_storeu_si256(parts + 4, x.e);
    _mm256_storeu_si256(parts + 5, x.f);
    _mm256_storeu_si256(parts + 6, x.g);
    _mm256_storeu_si256(parts + 7, x.h);
}

static inline bool hw_addresses_equal(hw_addresses x, const int64_t y[32]) {
#define DIFFERENCE(part, k) _mm256_xor_si256(x.part, hw_part_of(y, k))
    const hw_addresses differ = HW_EACH_PART(DIFFERENCE);
#undef DIFFERENCE
    const __m256i any = HW_OR_PARTS(differ);
    return _mm256_testz_si256(any, any);
}

// One sign tells of too low and too high.
static inline bool hw_addresses_within(hw_addresses x, uint64_t begin, uint64_t room, uint32_t bytes) {
    const __m256i last = _mm256_set1_epi64x((long long)room - 1), inside = _mm256_set1_epi64x((long long)bytes - 1);
    const hw_addresses behind = hw_addresses_plus(x, -begin);
#define OUTSIDE(part, k) _mm256_or_si256(behind.part, _mm256_sub_epi64(last, behind.part))
    const hw_addresses outside = HW_EACH_PART(OUTSIDE);
#undef OUTSIDE
    return !_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_or_si256(last, HW_OR_PARTS(outside)))) &&
           _mm256_testz_si256(HW_OR_PARTS(x), inside);
}

// Addresses are below 2^63, so signed ones are compared, which AVX2 can.
static inline hw_addresses hw_addresses_least(hw_addresses x, hw_addresses y) {
#define LEAST(part, k) _mm256_blendv_epi8(x.part, y.part, _mm256_cmpgt_epi64(x.part, y.part))
    return HW_EACH_PART(LEAST);
#undef LEAST
}

static inline hw_addresses hw_addresses_most(hw_addresses x, hw_addresses y) {
#define MOST(part, k) _mm256_blendv_epi8(y.part, x.part, _mm256_cmpgt_epi64(x.part, y.part))
    return HW_EACH_PART(MOST);
#undef MOST
}

static inline uint64_t hw_addresses_low(hw_addresses x) {
    int64_t of[32], low;
    hw_addresses_put(x, of);
    low = of[0];
    for (int i = 1; i < 32; i++) low = of[i] < low ? of[i] : low;
    return (uint64_t)low;
}

static inline uint64_t hw_addresses_high(hw_addresses x) {
    int64_t of[32], high;
    hw_addresses_put(x, of);
    high = of[0];
    for (int i = 1; i < 32; i++) high = of[i] > high ? of[i] : high;
    return (uint64_t)high;
}

// Addresses in local memory as the host's: words of the lanes side by side (hw_local_offset).
static inline hw_addresses hw_addresses_local(hw_addresses x, uint64_t memory) {
    const __m256i lanes = _mm256_setr_epi64x(0, 4, 8, 12), in_word = _mm256_set1_epi64x(3);
#define PLACE(part, k)                                                                                           \
    _mm256_add_epi64(_mm256_or_si256(_mm256_slli_epi64(_mm256_srli_epi64(x.part, 2), 7),                         \
                                     _mm256_and_si256(x.part, in_word)),                                         \
                     _mm256_add_epi64(lanes, _mm256_set1_epi64x((long long)memory + 16 * k)))
    return HW_EACH_PART(PLACE);
#undef PLACE
}

// (x - origin) >> shift, in 32 bits.
static inline void hw_addresses_put_places(hw_addresses x, uint64_t origin, uint32_t shift, uint32_t to[32]) {
    const hw_addresses behind = hw_addresses_plus(x, -origin);
    const __m128i by = _mm_cvtsi32_si128((int)shift);
#define NUMBER(part, k) _mm256_srl_epi64(behind.part, by)
    const hw_addresses n = HW_EACH_PART(NUMBER);
#undef NUMBER
#define PUT_EIGHT(x, y, k)                                                                                       \
    _mm256_storeu_si256((__m256i *)to + k,                                                                       \
                        _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(x),   \
                                                                                       _mm256_castsi256_ps(y),   \
                                                                                       0x88)), 0xd8))
    PUT_EIGHT(n.a, n.b, 0);
    PUT_EIGHT(n.c, n.d, 1);
    PUT_EIGHT(n.e, n.f, 2);
    PUT_EIGHT(n.g, n.h, 3);
#undef PUT_EIGHT
}
#undef HW_EACH_PART
#undef HW_OR_PARTS

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
