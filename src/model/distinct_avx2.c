// Distinct pieces of memory for x86 processors with AVX2. Compiled for it here, whatever the build says.
//
// The numbers of the lanes that are on are put side by side in memory, and compared with the same numbers one lane
// further, two lanes further, and so on: a comparison with memory is one instruction, where turning a register takes
// several. Behind the last lane stands the first one's number once more, which is new to nobody; before the first lane
// stands a number that no lane has.
#ifdef __x86_64__
#include <immintrin.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,popcnt")
#endif

#include "model/distinct.h"

enum { ALL_LANES = 32, PART_LANES = 8, PARTS = 4, ROW_BYTES = 128, WORD_BYTES = 4, NUMBER_BITS = 29 };

#ifdef __clang__
#define UNROLLED _Pragma("unroll")
#else
#define UNROLLED _Pragma("GCC unroll 32")
#endif

static inline __m256i get(const void *from) { return _mm256_loadu_si256(from); }
static inline void put(void *to, __m256i x) { _mm256_storeu_si256(to, x); }
static inline uint32_t signs_of(__m256i x) { return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(x)); }
static inline uint32_t bits_set(uint32_t x) { return (uint32_t)__builtin_popcount(x); }

// ---- numbers of pieces ----

// Each lane's piece, in 31 bits; of lanes that are off anything.
typedef struct numbers {
    __m256i of[PARTS];
} numbers;

static inline bool number_places(const hw_lanes *l, uint32_t piece_bytes, numbers *n) {
    const __m128i shift = _mm_cvtsi32_si128(__builtin_ctz(piece_bytes) - __builtin_ctz(l->width));
    for (int k = 0; k < PARTS; k++) n->of[k] = _mm256_srl_epi32(get(l->place + PART_LANES * k), shift);
    return l->width <= piece_bytes;
}

// All bits of the elements that are in the mask: of lanes 4k to 4k + 3, or 8k to 8k + 7.
static inline __m256i fours_on(uint32_t mask, int k) {
    const __m256i bits = _mm256_setr_epi64x(1, 2, 4, 8);
    return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x((long long)(mask >> 4 * k)), bits), bits);
}
static inline __m256i eights_on(uint32_t mask, int k) {
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)(mask >> PART_LANES * k)), bits), bits);
}

// The lower halves of eight numbers of 64 bits.
static inline __m256i join(__m256i first, __m256i second) {
    const __m256 mixed = _mm256_shuffle_ps(_mm256_castsi256_ps(first), _mm256_castsi256_ps(second), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(mixed), 0xd8);
}

// False for lanes that cannot be counted.
static inline bool number_pieces(const hw_lanes *l, uint32_t piece_bytes, numbers *n) {
    if (l->place) return number_places(l, piece_bytes, n);
    const uint32_t shift = (uint32_t)__builtin_ctz(piece_bytes), inside = l->width - 1;
    const uint64_t middle = (uint64_t)1 << (NUMBER_BITS - 1 + shift);
    const __m256i begin = _mm256_set1_epi64x((long long)(l->base % ROW_BYTES + middle));
    const __m128i by = _mm_cvtsi32_si128((int)shift);
    __m256i bits = _mm256_setzero_si256(), places = bits;
    for (int k = 0; k < PARTS; k++) {
        __m256i at[2];
        for (int h = 0; h < 2; h++) {
            const int four = 2 * k + h;
            const __m256i delta = _mm256_and_si256(get(l->delta + 4 * four), fours_on(l->mask, four));
            bits = _mm256_or_si256(bits, delta);
            at[h] = _mm256_add_epi64(begin, delta);
            places = _mm256_or_si256(places, at[h]);
            at[h] = _mm256_srl_epi64(at[h], by);
        }
        n->of[k] = join(at[0], at[1]);
    }
    const bool is_even = _mm256_testz_si256(bits, _mm256_set1_epi64x(inside));
    const bool is_near = _mm256_testz_si256(places, _mm256_set1_epi64x(-(1ll << (NUMBER_BITS + shift))));
    return l->width && l->width <= piece_bytes && !(l->width & inside) && !(l->base & inside) && is_even && is_near;
}

// ---- lanes side by side ----

// For each mask of 8 lanes the numbers of those that are on, a byte each.
#define NTH(mask, lane) \
    ((uint64_t)((mask) >> (lane) & 1 ? (lane) : 0) << 8 * __builtin_popcount((mask) & ((1 << (lane)) - 1)))
