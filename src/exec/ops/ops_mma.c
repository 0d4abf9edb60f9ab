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

#include "exec/ops/mma_sums.h"

// ---- floats ----

// f16 in pairs of columns to columns of floats or of bits, and back.
static void widen_halves(uint32_t (*pairs)[HW_MMA_ROWS], const hw_mma *p, bool are_floats,
                         uint32_t (*to)[HW_MMA_ROWS]) {
    for (uint32_t col = 0; col < p->n; col++)
        for (uint32_t row = 0; row < p->m; row += VECTOR) {
            uint16_t halves[VECTOR];
            uint32_t *column = &to[col][row];
            const uint32_t *from = &pairs[col / 2][row];
            HW_LANE_LOOP for (int i = 0; i < VECTOR; i++) halves[i] = (uint16_t)(from[i] >> col % 2 * 16);
            if (are_floats) hw_from_halves((float *)column, halves, VECTOR);
            else HW_LANE_LOOP for (int i = 0; i < VECTOR; i++) column[i] = halves[i];
        }
}
static void pair_halves(uint32_t (*halves)[HW_MMA_ROWS], const hw_mma *p, uint32_t (*to)[HW_MMA_ROWS]) {
    for (uint32_t col = 0; col < p->n; col += 2)
        HW_LANE_LOOP for (uint32_t row = 0; row < p->m; row++)
            to[col / 2][row] = halves[col][row] | halves[col + 1][row] << 16;
}

// words: of a row of a; block: products that are summed at once.
static INTO_EACH_BODY void multiply_floats(const hw_warp *w, const hw_mma *p, uint32_t words, format f, bool is_half,
                                           uint32_t block) {
    const uint32_t k = has_pairs(f) ? 2 * words : words, c_per = is_half ? 1 : 2;
    _Alignas(64) uint32_t a[HW_MMA_WORDS][HW_MMA_ROWS], wide[HW_MMA_COLS][HW_MMA_ROWS];
    _Alignas(64) uint32_t c[HW_MMA_COLS][HW_MMA_ROWS], d[HW_MMA_COLS][HW_MMA_ROWS];
    hw_factors x;
    hw_mma_take(w, p->a, p->m, words / PART_WORDS, 1, a);
    hw_mma_take(w, p->c, p->m, p->n / PART_ROWS, c_per, c);
    bool is_usual = prepare_factors(w, p, words, a, f, &x);
    if (is_half) widen_halves(c, p, true, wide);
    is_usual = is_usual && sum_all(&x, p, words, f, 0, block, is_half, is_half ? wide : c, d);
    for (uint32_t j = block; j < k; j += block)
        is_usual = is_usual && sum_all(&x, p, words, f, j, block, is_half, d, d);
    if (!is_usual) {
        uint32_t b[HW_MMA_COLS * HW_MMA_WORDS];
        hw_mma_take_b(w, p, b);
        if (is_half) widen_halves(c, p, false, wide);
        multiply_any(p, a, b, is_half ? wide : c, f, is_half, block, d);
    }
    if (is_half) pair_halves(d, p, c);
    hw_mma_put(w, p->d, p->m, p->n / PART_ROWS, c_per, is_half ? c : d);
}

static INTO_EACH_BODY const hw_inst *product_of_floats(hw_warp *w, const hw_inst *in, format f, bool is_half,
                                                       uint32_t block) {
    hw_mma p;
    const uint32_t per = has_pairs(f) ? 2 : 1, most = per * HW_MMA_WORDS;
    if (!hw_mma_begin(w, in, 32 / per, is_half ? 16 : 32, f.exponent_bits == 5, &p)) return NULL;
    if (p.words == HW_MMA_WORDS) multiply_floats(w, &p, HW_MMA_WORDS, f, is_half, block < most ? block : most);
    else multiply_floats(w, &p, HW_MMA_WORDS / 2, f, is_half, block < most / 2 ? block : most / 2);
    return in + 1;
}

static const hw_inst *mma_f32_f16(hw_warp *w, const hw_inst *in) {
    return product_of_floats(w, in, HALF, false, MOST_K);
}
static const hw_inst *mma_f16_f16(hw_warp *w, const hw_inst *in) {
    return product_of_floats(w, in, HALF, true, MOST_K);
}
static const hw_inst *mma_f32_bf16(hw_warp *w, const hw_inst *in) {
    return product_of_floats(w, in, BFLOAT, false, MOST_K);
}
// wmma's k of 8 are two products of 4 each.
static const hw_inst *mma_f32_tf32(hw_warp *w, const hw_inst *in) {
    bool is_wmma = in->imm >> 24 & 1;
    return product_of_floats(w, in, TFLOAT, false, is_wmma ? 4 : MOST_K);
}

// ---- integers ----

// Words of four bytes as two words of two numbers of 16 bits: the bytes of even and of odd place.
static INTO_EACH_BODY void widen_bytes(const uint32_t *words, uint32_t n, bool is_unsigned, uint32_t *even,
                                       uint32_t *odd) {
    HW_LANE_LOOP for (uint32_t i = 0; i < n; i++) {
        uint32_t x = words[i], low = x & 0x00ff00ff, high = x >> 8 & 0x00ff00ff;
        // A byte's sign, 256 times as large, is taken away; without borrowing across the middle.
        uint32_t low_sign = is_unsigned ? 0 : low & 0x00800080, high_sign = is_unsigned ? 0 : high & 0x00800080;
        even[i] = low | low_sign * 0x1fe;
        odd[i] = high | high_sign * 0x1fe;
    }
}

