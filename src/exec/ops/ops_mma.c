// mma: products of small matrices, the bits of an H200's tensor cores.
//
// What they do with floats was found by experiment (docs/accuracy.md) and agrees with all that was tried. Of one
// element of the result, over the whole k of the instruction:
//   - The products are exact. A product's exponent is the sum of its factors' exponents, whether or not its significand
//     reaches 2; a denormal factor has the smallest exponent.
//   - All products and c are cut to multiples of 2^(E - 25), towards zero, where E is the largest exponent among those
//     that are not zero, and added exactly.
//   - The sum is cut, towards zero, to f32; or rounded to nearest, to f16. Denormals are kept; every zero is +0.
//   - tf32 ignores the low 13 bits of its operands; wmma does its k of 8 in two steps of 4.
// Sums of doubles are chains of fma from c on, those of integers are exact, and wrap or saturate at the end.
#include <math.h>
#include <string.h>

#include "exec/warp/warp.h"
#include "isa/matrix.h"

enum {
    MOST_ROWS = 32, MOST_K = 32, VECTOR = 16,
    FRACTION = 25,                  // bits below the largest exponent that are kept
    SIGNIFICAND = 10,               // bits behind the point of a factor
    ZERO = -8192,                   // exponent of what is zero
    LEAST_SCALE = -1000,
};

// ---- registers to matrices and back ----

// By lane and element: where in an array that holds rows or columns one behind the other.
typedef struct places {
    uint32_t lane[32], element[HW_FRAGMENT_MOST];
    hw_fragment fragment;
} places;

static void find_places(places *p, const hw_fragment *f, uint32_t row_step, uint32_t col_step) {
    p->fragment = *f;
    for (uint32_t i = 0; i < 32; i++) {
        p->lane[i] = 0;
        for (uint32_t bit = 0; bit < 5; bit++)
            p->lane[i] += (i >> bit & 1) * (f->lane_row[bit] * row_step + f->lane_col[bit] * col_step);
    }
    for (uint32_t e = 0; e < f->elements; e++) {
        p->element[e] = 0;
        for (uint32_t bit = 0; bit < 4; bit++)
            p->element[e] += (e >> bit & 1) * (f->element_row[bit] * row_step + f->element_col[bit] * col_step);
    }
}

static void spread(const hw_warp *w, const hw_slot *registers, const places *p, uint32_t *matrix) {
    uint32_t bits = p->fragment.bits, per = 32 / bits, mask = bits == 32 ? ~0u : (1u << bits) - 1;
    for (uint32_t e = 0; e < p->fragment.elements; e++) {
        const uint32_t *r = hw_at(w, registers[e / per]);
        uint32_t *to = matrix + p->element[e], shift = e % per * bits;
        for (int i = 0; i < 32; i++) to[p->lane[i]] = r[i] >> shift & mask;
    }
}

static void collect(const hw_warp *w, const hw_slot *registers, const places *p, const uint32_t *matrix) {
    uint32_t bits = p->fragment.bits, per = 32 / bits;
    for (uint32_t r = 0; r < hw_fragment_registers(&p->fragment); r++) {
        uint32_t *d = hw_at(w, registers[r]), words[32] = {0};
        for (uint32_t e = r * per; e < (r + 1) * per; e++) {
            const uint32_t *from = matrix + p->element[e];
            for (int i = 0; i < 32; i++) words[i] |= from[p->lane[i]] << (e % per * bits);
        }
        HW_LANES(d, words[i]);
    }
}

// What all of them begin with. The wide shape is computed as the tall one of the transposed product.
typedef struct product {
    uint32_t m, n, k;
    const hw_slot *d, *a, *b, *c;   // registers
    places at_a, at_b, at_c;        // a by k, then row: b by column, then k; c and d by column, then row
} product;

static bool begin(hw_warp *w, const hw_inst *in, hw_type result, hw_type factor, product *p) {
    hw_state *s = hw_state_of(w);
    if (w->mask != s->live) {
        hw_fault_stop(s, in, HW_FAULT_LANES_MISSING, __builtin_ctz(w->mask));
        return false;
    }
    hw_matrix_shape shape = {(uint8_t)in->imm, (uint8_t)(in->imm >> 8), (uint8_t)(in->imm >> 16)};
    bool is_wmma = in->imm >> 24 & 1, is_wide = shape.m < shape.n;
    hw_fragment a = hw_matrix_fragment('a', factor, &shape, is_wmma);
    hw_fragment b = hw_matrix_fragment('b', factor, &shape, is_wmma);
    hw_fragment c = hw_matrix_fragment('c', result, &shape, is_wmma);
    p->m = is_wide ? shape.n : shape.m;
    p->n = is_wide ? shape.m : shape.n;
    p->k = shape.k;
    p->d = w->slots + in->list;
    p->a = p->d + hw_fragment_registers(&c);
    p->b = p->a + hw_fragment_registers(&a);
    p->c = p->b + hw_fragment_registers(&b);
    if (is_wide) {
        const hw_slot *other = p->a;
        p->a = p->b;
        p->b = other;
        find_places(&p->at_a, &b, MOST_ROWS, 1);
        find_places(&p->at_b, &a, MOST_K, 1);
        find_places(&p->at_c, &c, MOST_ROWS, 1);
    } else {
        find_places(&p->at_a, &a, 1, MOST_ROWS);
        find_places(&p->at_b, &b, 1, MOST_K);
        find_places(&p->at_c, &c, 1, MOST_ROWS);
    }
    return true;
}