#define ON(m) NTH(m, 1) | NTH(m, 2) | NTH(m, 3) | NTH(m, 4) | NTH(m, 5) | NTH(m, 6) | NTH(m, 7)
#define ON_4(m) ON(m), ON((m) + 1), ON((m) + 2), ON((m) + 3)
#define ON_16(m) ON_4(m), ON_4((m) + 4), ON_4((m) + 8), ON_4((m) + 12)
#define ON_64(m) ON_16(m), ON_16((m) + 16), ON_16((m) + 32), ON_16((m) + 48)
static const uint64_t lanes_on[256] = {ON_64(0), ON_64(64), ON_64(128), ON_64(192)};

enum { NOBODY = INT32_MIN };     // less than any number

// n numbers, and the first of them behind them.
typedef struct row {
    int32_t nobody[ALL_LANES], of[ALL_LANES + PART_LANES];
    uint32_t n, parts;           // of 8 lanes, the last one not always full
} row;

static inline void put_in_row(const numbers *n, uint32_t mask, row *r) {
    uint32_t behind = 0;
    r->n = bits_set(mask);
    r->parts = (r->n + PART_LANES - 1) / PART_LANES;
    for (uint32_t k = 0; k < PARTS; k++) put(r->nobody + PART_LANES * k, _mm256_set1_epi32(NOBODY));
    if (mask == 0xffffffff) {
        for (int k = 0; k < PARTS; k++) put(r->of + PART_LANES * k, n->of[k]);
        return;
    }
    for (int k = 0; k < PARTS; k++) {
        const uint32_t on = mask >> PART_LANES * k & 0xff;
        const __m256i order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)lanes_on[on]));
        put(r->of + behind, _mm256_permutevar8x32_epi32(n->of[k], order));
        behind += bits_set(on);
    }
    put(r->of + r->n, _mm256_set1_epi32(r->of[0]));
}

// Of part k the lanes whose number another before them has, and those behind the row.
static inline __attribute__((always_inline)) __m256i is_again(const row *r, uint32_t k) {
    const int32_t *of = r->of + PART_LANES * k;
    const __m256i own = get(of);
    __m256i again = _mm256_setzero_si256();
    for (uint32_t step = 1; step < PART_LANES * (k + 1); step++)
        again = _mm256_or_si256(again, _mm256_cmpeq_epi32(own, get(of - step)));
    return again;
}

// How many of 16 numbers of 16 bits are not among those before them, of which there are `before`.
static inline __attribute__((always_inline)) uint32_t new_of_16(const uint16_t *of, int before) {
    const __m256i own = get(of);
    __m256i again = _mm256_setzero_si256();
    UNROLLED for (int step = 1; step < 16 + before; step++)
        again = _mm256_or_si256(again, _mm256_cmpeq_epi16(own, get(of - step)));
    return 16 - bits_set((uint32_t)_mm256_movemask_epi8(again)) / 2;
}

// Numbers that are less than 65535 behind the least one, in 16 bits: twice as many at a time. 0: they are not.
static inline uint32_t distinct_near(const row *r) {
    __m256i own[PARTS];
    for (uint32_t k = 0; k < PARTS; k++)
        own[k] = k < r->parts ? get(r->of + PART_LANES * k) : _mm256_set1_epi32(r->of[0]);
    __m256i least = _mm256_min_epi32(_mm256_min_epi32(own[0], own[1]), _mm256_min_epi32(own[2], own[3]));
    least = _mm256_min_epi32(least, _mm256_permute2x128_si256(least, least, 1));
    least = _mm256_min_epi32(least, _mm256_shuffle_epi32(least, 0x4e));
    least = _mm256_min_epi32(least, _mm256_shuffle_epi32(least, 0xb1));
    for (uint32_t k = 0; k < PARTS; k++) own[k] = _mm256_sub_epi32(own[k], least);
    const __m256i most = _mm256_max_epi32(_mm256_max_epi32(own[0], own[1]), _mm256_max_epi32(own[2], own[3]));
    if (signs_of(_mm256_cmpgt_epi32(most, _mm256_set1_epi32(UINT16_MAX - 1)))) return 0;
    // Packing puts lanes in another order; lane 0 stays the first one, of which those behind the row are copies.
    uint16_t of[48];
    put(of, _mm256_set1_epi16(-1));
    put(of + 16, _mm256_packus_epi32(own[0], own[1]));
    if (r->parts <= 2) return new_of_16(of + 16, 0);
    put(of + 32, _mm256_packus_epi32(own[2], own[3]));
    return new_of_16(of + 16, 0) + new_of_16(of + 32, 16);
}

static inline uint32_t distinct_of(const row *r) {
    const uint32_t near = r->parts > 1 ? distinct_near(r) : 0;
    uint32_t distinct = 0;
    if (near) return near;
    for (uint32_t k = 0; k < r->parts; k++) distinct += PART_LANES - bits_set(signs_of(is_again(r, k)));
    return distinct;
}

