// The factors of a product of matrices, as its sums need them (mma_sums.h): as floats, with their exponents apart.
#ifndef HW_EXEC_MMA_FACTORS_H
#define HW_EXEC_MMA_FACTORS_H

#include "exec/ops/half_lanes.h"
#include "exec/ops/mma_any.h"

// Of products and c. Below LEAST_EXPONENT powers of two and their reciprocals are not both normal.
enum { MOST_EXPONENT = 120, LEAST_EXPONENT = -101 };
// Exponents stay biased. Those of f16 fit into bytes, sums of two as well: four to a word. A zero's is such that no sum
// with it is as large as the sum of two others, and that none needs more than f32's powers of two; c's own, unless it
// is zero, has to be above all of them.
enum { ZERO_BYTE = -35, LEAST_OF_C_WITH_BYTES = -34 };

static INTO_EACH_BODY bool has_bytes(format f) { return f.exponent_bits == 5; }
static INTO_EACH_BODY bool has_pairs(format f) { return f.exponent_bits + f.fraction_bits == 15; }
static INTO_EACH_BODY int32_t bias_of(format f) { return (1 << (f.exponent_bits - 1)) - 1; }

// Exponents of the elements of one word each are pairs of 16 bits, the second one ZERO where there is one element; of
// f16, bytes, those of two words. b is as its registers are, 8 columns by 4 words each.
typedef struct hw_factors {
    _Alignas(64) float a[MOST_K][HW_MMA_ROWS], b[HW_MMA_COLS * MOST_K];
    _Alignas(64) uint32_t a_exponents[HW_MMA_WORDS][HW_MMA_ROWS], b_exponents[HW_MMA_COLS * HW_MMA_WORDS];
    shorts most, least;             // exponents: the largest, and the negative of the smallest
} hw_factors;

// Of LANES words.
static INTO_EACH_BODY ints exponents_of(hw_factors *x, const uint32_t *words, format f) {
    const shorts none = {0};
    shorts e, is_zero;
    if (has_pairs(f)) {
        shorts magnitude = *(const shorts *)words & 0x7fff;
        is_zero = magnitude == 0;
        e = larger_shorts(magnitude >> f.fraction_bits, none + 1);
    } else {
        ints magnitude = *(const ints *)words & 0x7fffe000;
        is_zero = (shorts)(magnitude == 0);
        e = (shorts)(magnitude >> 23);
    }
    x->most = larger_shorts(x->most, e);
    if (!has_bytes(f)) {
        shorts least = (-e & ~is_zero) | (is_zero & INT16_MIN);
        if (!has_pairs(f)) least = (shorts)(((ints)least & 0xffff) | (int32_t)0x80000000);
        x->least = larger_shorts(x->least, least);
    }
    const shorts zero = none + (int16_t)(has_bytes(f) ? ZERO_BYTE : ZERO);
    e = (zero & is_zero) | (e & ~is_zero);
    return has_pairs(f) ? (ints)e : ((ints)e & 0xffff) | (int32_t)((uint32_t)ZERO << 16);
}

// Are all exponents such that products and their multiples by 2^(25 - E) stay within f32's?
static INTO_EACH_BODY bool are_usual(const hw_factors *x, format f) {
    const int32_t most = bias_of(f) + (has_bytes(f) ? 15 : MOST_EXPONENT / 2);
    shorts beyond = x->most > (int16_t)most;
    if (!has_bytes(f)) beyond |= x->least > (int16_t)(-LEAST_EXPONENT / 2 - bias_of(f));
    int any = 0;
    for (unsigned i = 0; i < sizeof beyond / sizeof beyond[0]; i++) any |= beyond[i];
    return !any;
}

// LANES words of a column of a, as the columns of floats that they hold.
static INTO_EACH_BODY void take_values(const uint32_t *words, format f, float (*to)[HW_MMA_ROWS]) {
    floats *first = (floats *)to[0], *second = (floats *)to[has_pairs(f)];
    const uints x = *(const uints *)words;
    if (f.exponent_bits == 5) {    // halves are 2^-112 of the floats with their bits
        const floats low = (floats)((x & 0x7fff) << 13) * 0x1p112f, high = (floats)(x >> 3 & 0x0fffe000) * 0x1p112f;
        *first = (floats)((uints)low | (x & 0x8000) << 16);
        *second = (floats)((uints)high | (x & 0x80000000u));
    } else if (has_pairs(f)) {
        *first = (floats)(x << 16);
        *second = (floats)(x & 0xffff0000u);
    } else {
        *first = (floats)(x & ~0x1fffu);
    }
}

