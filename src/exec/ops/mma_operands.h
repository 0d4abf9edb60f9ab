// Operands of mma between registers and matrices.
//
// All fragments (hw_matrix_fragment) are made of the same part, 8 rows of 4 words: word w of row r is in lane 4r + w of
// one register. A word is a register's lane: neighbouring elements of a row, or one. Of b rows are its columns. A
// register's number counts, from the fastest: c's odd columns where a word is one element, the second 8 of 16 rows, the
// next 4 words, the next 16 rows. The wide shape is computed as the tall one of the transposed product.
#ifndef HW_EXEC_MMA_OPERANDS_H
#define HW_EXEC_MMA_OPERANDS_H

#include <string.h>

#include "exec/ops/lanes.h"
#include "exec/warp/warp.h"
#include "isa/matrix.h"

enum { HW_MMA_ROWS = 32, HW_MMA_COLS = 16, HW_MMA_WORDS = 8, PART_ROWS = 8, PART_WORDS = 4 };

typedef struct hw_mma {
    uint32_t m, n, k;               // of the tall product
    uint32_t words;                 // of a row of a
    const hw_slot *d, *a, *b, *c;   // registers
    bool is_wide;
} hw_mma;

// False after a fault. factor_bits, result_bits: of an element; has_copies: wmma has each register of factors twice.
static inline bool hw_mma_begin(hw_warp *w, const hw_inst *in, uint32_t factor_bits, uint32_t result_bits,
                                bool has_copies, hw_mma *p) {
    hw_state *s = hw_state_of(w);
    if (w->mask != s->live) {
        hw_fault_stop(s, in, HW_FAULT_LANES_MISSING, __builtin_ctz(w->mask));
        return false;
    }
    uint32_t m = (uint8_t)in->imm, n = (uint8_t)(in->imm >> 8), k = (uint8_t)(in->imm >> 16);
    uint32_t word_bits = factor_bits == 64 ? 64 : 32, words = k * factor_bits / word_bits;
    bool is_twice = has_copies && in->imm >> 24 & 1;
    p->d = w->slots + in->list;
    const hw_slot *first = p->d + m * n * result_bits / (32 * word_bits);
    const hw_slot *second = first + (is_twice ? HW_FRAGMENT_MOST / 2 : m * words / 32);
    p->c = second + (is_twice ? HW_FRAGMENT_MOST / 2 : n * words / 32);
    p->is_wide = m < n;
    p->a = p->is_wide ? second : first;
    p->b = p->is_wide ? first : second;
    p->m = p->is_wide ? n : m;
    p->n = p->is_wide ? m : n;
    p->k = k;
    p->words = words;
    return true;
}

// A part's words to columns of 8 rows that lie `step` words apart, and back.
#ifdef HW_HAS_AVX512
static inline void take_part(const uint32_t *lanes, uint32_t *to, uint32_t step) {
    const __m512i two = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
    __m512i low = hw_get(lanes, 0), high = hw_get(lanes, 1);
    __m512i even = _mm512_permutex2var_epi32(low, two, high);
    __m512i odd = _mm512_permutex2var_epi32(low, _mm512_add_epi32(two, _mm512_set1_epi32(2)), high);
    _mm256_storeu_si256((__m256i *)to, _mm512_castsi512_si256(even));
    _mm256_storeu_si256((__m256i *)(to + step), _mm512_extracti64x4_epi64(even, 1));
    _mm256_storeu_si256((__m256i *)(to + 2 * step), _mm512_castsi512_si256(odd));
    _mm256_storeu_si256((__m256i *)(to + 3 * step), _mm512_extracti64x4_epi64(odd, 1));
}
// The parts of rows 0 to 7 and of rows 8 to 15: whole vectors of rows, which are read as such.
static inline void take_two_parts(const uint32_t *low_lanes, const uint32_t *high_lanes, uint32_t *to, uint32_t step) {
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    const __m512i odd = _mm512_add_epi64(even, _mm512_set1_epi64(1));
    const __m512i first = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(1));
    const __m512i low_0 = hw_get(low_lanes, 0), low_1 = hw_get(low_lanes, 1);
    const __m512i high_0 = hw_get(high_lanes, 0), high_1 = hw_get(high_lanes, 1);
    const __m512i words_01 = _mm512_permutex2var_epi64(low_0, even, low_1);
    const __m512i words_23 = _mm512_permutex2var_epi64(low_0, odd, low_1);
    const __m512i below_01 = _mm512_permutex2var_epi64(high_0, even, high_1);
    const __m512i below_23 = _mm512_permutex2var_epi64(high_0, odd, high_1);
    _mm512_storeu_si512(to, _mm512_permutex2var_epi32(words_01, first, below_01));
    _mm512_storeu_si512(to + step, _mm512_permutex2var_epi32(words_01, second, below_01));
    _mm512_storeu_si512(to + 2 * step, _mm512_permutex2var_epi32(words_23, first, below_23));
    _mm512_storeu_si512(to + 3 * step, _mm512_permutex2var_epi32(words_23, second, below_23));
}
static inline void put_two_parts(const hw_warp *w, uint32_t *low_lanes, uint32_t *high_lanes, const uint32_t *from,
                                 uint32_t step) {
    const __m512i pairs = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i rows = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    const __m512i lower_pairs = _mm512_add_epi32(pairs, _mm512_set1_epi32(8));
    const __m512i lower_rows = _mm512_add_epi64(rows, _mm512_set1_epi64(4));
    const __m512i word_0 = hw_get(from, 0), word_1 = hw_get(from + step, 0);
    const __m512i word_2 = hw_get(from + 2 * step, 0), word_3 = hw_get(from + 3 * step, 0);
    const __m512i words_01 = _mm512_permutex2var_epi32(word_0, pairs, word_1);
    const __m512i words_23 = _mm512_permutex2var_epi32(word_2, pairs, word_3);
    const __m512i below_01 = _mm512_permutex2var_epi32(word_0, lower_pairs, word_1);
    const __m512i below_23 = _mm512_permutex2var_epi32(word_2, lower_pairs, word_3);
    hw_put_32(w, low_lanes, _mm512_permutex2var_epi64(words_01, rows, words_23),
              _mm512_permutex2var_epi64(words_01, lower_rows, words_23));
    hw_put_32(w, high_lanes, _mm512_permutex2var_epi64(below_01, rows, below_23),
              _mm512_permutex2var_epi64(below_01, lower_rows, below_23));
}
static inline __m512i two_columns(const uint32_t *from, uint32_t step) {
    __m256i low = _mm256_loadu_si256((const __m256i *)from), high = _mm256_loadu_si256((const __m256i *)(from + step));
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}
static inline void put_part(const hw_warp *w, uint32_t *lanes, const uint32_t *from, uint32_t step) {
    const __m512i low = _mm512_setr_epi32(0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27);
    const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(4));
    __m512i even = two_columns(from, step), odd = two_columns(from + 2 * step, step);
    hw_put_32(w, lanes, _mm512_permutex2var_epi32(even, low, odd), _mm512_permutex2var_epi32(even, high, odd));
}
#else
static inline void take_part(const uint32_t *lanes, uint32_t *to, uint32_t step) {
    for (uint32_t word = 0; word < PART_WORDS; word++)
        for (uint32_t row = 0; row < PART_ROWS; row++) to[word * step + row] = lanes[PART_WORDS * row + word];
}
static inline void put_part(const hw_warp *w, uint32_t *lanes, const uint32_t *from, uint32_t step) {
    uint32_t words[32];
    for (uint32_t word = 0; word < PART_WORDS; word++)
        for (uint32_t row = 0; row < PART_ROWS; row++) words[PART_WORDS * row + word] = from[word * step + row];
    HW_LANES(lanes, words[i]);
}
static inline void take_two_parts(const uint32_t *low_lanes, const uint32_t *high_lanes, uint32_t *to, uint32_t step) {
    take_part(low_lanes, to, step);
    take_part(high_lanes, to + PART_ROWS, step);
}
static inline void put_two_parts(const hw_warp *w, uint32_t *low_lanes, uint32_t *high_lanes, const uint32_t *from,
                                 uint32_t step) {
    put_part(w, low_lanes, from, step);
    put_part(w, high_lanes, from + PART_ROWS, step);
}
#endif

