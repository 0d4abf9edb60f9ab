// Halves and bfloats of a whole warp to floats and back, by the processor's own conversions where it has them.
#ifndef HW_EXEC_HALF_LANES_H
#define HW_EXEC_HALF_LANES_H

#include "exec/ops/float_lanes.h"
#include "exec/ops/vectors.h"

#define HW_ALWAYS_INLINE static inline __attribute__((always_inline))

// n, 32 or 64, halves to floats. A NaN stays one, with whatever payload.
HW_ALWAYS_INLINE void hw_from_halves(float *f, const uint16_t *h, int n) {
#if defined(__AVX512F__)
    for (int i = 0; i < n; i += 16)
        _mm512_storeu_ps(f + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(h + i))));
#elif defined(__F16C__)
    for (int i = 0; i < n; i += 8) _mm256_storeu_ps(f + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(h + i))));
#else
    HW_LANE_LOOP for (int i = 0; i < n; i++) {
        uint32_t magnitude = (uint32_t)(h[i] & 0x7fff) << 13, sign = (uint32_t)(h[i] & 0x8000) << 16;
        // Halves are 2^-112 of the floats with their bits; infinities and NaNs get the largest exponent.
        uint32_t scaled = hw_float_bits(hw_bits_float(magnitude) * 0x1p112f);
        f[i] = hw_bits_float(sign | (magnitude >= 0x0f800000u ? magnitude | 0x7f800000u : scaled));
    }
#endif
}

// n floats to halves, rounded to nearest; a NaN becomes 0x7fff.
HW_ALWAYS_INLINE void hw_to_halves(uint16_t *h, const float *f, int n) {
#if defined(__AVX512F__)
    const __m512 nan = _mm512_castsi512_ps(_mm512_set1_epi32(0x7fffffff));
    for (int i = 0; i < n; i += 16) {
        __m512 x = _mm512_loadu_ps(f + i);
        x = _mm512_mask_mov_ps(nan, _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), x);
        _mm256_storeu_si256((__m256i *)(h + i), _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    }
#elif defined(__F16C__)
    const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
    for (int i = 0; i < n; i += 8) {
        __m256 x = _mm256_loadu_ps(f + i);
        x = _mm256_blendv_ps(nan, x, _mm256_cmp_ps(x, x, _CMP_ORD_Q));
        _mm_storeu_si128((__m128i *)(h + i), _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
    }
#else
    HW_LANE_LOOP for (int i = 0; i < n; i++) {
        uint32_t bits = hw_float_bits(f[i]), sign = bits >> 16 & 0x8000, a = bits & 0x7fffffffu;
        uint32_t normal = (a + 0xfff + (a >> 13 & 1) - (112u << 23)) >> 13;
        // The sum with 0.5 has its last place where a subnormal half has its own.
        uint32_t subnormal = hw_float_bits(hw_bits_float(a) + 0.5f) - 0x3f000000u;
        uint32_t r = a < 113u << 23 ? subnormal : a >= 0x47800000u ? 0x7c00u : normal;
        h[i] = (uint16_t)(a > 0x7f800000u ? 0x7fffu : sign | r);
    }
#endif
}

HW_ALWAYS_INLINE void hw_from_bfloats(float *f, const uint16_t *h, int n) {
    HW_LANE_LOOP for (int i = 0; i < n; i++) f[i] = hw_bits_float((uint32_t)h[i] << 16);
}

HW_ALWAYS_INLINE void hw_to_bfloats(uint16_t *h, const float *f, int n) {
    HW_LANE_LOOP for (int i = 0; i < n; i++) {
        uint32_t bits = hw_float_bits(f[i]), rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
        h[i] = (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded);
    }
}

// Two vectors of numbers out of one of pairs of halves, and back. Which half of which pair goes where differs by level
// and type, and is the same for all operands and the result. Rounding and NaN as above.
HW_ALWAYS_INLINE void hw_widen_halves(const uint32_t *pairs, floats to[2]) {
#if defined(HW_HAS_AVX512)
    to[0] = (floats)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)pairs));
    to[1] = (floats)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)pairs + 1));
