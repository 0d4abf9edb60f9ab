// Distinct pieces of memory for x86 processors with AVX-512, which finds equal lanes by itself (CD). Compiled for it
// here, whatever the build says.
#ifdef __x86_64__
#include <immintrin.h>
#include <stddef.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd,popcnt"))), \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd,popcnt")
#endif

#include "model/distinct.h"

enum { ALL_LANES = 32, HALF_LANES = 16, ROW_BYTES = 128, WORD_BYTES = 4, NUMBER_BITS = 29 };

// ---- numbers of pieces ----

// Each lane's piece, in 31 bits; of lanes that are off anything.
typedef struct numbers {
    __m512i low, high;       // lanes 0 to 15, and 16 to 31
} numbers;

static inline __m512i join(__m512i first, __m512i second) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(first)), _mm512_cvtepi64_epi32(second), 1);
}

static inline bool number_places(const hw_lanes *l, uint32_t piece_bytes, numbers *n) {
    const __m128i shift = _mm_cvtsi32_si128(__builtin_ctz(piece_bytes) - __builtin_ctz(l->width));
    n->low = _mm512_srl_epi32(_mm512_loadu_si512(l->place), shift);
    n->high = _mm512_srl_epi32(_mm512_loadu_si512(l->place + HALF_LANES), shift);
    return l->width <= piece_bytes;
}

// False for lanes that cannot be counted.
static inline bool number_pieces(const hw_lanes *l, uint32_t piece_bytes, numbers *n) {
    if (l->place) return number_places(l, piece_bytes, n);
    const uint32_t shift = (uint32_t)__builtin_ctz(piece_bytes), inside = l->width - 1;
    const uint64_t middle = (uint64_t)1 << (NUMBER_BITS - 1 + shift);
    const __m512i begin = _mm512_set1_epi64((long long)(l->base % ROW_BYTES + middle));
    __m512i at[4], bits = _mm512_setzero_si512(), places = bits;
    for (int k = 0; k < 4; k++) {
        const __m512i delta = _mm512_maskz_loadu_epi64((__mmask8)(l->mask >> 8 * k), l->delta + 8 * k);
        bits = _mm512_or_si512(bits, delta);
        at[k] = _mm512_add_epi64(begin, delta);
        places = _mm512_or_si512(places, at[k]);
        at[k] = _mm512_srl_epi64(at[k], _mm_cvtsi32_si128((int)shift));
    }
    n->low = join(at[0], at[1]);
    n->high = join(at[2], at[3]);
    const __mmask8 is_odd = _mm512_test_epi64_mask(bits, _mm512_set1_epi64(inside));
    const __mmask8 is_far = _mm512_test_epi64_mask(places, _mm512_set1_epi64(-(1ll << (NUMBER_BITS + shift))));
    return l->width && l->width <= piece_bytes && !(l->width & inside) && !(l->base & inside) && !(is_odd | is_far);
}

// The lanes that are on, when they are 16 at most, side by side from lane 0.
static inline __m512i compact(const numbers *n, uint32_t mask) {
    const __m512i low = _mm512_maskz_compress_epi32((__mmask16)mask, n->low);
    const __m512i high = _mm512_maskz_compress_epi32((__mmask16)(mask >> HALF_LANES), n->high);
    const uint32_t behind = ~0u << __builtin_popcount((uint16_t)mask);
    return _mm512_mask_expand_epi32(low, (__mmask16)behind, high);
}

// ---- lanes with the same number ----

// Of 16 lanes, those whose number no lower lane of them has.
static inline uint32_t new_of_16(__m512i numbers, uint32_t lanes) {
    const __m512i twins = _mm512_conflict_epi32(numbers);
    return _mm512_mask_testn_epi32_mask((__mmask16)lanes, twins, _mm512_set1_epi32((int)lanes));
}

// The same of both halves, each for itself.
static inline uint32_t new_in_halves(const numbers *n, uint32_t mask) {
    return new_of_16(n->low, mask & 0xffff) | new_of_16(n->high, mask >> HALF_LANES) << HALF_LANES;
}