// The sums of the products of two pairs of 16-bit numbers.
static inline ints multiply_pairs(ints a, ints b) {
#if defined(HW_HAS_AVX512)
    return (ints)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (ints)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (ints)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
    ints a_low = (ints)((uints)a << 16) >> 16, b_low = (ints)((uints)b << 16) >> 16;
    return a_low * b_low + (a >> 16) * (b >> 16);
#endif
}

static uint32_t saturated_sum(uint32_t c, uint32_t sum) {
    int64_t whole = (int64_t)(int32_t)c + (int32_t)sum;
    return (uint32_t)(whole > INT32_MAX ? INT32_MAX : whole < INT32_MIN ? INT32_MIN : whole);
}

static const hw_inst *mma_s32_x8(hw_warp *w, const hw_inst *in) {
    hw_mma p;
    _Alignas(64) uint32_t a[HW_MMA_WORDS][HW_MMA_ROWS] = {{0}}, b[HW_MMA_COLS * HW_MMA_WORDS];
    _Alignas(64) uint32_t c[HW_MMA_COLS][HW_MMA_ROWS] = {{0}};
    _Alignas(64) uint32_t a_pairs[HW_MMA_WORDS][2][HW_MMA_ROWS], b_pairs[2][HW_MMA_COLS * HW_MMA_WORDS];
    if (!hw_mma_begin(w, in, 8, 32, false, &p)) return NULL;
    hw_mma_take(w, p.a, p.m, p.words / PART_WORDS, 1, a);
    hw_mma_take_b(w, &p, b);
    hw_mma_take(w, p.c, p.m, p.n / PART_ROWS, 2, c);
    bool a_unsigned = in->choices & (p.is_wide ? HW_MATRIX_B_UNSIGNED : HW_MATRIX_A_UNSIGNED);
    bool b_unsigned = in->choices & (p.is_wide ? HW_MATRIX_A_UNSIGNED : HW_MATRIX_B_UNSIGNED);
    for (uint32_t word = 0; word < p.words; word++)
        widen_bytes(a[word], HW_MMA_ROWS, a_unsigned, a_pairs[word][0], a_pairs[word][1]);
    widen_bytes(b, p.n * p.words, b_unsigned, b_pairs[0], b_pairs[1]);
    for (uint32_t col = 0; col < p.n; col++)
        for (uint32_t row = 0; row < p.m; row += LANES) {
            const ints zero = {0};
            ints sum = zero, *at = (ints *)&c[col][row];
            for (uint32_t word = 0; word < p.words; word++)
                for (uint32_t odd = 0; odd < 2; odd++)
                    sum += multiply_pairs(*(const ints *)&a_pairs[word][odd][row],
                                          zero + (int32_t)b_pairs[odd][col * p.words + word]);
            if (in->choices & HW_MATRIX_SATURATE)
                for (uint32_t i = 0; i < LANES; i++) c[col][row + i] = saturated_sum(c[col][row + i], (uint32_t)sum[i]);
            else *at = (ints)((uints)*at + (uints)sum);
        }
    hw_mma_put(w, p.d, p.m, p.n / PART_ROWS, 2, c);
    return in + 1;
}

// ---- doubles ----

// Lane 4r + w has row r of a and column r of b at word w of k, and row r of c at columns 2w and 2w + 1.
static const hw_inst *mma_f64_f64(hw_warp *w, const hw_inst *in) {
    enum { MOST_HALVES = 2, MOST_WORDS = 16 };
    hw_mma p;
    double b[2][MOST_WORDS][PART_WORDS], sums[MOST_HALVES][2][32];    // b: of even and of odd columns
    if (!hw_mma_begin(w, in, 64, 64, false, &p)) return NULL;
    uint32_t halves = p.m / PART_ROWS;
    for (uint32_t k = 0; k < p.k; k++) {
        const double *lanes = (const double *)hw_at(w, p.b[k / PART_WORDS]) + k % PART_WORDS;
        for (int col = 0; col < PART_ROWS; col++) b[col % 2][k][col / 2] = lanes[PART_WORDS * col];
    }
    for (uint32_t half = 0; half < halves; half++)
        for (uint32_t odd = 0; odd < 2; odd++) {
            double *sum = sums[half][odd];
            memcpy(sum, hw_at(w, p.c[2 * half + odd]), sizeof sums[half][odd]);
            for (uint32_t k = 0; k < p.k; k++) {
                const double *a = (const double *)hw_at(w, p.a[half + halves * (k / PART_WORDS)]) + k % PART_WORDS;
                const double *factors_of_b = b[odd][k];
                HW_LANE_LOOP for (int i = 0; i < 32; i++) sum[i] = fma(a[i & ~3], factors_of_b[i & 3], sum[i]);
            }
        }
    for (uint32_t n = 0; n < 2 * halves; n++) {
        double *d = hw_at(w, p.d[n]);
        HW_LANES(d, sums[n / 2][n % 2][i]);
    }
    return in + 1;
}

#define ROW(name, function, ...) {function, NULL},
const hw_body_forms HW_LEVEL_NAME(hw_ops_mma)[] = {
#include "isa/bodies/mma.def"
};
