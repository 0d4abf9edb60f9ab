// Products of matrices of floats, the usual way: finite, and neither very large nor very small.
//
// An element of the result is a sum of products, each cut to a multiple of 2^(E - 25) (ops_mma.c). The product of two
// factors is exact in f32, and so is that times 2^(25 - E), unless it is far below 1; converting it to an integer cuts
// it. The sums of these integers are exact where they do not overflow, which is looked at: then, and for values out of
// range, the result is not used (mma_any.h).
#ifndef HW_EXEC_MMA_SUMS_H
#define HW_EXEC_MMA_SUMS_H

#include "exec/ops/mma_factors.h"

// What must not be: a sum that overflowed has the highest bit set; and magnitudes of c, twice their bits, that are too
// large, or too small and not zero (one less, so that zero is not small).
typedef struct unusual {
    uints overflow, most_c, least_c;
} unusual;

static INTO_EACH_BODY bool is_any_unusual(const unusual *u, format f) {
    const int32_t least = has_bytes(f) ? LEAST_OF_C_WITH_BYTES : LEAST_EXPONENT;
    const uint32_t low = (uint32_t)(127 + least) << 24, high = (uint32_t)(128 + MOST_EXPONENT) << 24;
    const ints unusable = (ints)u->overflow >> 31 | (u->most_c >= high) | (u->least_c < low - 1);
    int32_t any = 0;
    for (int i = 0; i < LANES; i++) any |= unusable[i];
    return any;
}

// LANES rows of a and their exponents, from where the block's products begin.
typedef struct rows_of_a {
    floats values[MOST_K];
    ints exponents[HW_MMA_WORDS];
} rows_of_a;

// The largest exponent of the products of LANES rows with a column.
static INTO_EACH_BODY ints largest_exponents(const rows_of_a *a, const uint32_t *b, format f, uint32_t words) {
    enum { BYTES_OF_4_WORDS = PART_WORDS / 2 };
    const ints zero = {0};
#define OF_B(n, per_4_words) (zero + (int32_t)b[(n) / (per_4_words) * (per_4_words) * PART_ROWS + (n) % (per_4_words)])
    if (has_bytes(f)) {
        chars most = (chars)a->exponents[0] + (chars)OF_B(0, BYTES_OF_4_WORDS);
        _Pragma("GCC unroll 8") for (uint32_t n = 1; n < words / 2; n++)
            most = larger_chars(most, (chars)a->exponents[n] + (chars)OF_B(n, BYTES_OF_4_WORDS));
        most = larger_chars(most, (chars)((uints)most << 16));
        return (ints)larger_chars(most, (chars)((uints)most << 8)) >> 24;
    }
    shorts most = (shorts)a->exponents[0] + (shorts)OF_B(0, PART_WORDS);
    _Pragma("GCC unroll 8") for (uint32_t n = 1; n < words; n++)
        most = larger_shorts(most, (shorts)a->exponents[n] + (shorts)OF_B(n, PART_WORDS));
    return larger_ints((ints)most, (ints)((uints)most << 16)) >> 16;    // its upper half decides
#undef OF_B
}

// The powers of two that make the sums of LANES rows of a column whole numbers. is_half: c is f16, whose smallest
// exponent f32's normals go below.
static INTO_EACH_BODY floats scale_of(const rows_of_a *a, const uint32_t *b, format f, uint32_t k, const float *c,
                                      bool is_half, unusual *u) {
    const ints zero = {0};
    const uints twice = *(const uints *)c << 1;
    ints own = (ints)(twice >> 24);
    if (is_half) own = choose(twice == 0, own, larger_ints(own, zero + 127 - 14));
    own += 2 * bias_of(f) - 127;
    u->most_c = larger_uints(u->most_c, twice);
    u->least_c = lesser_uints(u->least_c, twice - 1);
    ints largest = larger_ints(largest_exponents(a, b, f, has_pairs(f) ? k / 2 : k), own);
    if (!has_bytes(f)) largest = larger_ints(largest, zero + (2 * bias_of(f) + LEAST_EXPONENT));
    return (floats)((127 + FRACTION + 2 * bias_of(f) - largest) << 23);
}

// The sums for LANES rows of a column, as multiples of 1 / scale.
static INTO_EACH_BODY ints sum_block(const rows_of_a *a, const float *b, format f, uint32_t k, const float *c,
                                     floats scale, unusual *u) {
    const uint32_t of_4_words = has_pairs(f) ? 8 : 4;
    uints sum[2] = {{0}, {0}};
    _Pragma("GCC unroll 16") for (uint32_t j = 0; j < k; j++)
        sum[j & 1] += (uints)__builtin_convertvector(
            a->values[j] * b[j / of_4_words * of_4_words * PART_ROWS + j % of_4_words] * scale, ints);
    const uints last = (uints)__builtin_convertvector(*(const floats *)c * scale, ints);
    const uints both = sum[0] + sum[1], total = both + last;
    u->overflow |= ((both ^ sum[0]) & (both ^ sum[1])) | ((total ^ both) & (total ^ last));
    return (ints)total;
}