// Lanes of the second half are compared with all of the first: the least difference is 0 where one is equal.
static inline uint32_t new_lanes(const numbers *n, uint32_t mask) {
    const __m512i nobody = _mm512_set1_epi32(INT32_MIN), low = _mm512_mask_mov_epi32(nobody, (__mmask16)mask, n->low);
    __m512i even = _mm512_xor_si512(n->high, low), odd = _mm512_set1_epi32(-1);
#define COMPARE(least, k) least = _mm512_min_epu32(least, _mm512_xor_si512(n->high, _mm512_alignr_epi32(low, low, k)))
    COMPARE(odd, 1), COMPARE(even, 2), COMPARE(odd, 3), COMPARE(even, 4), COMPARE(odd, 5);
    COMPARE(even, 6), COMPARE(odd, 7), COMPARE(even, 8), COMPARE(odd, 9), COMPARE(even, 10);
    COMPARE(odd, 11), COMPARE(even, 12), COMPARE(odd, 13), COMPARE(even, 14), COMPARE(odd, 15);
#undef COMPARE
    const __m512i least = _mm512_min_epu32(even, odd);
    const uint32_t differs = _mm512_test_epi32_mask(least, least);
    return new_in_halves(n, mask) & (0xffff | differs << HALF_LANES);
}

// Of numbers side by side, those that differ from the one before; bit 0 is not set. *descends: one is less than it.
static inline uint32_t changes_of(__m512i numbers, uint32_t lanes, uint32_t *descends) {
    const __m512i before = _mm512_alignr_epi32(numbers, numbers, HALF_LANES - 1);
    const __mmask16 behind = (__mmask16)(lanes & ~1u);
    *descends |= _mm512_mask_cmplt_epu32_mask(behind, numbers, before);
    return _mm512_mask_cmpneq_epi32_mask(behind, numbers, before);
}

// The different numbers of lanes whose numbers do not descend, as those of rows that lie behind each other; 0: they do.
static inline uint32_t ascending_numbers(const numbers *n, uint32_t mask) {
    const uint32_t n_low = (uint32_t)__builtin_popcount(mask & 0xffff);
    const uint32_t n_high = (uint32_t)__builtin_popcount(mask >> HALF_LANES);
    const __m512i low = _mm512_maskz_compress_epi32((__mmask16)mask, n->low);
    uint32_t descends = 0;
    const uint32_t in_low = changes_of(low, (1u << n_low) - 1, &descends);
    if (descends) return 0;    // the usual way of those that do
    const __m512i high = _mm512_maskz_compress_epi32((__mmask16)(mask >> HALF_LANES), n->high);
    const uint32_t in_high = changes_of(high, (1u << n_high) - 1, &descends);
    const __m512i last = _mm512_permutexvar_epi32(_mm512_set1_epi32((int)n_low - 1), low);
    const uint32_t last_low = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(last));
    const uint32_t first_high = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(high));
    if (descends || first_high < last_low) return 0;
    return 1 + (uint32_t)__builtin_popcount(in_low) + (uint32_t)__builtin_popcount(in_high) + (first_high > last_low);
}

static uint32_t pieces(const hw_lanes *l, uint32_t piece_bytes) {
    numbers n;
    uint32_t descends = 0;
    if (!number_pieces(l, piece_bytes, &n)) return HW_DISTINCT_UNKNOWN;
    const uint32_t lanes = (uint32_t)__builtin_popcount(l->mask);
    if (lanes > HALF_LANES) {
        const uint32_t ascending = ascending_numbers(&n, l->mask);
        return ascending ? ascending : (uint32_t)__builtin_popcount(new_lanes(&n, l->mask));
    }
    const __m512i few = compact(&n, l->mask);
    const uint32_t changes = changes_of(few, (1u << lanes) - 1, &descends);
    if (!descends) return 1 + (uint32_t)__builtin_popcount(changes);
    return (uint32_t)__builtin_popcount(new_of_16(few, (1u << lanes) - 1));
}

// Lanes of different groups of 8 have different numbers, by the bit that no piece has; those of 16 are halves.
static inline numbers number_groups(const numbers *n, uint32_t group) {
    const __m512i second = _mm512_set1_epi32(group == 8 ? INT32_MIN : 0);
    return (numbers){_mm512_mask_or_epi32(n->low, 0xff00, n->low, second),
                     _mm512_mask_or_epi32(n->high, 0xff00, n->high, second)};
}

static uint32_t pieces_of_eights(const hw_lanes *l) {
    const uint32_t piece_bytes = l->width > WORD_BYTES ? l->width : WORD_BYTES;
    numbers n;
    if (!number_pieces(l, piece_bytes, &n)) return HW_DISTINCT_UNKNOWN;
    n = number_groups(&n, 8);
    return (uint32_t)__builtin_popcount(new_in_halves(&n, l->mask)) * (piece_bytes / WORD_BYTES);
}

