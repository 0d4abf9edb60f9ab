// Products of matrices of floats, the usual way: finite, and neither very large nor very small.
//
// An element of the result is a sum of products, each cut to a multiple of 2^(E - 25) (ops_mma.c). The product of two
// factors is exact in f32, and so is that times 2^(25 - E), unless it is far below 1; converting it to an integer cuts
// it. The sums of these integers are exact where they do not overflow, which is looked at: then, and for values out of
// range, the result is not used (mma_any.h).
#ifndef HW_EXEC_MMA_SUMS_H
#define HW_EXEC_MMA_SUMS_H

#include "exec/ops/half_lanes.h"
#include "exec/ops/mma_any.h"

enum { MOST_EXPONENT = 120, LEAST_EXPONENT = -100 };

// Exponents are pairs of 16 bits, of the elements of one word each, the second one ZERO where there is one; those of b
// are biased as f32's are, so that sums are. Columns of b lie one behind the other.
typedef struct hw_factors {
    _Alignas(64) float a[MOST_K][HW_MMA_ROWS], b[HW_MMA_COLS * MOST_K];
    _Alignas(64) uint32_t a_exponents[HW_MMA_WORDS][HW_MMA_ROWS], b_exponents[HW_MMA_COLS * HW_MMA_WORDS];
    shorts most, least;             // exponents: the largest, and the negative of the smallest
} hw_factors;

static INTO_EACH_BODY bool has_pairs(format f) { return f.exponent_bits + f.fraction_bits == 15; }

// Of LANES words. Numbers that are zero have about ZERO.
static INTO_EACH_BODY void take_exponents(hw_factors *x, const uint32_t *words, format f, int16_t bias, uint32_t *to) {
    const int16_t own_bias = (int16_t)((1 << (f.exponent_bits - 1)) - 1);
    const shorts none = {0};
    shorts e, is_zero;
    if (has_pairs(f)) {
        shorts magnitude = *(const shorts *)words & 0x7fff;
        is_zero = magnitude == 0;
        e = larger_shorts(magnitude >> f.fraction_bits, none + 1) - own_bias;
    } else {
        ints magnitude = *(const ints *)words & 0x7fffe000, single = (magnitude >> 23) - own_bias;
        is_zero = (shorts)(magnitude == 0);
        e = (shorts)(single & 0xffff);
    }
    x->most = larger_shorts(x->most, e);
    if (f.exponent_bits == 8) x->least = larger_shorts(x->least, -e & ~is_zero);
    e += (is_zero & ZERO) + bias;
    if (!has_pairs(f)) e = (shorts)(((ints)e & 0xffff) | (int32_t)((uint32_t)ZERO << 16));
    *(shorts *)to = e;
}

// Are all exponents such that products and their multiples by 2^(25 - E) stay within f32's?
static INTO_EACH_BODY bool are_usual(const hw_factors *x, format f) {
    shorts beyond = x->most > (int16_t)(f.exponent_bits == 5 ? 15 : MOST_EXPONENT / 2);
    if (f.exponent_bits == 8) beyond |= x->least > (int16_t)(-LEAST_EXPONENT / 2);
    int any = 0;
    for (unsigned i = 0; i < sizeof beyond / sizeof beyond[0]; i++) any |= beyond[i];
    return !any;
}

// VECTOR words of a column of a, as the columns of floats that they hold.
static INTO_EACH_BODY void take_values(const uint32_t *words, format f, float (*to)[HW_MMA_ROWS]) {
    float *first = to[0], *second = to[has_pairs(f)];
    HW_LANE_LOOP for (int i = 0; i < VECTOR; i++) {
        uint32_t x = words[i];
        if (f.exponent_bits == 5) {    // halves are 2^-112 of the floats with their bits
            float low = hw_bits_float((x & 0x7fff) << 13) * 0x1p112f;
            float high = hw_bits_float(x >> 3 & 0x0fffe000) * 0x1p112f;
            first[i] = hw_bits_float(hw_float_bits(low) | (x & 0x8000) << 16);
            second[i] = hw_bits_float(hw_float_bits(high) | (x & 0x80000000u));
        } else if (has_pairs(f)) {
            first[i] = hw_bits_float(x << 16);
            second[i] = hw_bits_float(x & 0xffff0000u);
        } else {
            first[i] = hw_bits_float(x & ~0x1fffu);
        }
    }
}