// Sums as f32, cut; or as f16, rounded to nearest even. scale: a power of two for each.
static INTO_EACH_BODY void finish_single(const int32_t *sums, const uint32_t *scale, uint32_t *to) {
#if defined(HW_HAS_AVX512)
    const __m512i unit = _mm512_sub_epi32(_mm512_set1_epi32(254 << 23), hw_get(scale, 0));
    const __m512 cut = _mm512_cvt_roundepi32_ps(hw_get(sums, 0), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    _mm512_storeu_ps(to, _mm512_mul_ps(cut, (__m512)unit));
#else
    uint32_t magnitudes[VECTOR];
    int32_t signs[VECTOR], exponents[VECTOR];
    HW_LANE_LOOP for (int i = 0; i < VECTOR; i++) {
        exponents[i] = 127 + FRACTION - (int32_t)(scale[i] >> 23);
        signs[i] = sums[i] >> 31;
        magnitudes[i] = (uint32_t)(sums[i] ^ signs[i]) - (uint32_t)signs[i];    // of INT32_MIN as well
    }
    cut_to_single(magnitudes, signs, exponents, to);
#endif
}
// f16 is rounded from f32 to odd: of more than 24 bits the last one says whether any was cut off.
static INTO_EACH_BODY void finish_half(const int32_t *sums, const uint32_t *scale, uint32_t *to) {
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
    HW_LANE_LOOP for (int i = 0; i < VECTOR; i++) odd[i] *= hw_bits_float((254u << 23) - scale[i]);
    hw_to_halves(halves, odd, VECTOR);
    HW_LANE_LOOP for (int i = 0; i < VECTOR; i++) to[i] = halves[i] & 0x7fff ? halves[i] : 0;
}

// Products `first` and the k - 1 behind it of all elements, with c; d may be c. words: of a column of b. False: results
// that are no use. The scales come first: while they are computed one after the other, sums would wait for them.
static INTO_EACH_BODY bool sum_all(const hw_factors *x, const hw_mma *p, uint32_t words, format f, uint32_t first,
                                   uint32_t k, bool is_half, uint32_t (*c)[HW_MMA_ROWS], uint32_t (*d)[HW_MMA_ROWS]) {
    enum { PARTS = VECTOR / LANES };
    const uint32_t of_4_words = has_pairs(f) ? 8 : 4, exponents_of_4_words = has_bytes(f) ? 2 : 4;
    const uint32_t step = has_bytes(f) ? 4 : has_pairs(f) ? 2 : 1;
    // A block begins where a register does.
    const uint32_t *b_exponents = x->b_exponents + first / step * PART_ROWS;
    const float *b = x->b + first * PART_ROWS;
    unusual u = {{0}, {0}, {0}};
    u.least_c -= 1;
    for (uint32_t row = 0; row < p->m; row += VECTOR) {
        rows_of_a a[PARTS];
        floats scale[HW_MMA_COLS][PARTS];
        for (uint32_t i = 0; i < PARTS; i++)
            for (uint32_t j = 0; j < k / step; j++)
                a[i].exponents[j] = *(const ints *)&x->a_exponents[first / step + j][row + i * LANES];
        for (uint32_t col = 0; col < p->n; col++)
            for (uint32_t i = 0; i < PARTS; i++)
                scale[col][i] = scale_of(&a[i], b_exponents + place_in_b(col, words, exponents_of_4_words), f, k,
                                         (const float *)&c[col][row + i * LANES], is_half, &u);
        for (uint32_t i = 0; i < PARTS; i++)
            for (uint32_t j = 0; j < k; j++) a[i].values[j] = *(const floats *)&x->a[first + j][row + i * LANES];
        for (uint32_t col = 0; col < p->n; col++) {
            ints sums[PARTS];
            for (uint32_t i = 0; i < PARTS; i++)
                sums[i] = sum_block(&a[i], b + place_in_b(col, words, of_4_words), f, k,
                                    (const float *)&c[col][row + i * LANES], scale[col][i], &u);
            if (is_half) finish_half((const int32_t *)sums, (const uint32_t *)scale[col], &d[col][row]);
            else finish_single((const int32_t *)sums, (const uint32_t *)scale[col], &d[col][row]);
        }
    }
    return !is_any_unusual(&u, f);
}

#endif
