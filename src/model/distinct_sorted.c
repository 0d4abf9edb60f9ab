// Distinct pieces of memory of many accesses at a time, for x86 processors with AVX2. Compiled for it here, whatever
// the build says.
//
// Each access is a column of 16 bits in 32 registers, a register for each lane. So all columns are sorted at once, by
// minima and maxima of whole registers, and equal numbers stand behind each other: no branch and no turning of
// registers, which counting one access after the other consists of.
#ifdef __x86_64__
#include <immintrin.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,popcnt"))), apply_to = function)
#define UNROLLED _Pragma("unroll")
#else
#pragma GCC target("avx2,popcnt")
#define UNROLLED _Pragma("GCC unroll 32")
#endif

#include "model/distinct.h"

enum { ALL_LANES = 32, PART_LANES = 8, PARTS = 4, WORD_BYTES = 4, COLUMNS = HW_DISTINCT_LIST };

// Lanes in the order in which packing leaves them: of each 16 the first eight's in the first of two quarters.
typedef struct columns {
    __m256i of[ALL_LANES];
} columns;
static const uint8_t lane_of_eight[PART_LANES] = {0, 1, 2, 3, 8, 9, 10, 11};

// ---- numbers of pieces ----

enum { OFF = 0, MIDDLE = 1 << 15, MOST = UINT16_MAX };

// 1 to MOST for each lane's piece: how far it is behind the first lane's, which is MIDDLE; OFF of lanes that are off.
// False: some lie too far apart.
static inline bool number_pieces(const hw_lanes *l, uint32_t log_piece, __m256i numbers[2]) {
    const uint32_t first = l->place[__builtin_ctz(l->mask)] >> (log_piece - (uint32_t)__builtin_ctz(l->width));
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128), most = _mm256_set1_epi32(MOST - 1);
    const __m256i mask = _mm256_set1_epi32((int)l->mask), begin = _mm256_set1_epi32((int)first - MIDDLE + 1);
    const __m128i shift = _mm_cvtsi32_si128((int)log_piece - __builtin_ctz(l->width));
    __m256i own[PARTS], farthest = most;
    UNROLLED for (int k = 0; k < PARTS; k++) {
        const __m256i of_part = _mm256_slli_epi32(bits, PART_LANES * k);
        const __m256i on = _mm256_cmpeq_epi32(_mm256_and_si256(mask, of_part), of_part);
        const __m256i place = _mm256_loadu_si256((const __m256i *)(l->place + PART_LANES * k));
        const __m256i behind = _mm256_and_si256(_mm256_sub_epi32(_mm256_srl_epi32(place, shift), begin), on);
        farthest = _mm256_max_epu32(farthest, behind);
        own[k] = _mm256_sub_epi32(behind, on);    // one more
    }
    numbers[0] = _mm256_packus_epi32(own[0], own[1]);
    numbers[1] = _mm256_packus_epi32(own[2], own[3]);
    return _mm256_movemask_epi8(_mm256_cmpeq_epi32(farthest, most)) == -1;
}

// The same of pieces that lie too far apart for that, as a hash of each one's number: as many different hashes as lanes
// are as many pieces. Fewer may be more.
static inline void hash_pieces(const hw_lanes *l, uint32_t log_piece, __m256i numbers[2]) {
    const __m256i factor = _mm256_set1_epi32((int)0x9e3779b1), bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i mask = _mm256_set1_epi32((int)l->mask), least = _mm256_set1_epi32(1);
    const __m128i shift = _mm_cvtsi32_si128((int)log_piece - __builtin_ctz(l->width));
    __m256i own[PARTS];
    UNROLLED for (int k = 0; k < PARTS; k++) {
        const __m256i of_part = _mm256_slli_epi32(bits, PART_LANES * k);
        const __m256i on = _mm256_cmpeq_epi32(_mm256_and_si256(mask, of_part), of_part);
        const __m256i place = _mm256_loadu_si256((const __m256i *)(l->place + PART_LANES * k));
        const __m256i product = _mm256_mullo_epi32(_mm256_srl_epi32(place, shift), factor);
        own[k] = _mm256_and_si256(_mm256_max_epu32(_mm256_srli_epi32(product, 16), least), on);
    }
    numbers[0] = _mm256_packus_epi32(own[0], own[1]);
    numbers[1] = _mm256_packus_epi32(own[2], own[3]);
}