// The different numbers of lanes whose numbers do not descend, as those of rows that lie behind each other; 0: they do.
static inline uint32_t ascending_of(const row *r) {
    uint32_t changes = 0, descends = 0;
    for (uint32_t k = 0; k < r->parts; k++) {
        const __m256i own = get(r->of + PART_LANES * k), before = get(r->of + PART_LANES * k - 1);
        changes |= (signs_of(_mm256_cmpeq_epi32(own, before)) ^ 0xff) << PART_LANES * k;
        descends |= signs_of(_mm256_cmpgt_epi32(before, own)) << PART_LANES * k;
    }
    const uint32_t lanes = (uint32_t)(((uint64_t)1 << r->n) - 1);
    return descends & lanes ? 0 : bits_set(changes & lanes);
}

// The different pieces of up to eight lanes that are told by places: behind eight numbers that no lane has, and before
// some that are the first lane's once more.
static inline uint32_t distinct_of_few(const hw_lanes *l, uint32_t shift) {
    int32_t of[2 * PART_LANES];
    uint32_t n = PART_LANES;
    put(of, _mm256_set1_epi32(NOBODY));
    put(of + PART_LANES, _mm256_set1_epi32((int32_t)(l->place[__builtin_ctz(l->mask)] >> shift)));
    for (uint32_t left = l->mask; left; left &= left - 1) of[n++] = (int32_t)(l->place[__builtin_ctz(left)] >> shift);
    const __m256i own = get(of + PART_LANES);
    __m256i again = _mm256_setzero_si256();
    UNROLLED for (int step = 1; step < PART_LANES; step++)
        again = _mm256_or_si256(again, _mm256_cmpeq_epi32(own, get(of + PART_LANES - step)));
    return PART_LANES - bits_set(signs_of(again));
}

static uint32_t pieces(const hw_lanes *l, uint32_t piece_bytes) {
    numbers n;
    row r;
    if (l->place && l->width <= piece_bytes && bits_set(l->mask) <= HW_DISTINCT_FEW)
        return distinct_of_few(l, (uint32_t)(__builtin_ctz(piece_bytes) - __builtin_ctz(l->width)));
    if (!number_pieces(l, piece_bytes, &n)) return HW_DISTINCT_UNKNOWN;
    put_in_row(&n, l->mask, &r);
    const uint32_t ascending = ascending_of(&r);
    return ascending ? ascending : distinct_of(&r);
}

// Each part behind eight numbers that no lane has.
static uint32_t pieces_of_eights(const hw_lanes *l) {
    const uint32_t piece_bytes = l->width > WORD_BYTES ? l->width : WORD_BYTES;
    const __m256i nobody = _mm256_set1_epi32(NOBODY);
    int32_t of[2 * PART_LANES];
    uint32_t distinct = 0;
    numbers n;
    if (!number_pieces(l, piece_bytes, &n)) return HW_DISTINCT_UNKNOWN;
    put(of, nobody);
    for (int k = 0; k < PARTS; k++) {
        const __m256i on = eights_on(l->mask, k), own = _mm256_blendv_epi8(nobody, n.of[k], on);
        __m256i again = _mm256_setzero_si256();
        put(of + PART_LANES, own);
        UNROLLED for (int step = 1; step < PART_LANES; step++)
            again = _mm256_or_si256(again, _mm256_cmpeq_epi32(own, get(of + PART_LANES - step)));
        distinct += bits_set(signs_of(_mm256_andnot_si256(again, on)));
    }
    return distinct * (piece_bytes / WORD_BYTES);
}

// ---- busy banks ----

// Of three bits in each column their sum, and what is carried.
#define ADD(x, y, z, sum, carry)                                                              \
    do {                                                                                      \
        const __m256i either_ = _mm256_xor_si256(x, y), both_ = _mm256_and_si256(x, y), third_ = z; \
        carry = _mm256_or_si256(both_, _mm256_and_si256(either_, third_));                    \
        sum = _mm256_xor_si256(either_, third_);                                              \
    } while (0)

// Adds to each lane's counts those of the lane that `turned` brings to its place: n planes become one more.
#define FOLD(planes, n, turned)                                                               \
    do {                                                                                      \
        __m256i carried_ = _mm256_setzero_si256();                                            \
        for (int k = 0; k < (n); k++) {                                                       \
            const __m256i own = planes[k];                                                    \
            ADD(own, turned, carried_, planes[k], carried_);                                  \
        }                                                                                     \
        planes[n] = carried_;                                                                 \
    } while (0)

