// Distinct pieces of memory for x86 processors with AVX-512, which finds equal lanes by itself (CD). Compiled for it
// here, whatever the build says.
#ifdef __x86_64__
#include <immintrin.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd"))), \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd")
#endif

#define LEVEL hw_distinct_avx512
#define LEVEL_NAME "avx512"
#define FIRST_LANES first_lanes
#define MOST_SET most_set

#include <stdbool.h>
#include <stdint.h>

// The second half of the lanes is compared with each lane of the first: the least difference is 0 where one is equal.
static inline uint32_t first_lanes(const uint32_t values[32], bool across) {
    const __m512i low = _mm512_loadu_si512(values), high = _mm512_loadu_si512(values + 16);
    const __m512i low_twins = _mm512_conflict_epi32(low), high_twins = _mm512_conflict_epi32(high);
    __m512i even = _mm512_set1_epi32(-1), odd = even;
    for (int i = 0; across && i < 16; i += 2) {
        even = _mm512_min_epu32(even, _mm512_xor_si512(high, _mm512_set1_epi32((int)values[i])));
        odd = _mm512_min_epu32(odd, _mm512_xor_si512(high, _mm512_set1_epi32((int)values[i + 1])));
    }
    const __m512i least = _mm512_min_epu32(even, odd);
    const __mmask16 new_in_high = _mm512_mask_test_epi32_mask(_mm512_testn_epi32_mask(high_twins, high_twins), least,
                                                              least);
    return _mm512_testn_epi32_mask(low_twins, low_twins) | (uint32_t)new_in_high << 16;
}

// planes[k] has bit k of each of 32 counts: the largest count.
static inline uint32_t largest_count(const uint32_t planes[6]) {
    uint32_t largest = 0, columns = 0xffffffff;
    for (int k = 5; k >= 0; k--) {
        const uint32_t with = columns & planes[k];
        largest = largest << 1 | (with != 0);
        columns = with ? with : columns;
    }
    return largest;
}

enum { EITHER_OR = 0x96, MAJORITY = 0xe8 };   // truth tables of a full adder

// Adds the lanes' upper half, `bytes` behind the lower one, to it: n planes become one more.
#define FOLD(planes, n, bytes)                                                              \
    do {                                                                                    \
        __m128i carry_ = _mm_setzero_si128();                                               \
        for (int k = 0; k < (n); k++) {                                                     \
            const __m128i upper_ = _mm_srli_si128(planes[k], bytes), lower_ = planes[k];    \
            planes[k] = _mm_ternarylogic_epi32(lower_, upper_, carry_, EITHER_OR);          \
            carry_ = _mm_ternarylogic_epi32(lower_, upper_, carry_, MAJORITY);              \
        }                                                                                   \
        planes[n] = carry_;                                                                 \
    } while (0)

// In how many of the words each bit is set is counted for all bits at once, by adders of single bits.
static inline uint32_t most_set(const uint32_t words[32]) {
    const __m512i a = _mm512_loadu_si512(words), b = _mm512_loadu_si512(words + 16);
    const __m512i ones = _mm512_xor_si512(a, b), twos = _mm512_and_si512(a, b);
    const __m256i x = _mm512_castsi512_si256(ones), y = _mm512_extracti64x4_epi64(ones, 1);
    const __m256i z = _mm512_castsi512_si256(twos), t = _mm512_extracti64x4_epi64(twos, 1), c = _mm256_and_si256(x, y);
    const __m256i of_8[3] = {_mm256_xor_si256(x, y), _mm256_ternarylogic_epi32(z, t, c, EITHER_OR),
                             _mm256_ternarylogic_epi32(z, t, c, MAJORITY)};
    __m128i planes[6], carry = _mm_setzero_si128();
    for (int k = 0; k < 3; k++) {
        const __m128i lower = _mm256_castsi256_si128(of_8[k]), upper = _mm256_extracti128_si256(of_8[k], 1);
        planes[k] = _mm_ternarylogic_epi32(lower, upper, carry, EITHER_OR);
        carry = _mm_ternarylogic_epi32(lower, upper, carry, MAJORITY);
    }
    planes[3] = carry;
    FOLD(planes, 4, 8);
    FOLD(planes, 5, 4);
    uint32_t counts[6];
    for (int k = 0; k < 6; k++) counts[k] = (uint32_t)_mm_cvtsi128_si32(planes[k]);
    return largest_count(counts);
}

#include "model/distinct_body.h"

#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int hw_distinct_avx512_is_for_x86;
#endif