static INTO_EACH_BODY bool prepare_factors(const hw_mma *p, uint32_t (*a)[HW_MMA_ROWS], const uint32_t *b, format f,
                                           hw_factors *x) {
    const uint16_t *halves = (const uint16_t *)b;
    x->most = x->least = (shorts){0};
    for (uint32_t word = 0; word < p->words; word++)
        for (uint32_t row = 0; row < p->m; row += VECTOR) {
            take_values(&a[word][row], f, (float (*)[HW_MMA_ROWS])&x->a[has_pairs(f) ? 2 * word : word][row]);
            for (uint32_t i = row; i < row + VECTOR; i += LANES)
                take_exponents(x, &a[word][i], f, 0, &x->a_exponents[word][i]);
        }
    for (uint32_t i = 0; i < p->n * p->words; i += LANES) take_exponents(x, b + i, f, 127, x->b_exponents + i);
    for (uint32_t i = 0; i < p->n * p->k; i += 32) {
        if (f.exponent_bits == 5) hw_from_halves(x->b + i, halves + i, 32);
        else if (has_pairs(f)) hw_from_bfloats(x->b + i, halves + i, 32);
        else HW_LANE_LOOP for (uint32_t j = i; j < i + 32; j++) x->b[j] = hw_bits_float(b[j] & ~0x1fffu);
    }
    return are_usual(x, f);
}

// c times 2^exponent, cut to an integer. No power of two that f32 has is as small or large as some of these.
static INTO_EACH_BODY ints scale_c(floats c, ints exponent) {
#if defined(HW_HAS_AVX512)
    return (ints)_mm512_cvttps_epi32(_mm512_scalef_ps((__m512)c, _mm512_cvtepi32_ps((__m512i)exponent)));
#else
    ints half = exponent >> 1, rest = exponent - half;
    return __builtin_convertvector(c * (floats)((half + 127) << 23) * (floats)((rest + 127) << 23), ints);
#endif
}

// What must not be: a sum that overflowed has the highest bit set, and c was too large.
typedef struct unusual {
    uints overflow;
    ints most_c;
} unusual;

// The sums for LANES rows of a column: multiples of 2^(exponents - 127 - FRACTION). a, b, a_exponents, b_exponents:
// where the block's products begin. is_half: c is f16, whose smallest
// exponent f32's normals go below.
typedef const float (*rows_of_floats)[HW_MMA_ROWS];
typedef const uint32_t (*rows_of_words)[HW_MMA_ROWS];
static INTO_EACH_BODY void sum_block(rows_of_floats a, const float *b, rows_of_words a_exponents,
                                     const uint32_t *b_exponents, uint32_t k, uint32_t words, const float *c,
                                     bool is_half, int32_t *sums, int32_t *exponents, unusual *u) {
    const ints zero = {0}, addend = *(const ints *)c;
    shorts pairs[2];
    _Pragma("GCC unroll 8") for (uint32_t word = 0; word < words; word++) {
        shorts sum = *(const shorts *)a_exponents[word] + (shorts)(zero + (int32_t)b_exponents[word]);
        pairs[word & 1] = word < 2 ? sum : larger_shorts(pairs[word & 1], sum);
    }
    // The larger of each pair: its upper half decides.
    ints products = (ints)larger_shorts(pairs[0], pairs[1]), shifted = (ints)((uints)products << 16);
    ints largest = larger_ints(products, shifted) >> 16, own = (ints)((uints)addend << 1 >> 24);
    u->most_c = larger_ints(u->most_c, own);
    if (is_half) own = larger_ints(own, zero + 127 - 14) | (ZERO & ((addend & 0x7fffffff) == 0));
    else own = larger_ints(own, zero + 1);
    largest = larger_ints(largest, own);
    const ints power = FRACTION + 127 - largest, most = zero - (FRACTION - LEAST_EXPONENT);
    const floats scale = (floats)((127 - larger_ints(-power, most)) << 23);
    uints sum[2] = {{0}, {0}};
    _Pragma("GCC unroll 16") for (uint32_t j = 0; j < k; j++) {
        floats product = *(const floats *)a[j] * b[j];
        sum[j & 1] += (uints)__builtin_convertvector(product * scale, ints);
    }
    uints last = (uints)scale_c((floats)addend, power), both = sum[0] + sum[1], total = both + last;
    memcpy(sums, &total, sizeof total);
    memcpy(exponents, &largest, sizeof largest);
    u->overflow |= ((both ^ sum[0]) & (both ^ sum[1])) | ((total ^ both) & (total ^ last));
}