// Of words with one bit or none: how many have the bit that most have. In how many of the words each bit is set is
// counted for all bits at once, by adders of single bits: planes[k] has bit k of each count.
static inline uint32_t most_set(const __m256i words[PARTS]) {
    const __m256i zero = _mm256_setzero_si256();
    __m256i planes[6], carry, more;
    ADD(words[0], words[1], words[2], planes[0], carry);
    ADD(planes[0], words[3], zero, planes[0], more);
    ADD(carry, more, zero, planes[1], planes[2]);
    FOLD(planes, 3, _mm256_permute2x128_si256(own, own, 1));
    FOLD(planes, 4, _mm256_shuffle_epi32(own, 0x4e));
    FOLD(planes, 5, _mm256_shuffle_epi32(own, 0xb1));    // 32 words of one bank: no more planes than 6
    uint32_t largest = 0, columns = 0xffffffff;
    for (int k = 5; k >= 0; k--) {
        const uint32_t with = columns & (uint32_t)_mm256_cvtsi256_si32(planes[k]);
        largest = largest << 1 | (with != 0);
        columns = with ? with : columns;
    }
    return largest;
}

// Words less than 128 bytes behind the first lane's are in as many banks; those less than 256 are a bit each of two
// times 32: a bank has two of them at most. 0: they are not so near.
static inline uint32_t busiest_of_near(const numbers *n, uint32_t mask, uint32_t first_number) {
    const __m256i one = _mm256_set1_epi32(1), first = _mm256_set1_epi32((int)first_number);
    const __m256i banks = _mm256_set1_epi32(32);
    __m256i low = _mm256_setzero_si256(), high = low, far = low, word[PARTS], on[PARTS];
    UNROLLED for (int k = 0; k < PARTS; k++) {
        on[k] = eights_on(mask, k);
        word[k] = _mm256_sub_epi32(n->of[k], first);
        far = _mm256_or_si256(far, _mm256_and_si256(word[k], on[k]));
    }
    if (_mm256_testz_si256(far, _mm256_set1_epi32(~31))) return 1;
    if (!_mm256_testz_si256(far, _mm256_set1_epi32(~63))) return 0;
    UNROLLED for (int k = 0; k < PARTS; k++) {
        const __m256i bit = _mm256_and_si256(one, on[k]);
        low = _mm256_or_si256(low, _mm256_sllv_epi32(bit, word[k]));
        high = _mm256_or_si256(high, _mm256_sllv_epi32(bit, _mm256_sub_epi32(word[k], banks)));
    }
    __m256i all = _mm256_or_si256(_mm256_unpacklo_epi32(low, high), _mm256_unpackhi_epi32(low, high));
    all = _mm256_or_si256(all, _mm256_permute2x128_si256(all, all, 1));
    all = _mm256_or_si256(all, _mm256_shuffle_epi32(all, 0x4e));
    const uint64_t words = (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(all));
    return 1 + ((uint32_t)words & (uint32_t)(words >> 32) ? 1 : 0);
}

// Of some lanes.
static inline uint32_t busiest_of(const numbers *n, uint32_t members, uint32_t banks, bool shares) {
    const __m256i one = _mm256_set1_epi32(1), in_row = _mm256_set1_epi32((int)banks - 1);
    __m256i words[PARTS];
    row r;
    put_in_row(n, members, &r);
    const uint32_t lanes = (uint32_t)(((uint64_t)1 << r.n) - 1);
    UNROLLED for (uint32_t k = 0; k < PARTS; k++) {
        words[k] = _mm256_setzero_si256();
        if (k >= r.parts) continue;
        const __m256i bit = _mm256_sllv_epi32(one, _mm256_and_si256(get(r.of + PART_LANES * k), in_row));
        words[k] = shares ? _mm256_andnot_si256(is_again(&r, k), bit) : _mm256_and_si256(eights_on(lanes, (int)k), bit);
    }
    return most_set(words);
}

static uint32_t busiest_banks(const hw_lanes *l, uint32_t group, bool shares) {
    const uint32_t piece_bytes = l->width > WORD_BYTES ? l->width : WORD_BYTES, banks = ROW_BYTES / piece_bytes;
    uint32_t of[ALL_LANES], total = 0;
    numbers n;
    if (!number_pieces(l, piece_bytes, &n)) return HW_DISTINCT_UNKNOWN;
    if (shares && group == ALL_LANES && piece_bytes == WORD_BYTES) {
        for (int k = 0; k < PARTS; k++) put(of + PART_LANES * k, n.of[k]);
        const uint32_t near = busiest_of_near(&n, l->mask, of[__builtin_ctz(l->mask)]);
        if (near) return near;
    }
    for (uint32_t first = 0; first < ALL_LANES; first += group) {
        const uint32_t members = l->mask & (uint32_t)(((uint64_t)1 << group) - 1) << first;
        if (members) total += busiest_of(&n, members, banks, shares);
    }
    return total;
}

const hw_distinct_level hw_distinct_avx2 = {"avx2", pieces, pieces_of_eights, busiest_banks,
                                            hw_distinct_pieces_sorted, hw_distinct_eights_sorted};

#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int hw_distinct_avx2_is_for_x86;
#endif
