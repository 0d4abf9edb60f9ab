// Vectors of the processor's own width, for what lanes are not enough for: a body that converts, computes and converts
// back would otherwise put what is between into memory.
#ifndef HW_EXEC_VECTORS_H
#define HW_EXEC_VECTORS_H

#include <string.h>

#include "exec/ops/lanes.h"

#if defined(HW_HAS_AVX512)
enum { VECTOR_BYTES = 64 };
#elif defined(__AVX2__)
enum { VECTOR_BYTES = 32 };
#else
enum { VECTOR_BYTES = 16 };
#endif
enum { LANES = VECTOR_BYTES / 4 };    // 32-bit numbers
typedef float floats __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t ints __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t uints __attribute__((vector_size(VECTOR_BYTES)));
typedef int16_t shorts __attribute__((vector_size(VECTOR_BYTES)));
typedef int8_t chars __attribute__((vector_size(VECTOR_BYTES)));

// a where the mask's lanes are -1, b where they are 0.
static inline ints choose(ints mask, ints a, ints b) { return (a & mask) | (b & ~mask); }
static inline floats choose_floats(ints mask, floats a, floats b) { return (floats)choose(mask, (ints)a, (ints)b); }

static inline bool any_bit(uints a) {
#if defined(HW_HAS_AVX512)
    return _mm512_test_epi32_mask((__m512i)a, (__m512i)a);
#elif defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)a, (__m256i)a);
#else
    uint64_t part[VECTOR_BYTES / 8];
    memcpy(part, &a, sizeof a);
    return part[0] | part[1];
#endif
}

static inline ints larger_ints(ints a, ints b) {
#if defined(HW_HAS_AVX512)
    return (ints)_mm512_max_epi32((__m512i)a, (__m512i)b);
#else
    return choose(a > b, a, b);
#endif
}
static inline shorts larger_shorts(shorts a, shorts b) {
#if defined(HW_HAS_AVX512)
    return (shorts)_mm512_max_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (shorts)_mm256_max_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (shorts)_mm_max_epi16((__m128i)a, (__m128i)b);
#else
    shorts is = a > b;
    return (a & is) | (b & ~is);
#endif
}

static inline chars larger_chars(chars a, chars b) {
#if defined(HW_HAS_AVX512)
    return (chars)_mm512_max_epi8((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (chars)_mm256_max_epi8((__m256i)a, (__m256i)b);
#else
    chars is = a > b;
    return (a & is) | (b & ~is);
#endif
}
static inline uints larger_uints(uints a, uints b) {
#if defined(HW_HAS_AVX512)
    return (uints)_mm512_max_epu32((__m512i)a, (__m512i)b);
#else
    return (uints)choose((ints)(a > b), (ints)a, (ints)b);
#endif
}
static inline uints lesser_uints(uints a, uints b) {
#if defined(HW_HAS_AVX512)
    return (uints)_mm512_min_epu32((__m512i)a, (__m512i)b);
#else
    return (uints)choose((ints)(a < b), (ints)a, (ints)b);
#endif
}

#endif