// ---- floats ----

typedef struct format {
    int exponent_bits, fraction_bits;
} format;
#define HALF (format){5, 10}
#define BFLOAT (format){8, 7}
#define TFLOAT (format){8, 10}
#define SINGLE (format){8, 23}

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
    int32_t a[MOST_K][MOST_ROWS], a_exponents[MOST_K][MOST_ROWS];
    int32_t b[VECTOR][MOST_K], b_exponents[VECTOR][MOST_K];
    int32_t c[VECTOR][MOST_ROWS], c_exponents[VECTOR][MOST_ROWS];
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
        uint32_t x = a[j * MOST_ROWS] & (sign - 1), y = b[j] & (sign - 1);
        is_nan |= x > infinity || y > infinity || (x == infinity && !y) || (!x && y == infinity);
        if (x == infinity || y == infinity) seen |= (a[j * MOST_ROWS] ^ b[j]) & sign ? NEGATIVE : POSITIVE;
    }
    *result = seen == NEGATIVE ? c_sign | c_infinity : c_infinity;
    if (is_nan || seen == (POSITIVE | NEGATIVE)) *result = c_sign - 1;
    return is_nan || seen;
}

// VECTOR elements of a column, of the products from `first` on; to: the results.
static INTO_EACH_BODY void multiply_block(const factors *x, uint32_t first, uint32_t end, uint32_t row, uint32_t col,
                                  hw_type result, uint32_t *to) {
    uint32_t magnitudes[VECTOR];
    int32_t signs[VECTOR], largest[VECTOR];
    sum_up(x, first, end, row, col, magnitudes, signs, largest);
    if (result == HW_T_F32) {
        cut_to_single(magnitudes, signs, largest, to);
        return;
    }
    for (int i = 0; i < VECTOR; i++) to[i] = round_to_half(magnitudes[i], signs[i], largest[i] - FRACTION);
}

// What a first block gave is c of the next one; an overflow stays.
static void multiply_again(factors *x, uint32_t first, uint32_t end, uint32_t row, uint32_t col, hw_type result,
                           uint32_t *to) {
    uint32_t before[VECTOR];
    memcpy(before, to, sizeof before);
    take_apart(before, SINGLE, 23, &x->c[col][row], &x->c_exponents[col][row]);
    multiply_block(x, first, end, row, col, result, to);
    for (int i = 0; i < VECTOR; i++) to[i] = (before[i] & 0x7fffffff) == 0x7f800000 ? before[i] : to[i];
}

// block: products that are summed at once.
static INTO_EACH_BODY const hw_inst *multiply_floats(hw_warp *w, const hw_inst *in, hw_type factor, format f,
                                                     hw_type result, uint32_t block) {
    product p;
    factors x;
    uint32_t a[MOST_K * MOST_ROWS], b[VECTOR * MOST_K] = {0}, c[VECTOR * MOST_ROWS], d[VECTOR * MOST_ROWS];
    format of_c = result == HW_T_F16 ? HALF : SINGLE;
    if (!begin(w, in, result, factor, &p)) return NULL;
    if (block > p.k) block = p.k;
    spread(w, p.a, &p.at_a, a);
    spread(w, p.b, &p.at_b, b);
    spread(w, p.c, &p.at_c, c);
    if (factor == HW_T_TF32) {
        for (uint32_t i = 0; i < p.k * MOST_ROWS; i++) a[i] >>= 13;
        for (uint32_t i = 0; i < p.n * MOST_K; i++) b[i] >>= 13;
    }
    int32_t has_special = 0;
    for (uint32_t j = 0; j < p.k; j++)
        for (uint32_t row = 0; row < p.m; row += VECTOR)
            has_special |= take_apart(a + j * MOST_ROWS + row, f, SIGNIFICAND, &x.a[j][row], &x.a_exponents[j][row]);
    for (uint32_t col = 0; col < p.n; col++) {
        has_special |= take_apart(b + col * MOST_K, f, SIGNIFICAND, x.b[col], x.b_exponents[col]);
        for (uint32_t row = 0; row < p.m; row += VECTOR)
            has_special |= take_apart(c + col * MOST_ROWS + row, of_c, 23, &x.c[col][row], &x.c_exponents[col][row]);
    }
    for (uint32_t col = 0; col < p.n; col++)
        for (uint32_t row = 0; row < p.m; row += VECTOR) {
            uint32_t *to = d + col * MOST_ROWS + row;
            multiply_block(&x, 0, block, row, col, result, to);
            for (uint32_t j = block; j < p.k; j += block) multiply_again(&x, j, j + block, row, col, result, to);
            for (uint32_t i = 0; has_special && i < VECTOR; i++) {
                uint32_t special, from = c[col * MOST_ROWS + row + i];
                if (is_special(a + row + i, b + col * MOST_K, p.k, from, f, of_c, &special)) to[i] = special;
            }
        }
    collect(w, p.d, &p.at_c, d);
    return in + 1;
}