// ---- busy banks ----

// planes[k] has bit k of each of 32 counts: the largest count.
static inline uint32_t largest_count(const __m128i *planes, int n) {
    uint32_t largest = 0, columns = 0xffffffff;
    for (int k = n - 1; k >= 0; k--) {
        const uint32_t with = columns & (uint32_t)_mm_cvtsi128_si32(planes[k]);
        largest = largest << 1 | (with != 0);
        columns = with ? with : columns;
    }
    return largest;
}

enum { EITHER_OR = 0x96, MAJORITY = 0xe8 };   // truth tables of a full adder

// Adds the lanes' upper half, `bytes` behind the lower one, to it: n planes become one more.
#define FOLD(planes, n, bytes)                                                              \
    do {                                                                                    \
        __m128i carry_ = _mm_setzero_si128();                                               \
        for (int k = 0; k < (n); k++) {                                                     \
            const __m128i upper_ = _mm_srli_si128(planes[k], bytes), lower_ = planes[k];    \
            planes[k] = _mm_ternarylogic_epi32(lower_, upper_, carry_, EITHER_OR);          \
            carry_ = _mm_ternarylogic_epi32(lower_, upper_, carry_, MAJORITY);              \
        }                                                                                   \
        planes[n] = carry_;                                                                 \
    } while (0)

// Of words with one bit or none: how many have the bit that most have. In how many of the words each bit is set is
// counted for all bits at once, by adders of single bits.
static inline uint32_t most_set_of_16(__m512i words) {
    const __m256i x = _mm512_castsi512_si256(words), y = _mm512_extracti64x4_epi64(words, 1);
    const __m256i ones = _mm256_xor_si256(x, y), twos = _mm256_and_si256(x, y);
    const __m128i a = _mm256_castsi256_si128(ones), b = _mm256_extracti128_si256(ones, 1);
    const __m128i c = _mm256_castsi256_si128(twos), d = _mm256_extracti128_si256(twos, 1);
    const __m128i carry = _mm_and_si128(a, b);
    __m128i planes[5] = {_mm_xor_si128(a, b), _mm_ternarylogic_epi32(c, d, carry, EITHER_OR),
                         _mm_ternarylogic_epi32(c, d, carry, MAJORITY)};
    FOLD(planes, 3, 8);
    FOLD(planes, 4, 4);
    return largest_count(planes, 5);
}

static inline uint32_t most_set(__m512i low, __m512i high) {
    const __m512i ones = _mm512_xor_si512(low, high), twos = _mm512_and_si512(low, high);
    const __m256i x = _mm512_castsi512_si256(ones), y = _mm512_extracti64x4_epi64(ones, 1);
    const __m256i z = _mm512_castsi512_si256(twos), t = _mm512_extracti64x4_epi64(twos, 1), c = _mm256_and_si256(x, y);
    const __m256i of_8[3] = {_mm256_xor_si256(x, y), _mm256_ternarylogic_epi32(z, t, c, EITHER_OR),
                             _mm256_ternarylogic_epi32(z, t, c, MAJORITY)};
    __m128i planes[6], carry = _mm_setzero_si128();
    for (int k = 0; k < 3; k++) {
        const __m128i lower = _mm256_castsi256_si128(of_8[k]), upper = _mm256_extracti128_si256(of_8[k], 1);
        planes[k] = _mm_ternarylogic_epi32(lower, upper, carry, EITHER_OR);
        carry = _mm_ternarylogic_epi32(lower, upper, carry, MAJORITY);
    }
    planes[3] = carry;
    FOLD(planes, 4, 8);
    FOLD(planes, 5, 4);
    return largest_count(planes, 6);
}

// A bit for the bank of each lane's piece; none of other lanes.
static inline __m512i bits_of_banks(__m512i numbers, uint32_t lanes, uint32_t banks) {
    return _mm512_maskz_sllv_epi32((__mmask16)lanes, _mm512_set1_epi32(1),
                                   _mm512_and_si512(numbers, _mm512_set1_epi32((int)banks - 1)));
}