// The rows of 16 accesses become columns.
static inline void turn(__m256i rows[COLUMNS]) {
    __m256i pairs[COLUMNS], fours[COLUMNS];
    UNROLLED for (int k = 0; k < 8; k++) {
        pairs[2 * k] = _mm256_unpacklo_epi16(rows[2 * k], rows[2 * k + 1]);
        pairs[2 * k + 1] = _mm256_unpackhi_epi16(rows[2 * k], rows[2 * k + 1]);
    }
    UNROLLED for (int k = 0; k < COLUMNS; k += 4) {
        fours[k] = _mm256_unpacklo_epi32(pairs[k], pairs[k + 2]);
        fours[k + 1] = _mm256_unpackhi_epi32(pairs[k], pairs[k + 2]);
        fours[k + 2] = _mm256_unpacklo_epi32(pairs[k + 1], pairs[k + 3]);
        fours[k + 3] = _mm256_unpackhi_epi32(pairs[k + 1], pairs[k + 3]);
    }
    UNROLLED for (int k = 0; k < 4; k++) {
        const __m256i low = _mm256_unpacklo_epi64(fours[k], fours[k + 4]);
        const __m256i high = _mm256_unpackhi_epi64(fours[k], fours[k + 4]);
        const __m256i low_8 = _mm256_unpacklo_epi64(fours[k + 8], fours[k + 12]);
        const __m256i high_8 = _mm256_unpackhi_epi64(fours[k + 8], fours[k + 12]);
        rows[2 * k] = _mm256_permute2x128_si256(low, low_8, 0x20);
        rows[2 * k + 1] = _mm256_permute2x128_si256(high, high_8, 0x20);
        rows[2 * k + 8] = _mm256_permute2x128_si256(low, low_8, 0x31);
        rows[2 * k + 9] = _mm256_permute2x128_si256(high, high_8, 0x31);
    }
}

// ---- sorting ----

#define ORDER(x, y)                                         \
    do {                                                    \
        const __m256i x_ = x, y_ = y;                       \
        x = _mm256_min_epu16(x_, y_);                       \
        y = _mm256_max_epu16(x_, y_);                       \
    } while (0)

// The least network of 8 (Knuth, The Art of Computer Programming, volume 3, section 5.3.4).
static inline void sort_8(__m256i x[PART_LANES]) {
    static const uint8_t steps[][2] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 1}, {2, 3},
                                       {4, 5}, {6, 7}, {2, 4}, {3, 5}, {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6}};
    UNROLLED for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) ORDER(x[steps[k][0]], x[steps[k][1]]);
}

// Batcher's merge of two sorted halves of n.
static inline __attribute__((always_inline)) void merge(__m256i *x, const int n) {
    UNROLLED for (int k = 0; k < n / 2; k++) ORDER(x[k], x[k + n / 2]);
    UNROLLED for (int apart = n / 4; apart; apart /= 2)
        UNROLLED for (int k = apart; k < n - apart; k += 2 * apart)
            UNROLLED for (int i = k; i < k + apart; i++) ORDER(x[i], x[i + apart]);
}

// How many of n sorted rows are as the one before them: negative.
static inline __m256i count_same(const __m256i *x, const int n) {
    __m256i same = _mm256_setzero_si256();
    UNROLLED for (int k = 1; k < n; k++) same = _mm256_add_epi16(same, _mm256_cmpeq_epi16(x[k], x[k - 1]));
    return same;
}

// ---- the counts ----