static const hw_inst *mma_f32_f16(hw_warp *w, const hw_inst *in) {
    return multiply_floats(w, in, HW_T_F16, HALF, HW_T_F32, MOST_K);
}
static const hw_inst *mma_f16_f16(hw_warp *w, const hw_inst *in) {
    return multiply_floats(w, in, HW_T_F16, HALF, HW_T_F16, MOST_K);
}
static const hw_inst *mma_f32_bf16(hw_warp *w, const hw_inst *in) {
    return multiply_floats(w, in, HW_T_BF16, BFLOAT, HW_T_F32, MOST_K);
}
// wmma's k of 8 are two products of 4 each.
static const hw_inst *mma_f32_tf32(hw_warp *w, const hw_inst *in) {
    bool is_wmma = in->imm >> 24 & 1;
    return multiply_floats(w, in, HW_T_TF32, TFLOAT, HW_T_F32, is_wmma ? 4 : MOST_K);
}

// ---- integers ----

static const hw_inst *mma_s32_x8(hw_warp *w, const hw_inst *in) {
    product p;
    uint32_t a[MOST_K * MOST_ROWS] = {0}, b[VECTOR * MOST_K], c[VECTOR * MOST_ROWS];
    if (!begin(w, in, HW_T_S32, HW_T_S8, &p)) return NULL;
    spread(w, p.a, &p.at_a, a);
    spread(w, p.b, &p.at_b, b);
    spread(w, p.c, &p.at_c, c);
    bool is_wide = (uint8_t)in->imm < (uint8_t)(in->imm >> 8);
    int a_flag = is_wide ? HW_MATRIX_B_UNSIGNED : HW_MATRIX_A_UNSIGNED;
    int b_flag = is_wide ? HW_MATRIX_A_UNSIGNED : HW_MATRIX_B_UNSIGNED;
    uint32_t a_sign = in->sub & a_flag ? 0 : 0x80, b_sign = in->sub & b_flag ? 0 : 0x80;
    for (uint32_t col = 0; col < p.n; col++) {
        int32_t sums[MOST_ROWS] = {0};
        for (uint32_t j = 0; j < p.k; j++) {
            int32_t factor = (int32_t)(b[col * MOST_K + j] ^ b_sign) - (int32_t)b_sign;
            const uint32_t *column = a + j * MOST_ROWS;
            HW_LANE_LOOP for (int row = 0; row < MOST_ROWS; row++)
                sums[row] += ((int32_t)(column[row] ^ a_sign) - (int32_t)a_sign) * factor;
        }
        for (uint32_t row = 0; row < p.m; row++) {
            int64_t whole = (int64_t)(int32_t)c[col * MOST_ROWS + row] + sums[row];
            if (in->sub & HW_MATRIX_SATURATE)
                whole = whole > INT32_MAX ? INT32_MAX : whole < INT32_MIN ? INT32_MIN : whole;
            c[col * MOST_ROWS + row] = (uint32_t)whole;
        }
    }
    collect(w, p.d, &p.at_c, c);
    return in + 1;
}

// ---- doubles ----

static const hw_inst *mma_f64_f64(hw_warp *w, const hw_inst *in) {
    product p;
    double a[MOST_K * MOST_ROWS], b[VECTOR * MOST_K], c[VECTOR * MOST_ROWS];
    if (!begin(w, in, HW_T_F64, HW_T_F64, &p)) return NULL;
    const places *const at[] = {&p.at_a, &p.at_b, &p.at_c};
    const hw_slot *const registers[] = {p.a, p.b, p.c};
    double *const matrices[] = {a, b, c};
    for (int k = 0; k < 3; k++)
        for (uint32_t e = 0; e < at[k]->fragment.elements; e++) {
            const double *r = hw_at(w, registers[k][e]);
            for (int i = 0; i < 32; i++) matrices[k][at[k]->element[e] + at[k]->lane[i]] = r[i];
        }
    for (uint32_t col = 0; col < p.n; col++)
        for (uint32_t j = 0; j < p.k; j++)
            for (uint32_t row = 0; row < p.m; row++)
                c[col * MOST_ROWS + row] = fma(a[j * MOST_ROWS + row], b[col * MOST_K + j], c[col * MOST_ROWS + row]);
    for (uint32_t e = 0; e < p.at_c.fragment.elements; e++) {
        double *d = hw_at(w, p.d[e]);
        HW_LANES(d, c[p.at_c.element[e] + p.at_c.lane[i]]);
    }
    return in + 1;
}

#define ROW(name, function, ...) {function, NULL},
const hw_body_forms HW_LEVEL_NAME(hw_ops_mma)[] = {
#include "isa/bodies/mma.def"
};
