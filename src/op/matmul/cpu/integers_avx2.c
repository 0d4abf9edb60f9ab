// The inner loops of products of integers for x86 processors with AVX2, for which this file is compiled whatever the
// build says.
#ifdef __x86_64__
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

#define VEC 32
#define LEVEL hw_integer_avx2
#define LEVEL_NAME "avx2"
#define MULTIPLY_PAIRS(a, b) _mm256_madd_epi16((__m256i)(a), (__m256i)(b))

#include "op/matmul/cpu/integers_body.h"

#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int hw_integer_avx2_is_for_x86;
#endif
