// Products of matrices of floats, whatever they are: by integers, infinities and NaN one by one. The usual way is
// mma_sums.h, which gives the same bits.
#ifndef HW_EXEC_MMA_ANY_H
#define HW_EXEC_MMA_ANY_H

#include <stdbool.h>

#include "exec/ops/mma_operands.h"

enum {
    MOST_K = 16, VECTOR = 16,
    FRACTION = 25,                  // bits below the largest exponent that are kept
    SIGNIFICAND = 10,               // bits behind the point of a factor
    ZERO = -8192,                   // exponent of what is zero
    LEAST_SCALE = -1000,
};

typedef struct format {
    int exponent_bits, fraction_bits;
} format;
static const format HALF = {5, 10}, BFLOAT = {8, 7}, TFLOAT = {8, 10}, SINGLE = {8, 23};

// The formats are constants in each body.
#define INTO_EACH_BODY inline __attribute__((always_inline))

// VECTOR values apart: significand with its sign, and exponent of the place before the point. Infinities and NaN count
// as zeros here; not 0 when there are any.
static INTO_EACH_BODY int32_t take_apart(const uint32_t *raw, format f, int fraction, int32_t *significands,
                                         int32_t *exponents) {
    const int32_t bias = (1 << (f.exponent_bits - 1)) - 1, largest = (1 << f.exponent_bits) - 1;
    int32_t special = 0;
    HW_LANE_LOOP for (int i = 0; i < VECTOR; i++) {
        int32_t e = (int32_t)(raw[i] >> f.fraction_bits) & largest;
        int32_t m = (int32_t)(raw[i] & ((1u << f.fraction_bits) - 1)) | (e ? 1 << f.fraction_bits : 0);
        int32_t negative = -(int32_t)(raw[i] >> (f.exponent_bits + f.fraction_bits) & 1);
        special |= (e + 1) >> f.exponent_bits;   // 1 for the largest; clang does not vectorise an "or" of comparisons
        m = e == largest ? 0 : m << (fraction - f.fraction_bits);
        significands[i] = (m ^ negative) - negative;
        exponents[i] = m ? (e ? e : 1) - bias : ZERO;
    }
    return special;
}

typedef struct factors {
    int32_t a[MOST_K][HW_MMA_ROWS], a_exponents[MOST_K][HW_MMA_ROWS];
    int32_t b[VECTOR][MOST_K], b_exponents[VECTOR][MOST_K];
    int32_t c[VECTOR][HW_MMA_ROWS], c_exponents[VECTOR][HW_MMA_ROWS];
} factors;

// VECTOR sums: magnitudes, signs (-1 or 0), and the largest exponents.
static INTO_EACH_BODY void sum_up(const factors *f, uint32_t first, uint32_t end, uint32_t row, uint32_t col,
                          uint32_t *magnitudes, int32_t *signs, int32_t *largest) {
    uint32_t above[VECTOR] = {0}, below[VECTOR] = {0};
    const int32_t *c = &f->c[col][row], *c_exponents = &f->c_exponents[col][row];
    HW_LANE_LOOP for (int i = 0; i < VECTOR; i++) largest[i] = c_exponents[i];
    for (uint32_t j = first; j < end; j++) {
        int32_t exponent = f->b_exponents[col][j];
        const int32_t *exponents = &f->a_exponents[j][row];
        HW_LANE_LOOP for (int i = 0; i < VECTOR; i++) {
            int32_t e = exponents[i] + exponent;
            largest[i] = e > largest[i] ? e : largest[i];
        }
    }
    for (uint32_t j = first; j < end; j++) {
        int32_t factor = f->b[col][j], exponent = f->b_exponents[col][j];
        const int32_t *a = &f->a[j][row], *exponents = &f->a_exponents[j][row];
        HW_LANE_LOOP for (int i = 0; i < VECTOR; i++) {
            int32_t product = a[i] * factor, sign = product >> 31, down = largest[i] - exponents[i] - exponent;
            uint32_t magnitude = (uint32_t)((product ^ sign) - sign) << (FRACTION - 2 * SIGNIFICAND);
            magnitude >>= down > 31 ? 31 : down;
            above[i] += magnitude & ~(uint32_t)sign;
            below[i] += magnitude & (uint32_t)sign;
        }
    }
    HW_LANE_LOOP for (int i = 0; i < VECTOR; i++) {
        int32_t sign = c[i] >> 31, down = largest[i] - c_exponents[i];
        uint32_t magnitude = (uint32_t)((c[i] ^ sign) - sign) << (FRACTION - 23);
        magnitude >>= down > 31 ? 31 : down;
        uint32_t positive = above[i] + (magnitude & ~(uint32_t)sign);
        uint32_t negative = below[i] + (magnitude & (uint32_t)sign);
        signs[i] = negative > positive ? -1 : 0;
        magnitudes[i] = negative > positive ? negative - positive : positive - negative;
    }
}