// Where a matrix's registers lie: RUN(register, first column of words, first row, columns from one word to the next)
// for each of 8 rows; RUN_TWO for each that has the upper 8 of 16 rows: the register `per` behind it has the others.
// per: 2 where a word is one of two neighbouring columns, else 1; groups: of 4 words.
#define EACH_PART(rows, groups, per, RUN, RUN_TWO)                                                           \
    do {                                                                                                     \
        const bool two_ = (rows) >= 2 * PART_ROWS;                                                           \
        uint32_t n_ = 0;                                                                                     \
        for (uint32_t row_ = 0; row_ < (rows); row_ += two_ ? 2 * PART_ROWS : PART_ROWS)                     \
            for (uint32_t group_ = 0; group_ < (groups); group_++, n_ += two_ ? (per) : 0)                   \
                for (uint32_t odd_ = 0; odd_ < (per); odd_++, n_++) {                                        \
                    if (two_) RUN_TWO(n_, PART_WORDS * (per) * group_ + odd_, row_, (per));                  \
                    else RUN(n_, PART_WORDS * (per) * group_ + odd_, row_, (per));                           \
                }                                                                                            \
    } while (0)

// Columns of words, HW_MMA_ROWS rows each.
static inline void hw_mma_take(const hw_warp *w, const hw_slot *registers, uint32_t rows, uint32_t groups, uint32_t per,
                               uint32_t (*to)[HW_MMA_ROWS]) {
#define TAKE(n, col, row, step) take_part(hw_at(w, registers[n]), &to[col][row], (step) * HW_MMA_ROWS)
#define TAKE_TWO(n, col, row, step) \
    take_two_parts(hw_at(w, registers[n]), hw_at(w, registers[n + step]), &to[col][row], (step) * HW_MMA_ROWS)
    EACH_PART(rows, groups, per, TAKE, TAKE_TWO);
#undef TAKE
#undef TAKE_TWO
}

static inline void hw_mma_put(const hw_warp *w, const hw_slot *registers, uint32_t rows, uint32_t groups, uint32_t per,
                              uint32_t (*from)[HW_MMA_ROWS]) {
#define PUT(n, col, row, step) put_part(w, hw_at(w, registers[n]), &from[col][row], (step) * HW_MMA_ROWS)
#define PUT_TWO(n, col, row, step) \
    put_two_parts(w, hw_at(w, registers[n]), hw_at(w, registers[n + step]), &from[col][row], (step) * HW_MMA_ROWS)
    EACH_PART(rows, groups, per, PUT, PUT_TWO);
#undef PUT
#undef PUT_TWO
}

// b, column by column, all words of a column side by side.
static inline void hw_mma_take_b(const hw_warp *w, const hw_mma *p, uint32_t *to) {
    for (uint32_t first = 0, n = 0; first < p->n; first += PART_ROWS)
        for (uint32_t word = 0; word < p->words; word += PART_WORDS, n++) {
            const uint32_t *lanes = hw_at(w, p->b[n]);
            for (uint32_t col = 0; col < PART_ROWS; col++)
                memcpy(to + (first + col) * p->words + word, lanes + PART_WORDS * col, 4 * PART_WORDS);
        }
}

#endif