#elif defined(__F16C__)
    to[0] = (floats)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)pairs));
    to[1] = (floats)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)pairs + 1));
#else
    uints both;
    memcpy(&both, pairs, sizeof both);
    for (int k = 0; k < 2; k++) {
        uints half = k ? both : both << 16, magnitude = half >> 3 & 0x0fffe000;
        floats scaled = (floats)magnitude * 0x1p112f;    // infinities and NaNs get the largest exponent
        to[k] = (floats)((half & 0x80000000u) | (uints)scaled | ((uints)((ints)magnitude >= 0x0f800000) & 0x7f800000));
    }
#endif
}

HW_ALWAYS_INLINE void hw_narrow_halves(const floats from[2], uint32_t *pairs) {
#if defined(HW_HAS_AVX512)
    __m512 x[2] = {(__m512)from[0], (__m512)from[1]};
    if (__builtin_expect(_mm512_cmp_ps_mask(x[0], x[1], _CMP_UNORD_Q), 0))
        for (int k = 0; k < 2; k++)
            x[k] = _mm512_mask_mov_ps(x[k], _mm512_cmp_ps_mask(x[k], x[k], _CMP_UNORD_Q),
                                      _mm512_castsi512_ps(_mm512_set1_epi32(0x7fffffff)));
    for (int k = 0; k < 2; k++)
        _mm256_storeu_si256((__m256i *)pairs + k, _mm512_cvtps_ph(x[k], _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#elif defined(__F16C__)
    const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
    for (int k = 0; k < 2; k++) {
        __m256 x = (__m256)from[k];
        x = _mm256_blendv_ps(nan, x, _mm256_cmp_ps(x, x, _CMP_ORD_Q));
        _mm_storeu_si128((__m128i *)pairs + k, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
    }
#else
    uints both[2];
    for (int k = 0; k < 2; k++) {
        uints x = (uints)from[k], sign = x >> 16 & 0x8000, a = x & 0x7fffffff;
        uints normal = (a + 0xfff + (a >> 13 & 1) - (112u << 23)) >> 13;
        // The sum with 0.5 has its last place where a subnormal half has its own.
        uints subnormal = (uints)((floats)a + 0.5f) - 0x3f000000;
        uints finite = (uints)choose((ints)a < (113 << 23), (ints)subnormal, (ints)normal);
        uints number = sign | (uints)choose((ints)a >= 0x47800000, (ints)(a - a + 0x7c00), (ints)finite);
        both[k] = (uints)choose((ints)a > 0x7f800000, (ints)(a - a + 0x7fff), (ints)number);
    }
    both[0] |= both[1] << 16;
    memcpy(pairs, both, sizeof both[0]);
#endif
}

HW_ALWAYS_INLINE void hw_widen_bfloats(const uint32_t *pairs, floats to[2]) {
    uints both;
    memcpy(&both, pairs, sizeof both);
    to[0] = (floats)(both << 16);
    to[1] = (floats)(both & 0xffff0000u);
}

HW_ALWAYS_INLINE void hw_narrow_bfloats(const floats from[2], uint32_t *pairs) {
    uints both[2];
    for (int k = 0; k < 2; k++) {
        uints x = (uints)from[k], rounded = x + 0x7fff + (x >> 16 & 1);
        both[k] = (uints)choose(from[k] == from[k], (ints)rounded, (ints)(x - x + 0x7fff0000));
    }
    both[0] = both[0] >> 16 | (both[1] & 0xffff0000u);
    memcpy(pairs, both, sizeof both[0]);
}

// Stores 32 lanes of one half, or of a pair of halves, into the active ones.
HW_ALWAYS_INLINE void hw_store_halves(const hw_warp *w, void *slot, const uint16_t *h, int n) {
    if (n == 32) {
        uint16_t *d = slot;
        HW_LANES(d, h[i]);
    } else {
        uint32_t *d = slot;
        HW_LANES(d, (uint32_t)h[2 * i] | (uint32_t)h[2 * i + 1] << 16);
    }
}

#endif