static double power_of_2(int32_t exponent) {
    uint64_t bits = (uint64_t)((exponent < LEAST_SCALE ? LEAST_SCALE : exponent) + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

// Magnitudes times 2^exponents as f32, cut towards zero. Denormals are whole multiples of 2^-149.
static INTO_EACH_BODY void cut_to_single(const uint32_t *magnitudes, const int32_t *signs, const int32_t *exponents,
                                 uint32_t *to) {
    HW_LANE_LOOP for (int i = 0; i < VECTOR; i++) {
        int32_t exponent = exponents[i] < LEAST_SCALE ? LEAST_SCALE : exponents[i];
        uint64_t bits = (uint64_t)(uint32_t)(exponent - FRACTION + 1023) << 52;
        double power, value;
        float rounded;
        uint32_t normal, denormal, sign = (uint32_t)signs[i] & 0x80000000u;
        memcpy(&power, &bits, sizeof power);
        value = magnitudes[i] * power;
        denormal = (uint32_t)(int32_t)(value < 0x1p-126 ? value * 0x1p149 : 0);
        memcpy(&bits, &value, sizeof bits);
        bits &= ~(uint64_t)0x1fffffff;
        memcpy(&value, &bits, sizeof value);
        rounded = (float)value;
        memcpy(&normal, &rounded, sizeof normal);
        to[i] = (value < 0x1p-126 ? denormal : normal) | (magnitudes[i] ? sign : 0);
    }
}

// The same as f16, rounded to nearest even.
static uint32_t round_to_half(uint32_t magnitude, int32_t sign, int32_t exponent) {
    double value = magnitude * power_of_2(exponent), unit = value < 0x1p-14 ? 0x1p-24 : 0;
    uint32_t result;
    if (unit > 0) {
        result = (uint32_t)(int32_t)((value / unit + 0x1p52) - 0x1p52);
    } else {
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        bits += ((uint64_t)1 << 41) - 1 + (bits >> 42 & 1);
        int32_t e = (int32_t)(bits >> 52) - 1023;
        result = e > 15 ? 0x7c00 : (uint32_t)(e + 15) << 10 | (uint32_t)(bits >> 42 & 0x3ff);
    }
    return result ? result | ((uint32_t)sign & 0x8000) : 0;
}

// What infinities and NaN make of one element: true when there are any.
static bool is_special(const uint32_t *a, const uint32_t *b, uint32_t k, uint32_t c, format f, format of_c,
                       uint32_t *result) {
    enum { POSITIVE = 1, NEGATIVE = 2 };
    uint32_t infinity = ((1u << f.exponent_bits) - 1) << f.fraction_bits;
    uint32_t sign = 1u << (f.exponent_bits + f.fraction_bits);
    uint32_t c_sign = 1u << (of_c.exponent_bits + of_c.fraction_bits);
    uint32_t c_infinity = ((1u << of_c.exponent_bits) - 1) << of_c.fraction_bits, seen = 0;
    bool is_nan = (c & (c_sign - 1)) > c_infinity;
    if ((c & (c_sign - 1)) == c_infinity) seen |= c & c_sign ? NEGATIVE : POSITIVE;
    for (uint32_t j = 0; j < k; j++) {
        uint32_t x = a[j * HW_MMA_ROWS] & (sign - 1), y = b[j] & (sign - 1);
        is_nan |= x > infinity || y > infinity || (x == infinity && !y) || (!x && y == infinity);
        if (x == infinity || y == infinity) seen |= (a[j * HW_MMA_ROWS] ^ b[j]) & sign ? NEGATIVE : POSITIVE;
    }
    *result = seen == NEGATIVE ? c_sign | c_infinity : c_infinity;
    if (is_nan || seen == (POSITIVE | NEGATIVE)) *result = c_sign - 1;
    return is_nan || seen;
}

// VECTOR elements of a column, of the products from `first` on; to: the results.
static INTO_EACH_BODY void multiply_block(const factors *x, uint32_t first, uint32_t end, uint32_t row, uint32_t col,
                                  bool is_half, uint32_t *to) {
    uint32_t magnitudes[VECTOR];
    int32_t signs[VECTOR], largest[VECTOR];
    sum_up(x, first, end, row, col, magnitudes, signs, largest);
    if (!is_half) cut_to_single(magnitudes, signs, largest, to);
    else for (int i = 0; i < VECTOR; i++) to[i] = round_to_half(magnitudes[i], signs[i], largest[i] - FRACTION);
}

// What a first block gave is c of the next one; an overflow stays.
static INTO_EACH_BODY void multiply_again(factors *x, uint32_t first, uint32_t end, uint32_t row, uint32_t col,
                                          bool is_half, uint32_t *to) {
    uint32_t before[VECTOR];
    memcpy(before, to, sizeof before);
    take_apart(before, SINGLE, 23, &x->c[col][row], &x->c_exponents[col][row]);
    multiply_block(x, first, end, row, col, is_half, to);
    for (int i = 0; i < VECTOR; i++) to[i] = (before[i] & 0x7fffffff) == 0x7f800000 ? before[i] : to[i];
}

// The elements of words that lie `step` apart, one behind the other.
static INTO_EACH_BODY void take_elements(const uint32_t *words, uint32_t step, uint32_t k, format f, uint32_t *to,
                                         uint32_t to_step) {
    for (uint32_t j = 0; j < k; j++) {
        uint32_t pair = words[j / 2 * step];
        to[j * to_step] = f.exponent_bits + f.fraction_bits == 15 ? pair >> j % 2 * 16 & 0xffff : words[j * step] >> 13;
    }
}

// d = a * b + c. a, b: words; c, d: bits of one element each, f32 or f16; block: products that are summed at once.
static INTO_EACH_BODY void multiply_any(const hw_mma *p, uint32_t (*a_words)[HW_MMA_ROWS], const uint32_t *b_words,
                                        uint32_t (*c)[HW_MMA_ROWS], format f, bool is_half, uint32_t block,
                                        uint32_t (*d)[HW_MMA_ROWS]) {
    factors x;
    uint32_t a[MOST_K * HW_MMA_ROWS], b[HW_MMA_COLS * MOST_K] = {0};
    format of_c = is_half ? HALF : SINGLE;
    for (uint32_t row = 0; row < p->m; row++)
        take_elements(&a_words[0][row], HW_MMA_ROWS, p->k, f, a + row, HW_MMA_ROWS);
    for (uint32_t col = 0; col < p->n; col++)
        take_elements(b_words + col * p->words, 1, p->k, f, b + col * MOST_K, 1);
    int32_t has_special = 0;
    for (uint32_t row = 0; row < p->m; row += VECTOR)
        for (uint32_t j = 0; j < p->k; j++)
            has_special |= take_apart(a + j * HW_MMA_ROWS + row, f, SIGNIFICAND, &x.a[j][row], &x.a_exponents[j][row]);
    for (uint32_t col = 0; col < p->n; col++) {
        has_special |= take_apart(b + col * MOST_K, f, SIGNIFICAND, x.b[col], x.b_exponents[col]);
        for (uint32_t row = 0; row < p->m; row += VECTOR)
            has_special |= take_apart(&c[col][row], of_c, 23, &x.c[col][row], &x.c_exponents[col][row]);
    }
    for (uint32_t col = 0; col < p->n; col++)
        for (uint32_t row = 0; row < p->m; row += VECTOR) {
            uint32_t *to = &d[col][row];
            multiply_block(&x, 0, block, row, col, is_half, to);
            for (uint32_t j = block; j < p->k; j += block) multiply_again(&x, j, j + block, row, col, is_half, to);
            for (uint32_t i = 0; has_special && i < VECTOR; i++) {
                uint32_t special, from = c[col][row + i];
                if (is_special(a + row + i, b + col * MOST_K, p->k, from, f, of_c, &special)) to[i] = special;
            }
        }
}

#endif