// Sums as f32, cut; or as f16, rounded to nearest even.
static INTO_EACH_BODY void finish_single(const int32_t *sums, const int32_t *exponents, uint32_t *to) {
#if defined(HW_HAS_AVX512)
    enum { CUT = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC };
    __m512 power = _mm512_cvtepi32_ps(_mm512_sub_epi32(hw_get(exponents, 0), _mm512_set1_epi32(127 + FRACTION)));
    _mm512_storeu_ps(to, _mm512_scalef_round_ps(_mm512_cvt_roundepi32_ps(hw_get(sums, 0), CUT), power, CUT));
#else
    uint32_t magnitudes[VECTOR];
    int32_t signs[VECTOR], unbiased[VECTOR];
    HW_LANE_LOOP for (int i = 0; i < VECTOR; i++) {
        unbiased[i] = exponents[i] - 127;
        signs[i] = sums[i] >> 31;
        magnitudes[i] = (uint32_t)((sums[i] ^ signs[i]) - signs[i]);
    }
    cut_to_single(magnitudes, signs, unbiased, to);
#endif
}
// f16 is rounded from f32 to odd: of more than 24 bits the last one says whether any was cut off.
static INTO_EACH_BODY void finish_half(const int32_t *sums, const int32_t *exponents, uint32_t *to) {
    _Alignas(64) float odd[VECTOR];
    uint16_t halves[VECTOR];
#if defined(HW_HAS_AVX512)
    __m512i exact = hw_get(sums, 0);
    __m512 cut = _mm512_cvt_roundepi32_ps(exact, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    __mmask16 is_inexact = _mm512_cmpneq_epi32_mask(_mm512_cvttps_epi32(cut), exact);
    _mm512_store_si512(odd, _mm512_mask_or_epi32((__m512i)cut, is_inexact, (__m512i)cut, _mm512_set1_epi32(1)));
#else
    HW_LANE_LOOP for (int i = 0; i < VECTOR; i++) {
        float nearest = (float)sums[i], magnitude = __builtin_fabsf(nearest);
        double exact = sums[i], error = exact - nearest;
        uint32_t down = __builtin_fabs(exact) < magnitude, is_inexact = (error < 0) | (error > 0);
        odd[i] = hw_bits_float((hw_float_bits(nearest) - down) | is_inexact);
    }
#endif
    HW_LANE_LOOP for (int i = 0; i < VECTOR; i++) {
        int32_t exponent = exponents[i] < 127 + LEAST_EXPONENT ? LEAST_EXPONENT + 127 : exponents[i];
        odd[i] *= hw_bits_float((uint32_t)(exponent - FRACTION) << 23);
    }
    hw_to_halves(halves, odd, VECTOR);
    HW_LANE_LOOP for (int i = 0; i < VECTOR; i++) to[i] = halves[i] & 0x7fff ? halves[i] : 0;
}

// Products `first` and the k - 1 behind it of all elements, with c; d may be c. False: results that are no use.
static INTO_EACH_BODY bool sum_all(const hw_factors *x, const hw_mma *p, uint32_t first, uint32_t k, uint32_t per,
                                   bool is_half, uint32_t (*c)[HW_MMA_ROWS], uint32_t (*d)[HW_MMA_ROWS]) {
    const float *b = x->b + first;
    const uint32_t *b_exponents = x->b_exponents + first / per;
    unusual u = {{0}, {0}};
    for (uint32_t col = 0; col < p->n; col++, b += p->k, b_exponents += p->words)
        for (uint32_t row = 0; row < p->m; row += VECTOR) {
            _Alignas(64) int32_t sums[VECTOR], exponents[VECTOR];
            for (uint32_t i = 0; i < VECTOR; i += LANES) {
                rows_of_floats a = (rows_of_floats)&x->a[first][row + i];
                rows_of_words a_exponents = (rows_of_words)&x->a_exponents[first / per][row + i];
                sum_block(a, b, a_exponents, b_exponents, k, k / per, (const float *)&c[col][row + i], is_half,
                          sums + i, exponents + i, &u);
            }
            if (is_half) finish_half(sums, exponents, &d[col][row]);
            else finish_single(sums, exponents, &d[col][row]);
        }
    ints unusable = (ints)u.overflow >> 31 | (u.most_c > 127 + MOST_EXPONENT);
    int32_t any = 0;
    for (int i = 0; i < LANES; i++) any |= unusable[i];
    return !any;
}

#endif