static inline bool is_worth_it(const hw_lanes list[HW_DISTINCT_LIST]) {
    int wide = 0;
    for (int k = 0; k < COLUMNS; k++) wide += __builtin_popcount(list[k].mask) > HW_DISTINCT_FEW;
    return wide >= COLUMNS / 2;
}

// Returns a bit for each access whose lanes are not too far apart; the others are hashes. piece_bytes: 0: of words, at
// least.
static inline uint32_t fill(columns *x, const hw_lanes list[HW_DISTINCT_LIST], uint32_t piece_bytes) {
    uint32_t near = 0;
    for (int k = 0; k < COLUMNS; k++) {
        const uint32_t bytes = piece_bytes ? piece_bytes : list[k].width > WORD_BYTES ? list[k].width : WORD_BYTES;
        const uint32_t log_piece = (uint32_t)__builtin_ctz(bytes);
        __m256i numbers[2];
        const bool is_near = number_pieces(&list[k], log_piece, numbers);
        if (!is_near) hash_pieces(&list[k], log_piece, numbers);
        near |= (uint32_t)is_near << k;
        x->of[k] = numbers[0], x->of[k + COLUMNS] = numbers[1];
    }
    turn(x->of);
    turn(x->of + COLUMNS);
    return near;
}

uint32_t hw_distinct_pieces_sorted(const hw_lanes list[HW_DISTINCT_LIST], uint32_t piece_bytes,
                                   uint32_t counts[HW_DISTINCT_LIST]) {
    uint16_t distinct[COLUMNS];
    columns x;
    if (!is_worth_it(list)) return 0;
    uint32_t counted = fill(&x, list, piece_bytes);
    for (int k = 0; k < ALL_LANES; k += COLUMNS) {
        sort_8(x.of + k);
        sort_8(x.of + k + PART_LANES);
        merge(x.of + k, COLUMNS);
    }
    merge(x.of, ALL_LANES);
    const __m256i same = count_same(x.of, ALL_LANES);
    _mm256_storeu_si256((__m256i *)distinct, _mm256_add_epi16(same, _mm256_set1_epi16(ALL_LANES)));
    for (int k = 0; k < COLUMNS; k++) counts[k] = distinct[k] - (list[k].mask != 0xffffffff);    // less OFF
    for (uint32_t far = ~counted & ((1 << COLUMNS) - 1); far; far &= far - 1) {
        const int k = __builtin_ctz(far);
        counted |= (uint32_t)(counts[k] == hw_lanes_on(list[k].mask)) << k;
    }
    return counted;
}

// In how many groups of 8 lanes some are off.
static inline uint32_t count_parted(uint32_t mask) {
    uint32_t parted = 0;
    for (uint32_t k = 0; k < PARTS; k++) parted += (mask >> PART_LANES * k & 0xff) != 0xff;
    return parted;
}

uint32_t hw_distinct_eights_sorted(const hw_lanes list[HW_DISTINCT_LIST], uint32_t counts[HW_DISTINCT_LIST]) {
    uint16_t distinct[COLUMNS];
    columns x;
    const uint32_t counted = fill(&x, list, 0);
    __m256i all = _mm256_set1_epi16(ALL_LANES);
    for (int k = 0; k < ALL_LANES; k += COLUMNS) {
        for (int begin = k; begin < k + PART_LANES; begin += PART_LANES / 2) {
            __m256i eight[PART_LANES];
            UNROLLED for (int i = 0; i < PART_LANES; i++) eight[i] = x.of[begin + lane_of_eight[i]];
            sort_8(eight);
            all = _mm256_add_epi16(all, count_same(eight, PART_LANES));
        }
    }
    _mm256_storeu_si256((__m256i *)distinct, all);
    for (int k = 0; k < COLUMNS; k++) {
        const uint32_t words = list[k].width > WORD_BYTES ? list[k].width / WORD_BYTES : 1;
        counts[k] = (distinct[k] - count_parted(list[k].mask)) * words;
    }
    return counted;
}

#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int hw_distinct_sorted_is_for_x86;
#endif