// As busiest_of_near, of places.
static inline uint32_t busiest_of_near_places(const hw_lanes *l) {
    const __m512i one = _mm512_set1_epi64(1), first = _mm512_set1_epi32((int)l->place[__builtin_ctz(l->mask)]);
    const __m512i outside = _mm512_set1_epi32(~63), low = _mm512_sub_epi32(_mm512_loadu_si512(l->place), first);
    const __m512i high = _mm512_sub_epi32(_mm512_loadu_si512(l->place + HALF_LANES), first);
    if (_mm512_mask_test_epi32_mask((__mmask16)l->mask, low, outside) |
        _mm512_mask_test_epi32_mask((__mmask16)(l->mask >> HALF_LANES), high, outside))
        return 0;
#define BITS(half, part, lane)                                 \
    _mm512_maskz_sllv_epi64((__mmask8)(l->mask >> (lane)), one, \
                            _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(half, part)))
    const __m512i in_low = _mm512_or_si512(BITS(low, 0, 0), BITS(low, 1, 8));
    const __m512i in_high = _mm512_or_si512(BITS(high, 0, 16), BITS(high, 1, 24));
#undef BITS
    const uint64_t all = (uint64_t)_mm512_reduce_or_epi64(_mm512_or_si512(in_low, in_high));
    return 1 + ((uint32_t)all & (uint32_t)(all >> 32) ? 1 : 0);
}

// Words less than 256 bytes behind the first lane's are a bit each of 64: a bank has two of them at most. 0: they are
// not so near, or no words of 4 bytes.
static inline uint32_t busiest_of_near(const hw_lanes *l) {
    const __m512i one = _mm512_set1_epi64(1), outside = _mm512_set1_epi64(~(256ll - WORD_BYTES));
    __m512i delta[4], words = _mm512_setzero_si512(), bits = words;
    if (l->width != WORD_BYTES) return 0;
    if (l->place) return busiest_of_near_places(l);
    if (l->base % WORD_BYTES) return 0;
    for (int k = 0; k < 4; k++) {
        delta[k] = _mm512_maskz_loadu_epi64((__mmask8)(l->mask >> 8 * k), l->delta + 8 * k);
        bits = _mm512_or_si512(bits, delta[k]);
    }
    if (_mm512_test_epi64_mask(bits, outside)) return 0;
    for (int k = 0; k < 4; k++) {
        const __m512i word = _mm512_sllv_epi64(one, _mm512_srli_epi64(delta[k], 2));
        words = _mm512_mask_or_epi64(words, (__mmask8)(l->mask >> 8 * k), words, word);
    }
    const uint64_t all = (uint64_t)_mm512_reduce_or_epi64(words);
    return 1 + ((uint32_t)all & (uint32_t)(all >> 32) ? 1 : 0);
}

static uint32_t busiest_banks(const hw_lanes *l, uint32_t group, bool shares) {
    const uint32_t piece_bytes = l->width > WORD_BYTES ? l->width : WORD_BYTES, banks = ROW_BYTES / piece_bytes;
    const uint32_t lanes = (uint32_t)__builtin_popcount(l->mask);
    uint32_t counted = l->mask, total = 0;
    numbers n;
    const uint32_t near = shares && group == ALL_LANES ? busiest_of_near(l) : 0;
    if (near) return near;
    if (!number_pieces(l, piece_bytes, &n)) return HW_DISTINCT_UNKNOWN;
    if (group == ALL_LANES && lanes <= HALF_LANES) {
        const __m512i few = compact(&n, l->mask);
        counted = (1u << lanes) - 1;
        return most_set_of_16(bits_of_banks(few, shares ? new_of_16(few, counted) : counted, banks));
    }
    if (shares && group == ALL_LANES) {
        counted = new_lanes(&n, l->mask);
    } else if (shares) {
        const numbers of_groups = number_groups(&n, group);
        counted = new_in_halves(&of_groups, l->mask);
    }
    for (uint32_t first = 0; first < ALL_LANES; first += group) {
        const uint32_t members = counted & (uint32_t)(((uint64_t)1 << group) - 1) << first;
        if (members)
            total += most_set(bits_of_banks(n.low, members & 0xffff, banks),
                              bits_of_banks(n.high, members >> HALF_LANES, banks));
    }
    return total;
}

const hw_distinct_level hw_distinct_avx512 = {"avx512", pieces, pieces_of_eights, busiest_banks, NULL, NULL};

#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int hw_distinct_avx512_is_for_x86;
#endif