// Two words' exponents of 16 bits as bytes of one word.
static INTO_EACH_BODY ints as_bytes(ints first, ints second) {
    return (first & 0x00ff00ff) | (ints)((uints)(second & 0x00ff00ff) << 8);
}

// LANES rows of a.
static INTO_EACH_BODY void take_exponents_of_a(uint32_t words, uint32_t (*a)[HW_MMA_ROWS], uint32_t row, format f,
                                               hw_factors *x) {
    const uint32_t step = has_bytes(f) ? 2 : 1;
    for (uint32_t word = 0; word < words; word += step) {
        ints e = exponents_of(x, &a[word][row], f);
        if (has_bytes(f)) e = as_bytes(e, exponents_of(x, &a[word + 1][row], f));
        *(ints *)&x->a_exponents[word / step][row] = e;
    }
}

// Pairs of neighbouring words of 32, as bytes.
static INTO_EACH_BODY void pack_bytes(const uint32_t *pairs, uint32_t *to) {
#if defined(HW_HAS_AVX512)
    for (int i = 0; i < 2; i++) {
        const __m512i low = _mm512_set1_epi32(0x00ff00ff), x = hw_get(pairs, i);
        const __m512i both = _mm512_ternarylogic_epi64(low, x, _mm512_srli_epi64(x, 24), 0xca);
        _mm256_storeu_si256((__m256i *)to + i, _mm512_cvtepi64_epi32(both));
    }
#else
    HW_LANE_LOOP for (uint32_t i = 0; i < 16; i++)
        to[i] = (pairs[2 * i] & 0x00ff00ff) | (pairs[2 * i + 1] & 0x00ff00ff) << 8;
#endif
}

// One register of b.
static INTO_EACH_BODY void take_exponents_of_b(const uint32_t *lanes, format f, hw_factors *x, uint32_t *to) {
    _Alignas(64) uint32_t pairs[32];
    for (uint32_t i = 0; i < 32; i += LANES) {
        ints e = exponents_of(x, lanes + i, f);
        memcpy((has_bytes(f) ? pairs : to) + i, &e, sizeof e);
    }
    if (has_bytes(f)) pack_bytes(pairs, to);
}

// Where the products with a column of b find its elements, or their exponents: those of 4 words lie side by side, and
// the next ones a register further.
static INTO_EACH_BODY uint32_t place_in_b(uint32_t col, uint32_t words, uint32_t per_4_words) {
    return (col / PART_ROWS * (words / PART_WORDS) * PART_ROWS + col % PART_ROWS) * per_4_words;
}

static INTO_EACH_BODY bool prepare_factors(const hw_warp *w, const hw_mma *p, uint32_t words,
                                           uint32_t (*a)[HW_MMA_ROWS], format f, hw_factors *x) {
    const uint32_t per = has_pairs(f) ? 2 : 1;
    x->most = (shorts){0};
    x->least = x->most + INT16_MIN;
    for (uint32_t row = 0; row < p->m; row += LANES) {
        for (uint32_t word = 0; word < words; word++)
            take_values(&a[word][row], f, (float (*)[HW_MMA_ROWS])&x->a[per * word][row]);
        take_exponents_of_a(words, a, row, f, x);
    }
    for (uint32_t n = 0; n < p->n * words / 32; n++) {
        const uint32_t *lanes = hw_at(w, p->b[n]);
        float *values = x->b + n * 32 * per;
        if (has_bytes(f)) hw_from_halves(values, (const uint16_t *)lanes, 64);
        else if (has_pairs(f)) hw_from_bfloats(values, (const uint16_t *)lanes, 64);
        else HW_LANE_LOOP for (uint32_t i = 0; i < 32; i++) values[i] = hw_bits_float(lanes[i] & ~0x1fffu);
        take_exponents_of_b(lanes, f, x, x->b_exponents + n * (has_bytes(f) ? 16 : 32));
    }
    return are_usual(x, f);
}

#endif
