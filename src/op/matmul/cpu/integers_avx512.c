// The inner loops of products of integers for x86 processors with AVX-512, for which this file is compiled whatever the
// build says.
#ifdef __x86_64__
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl")
#endif

#define VEC 64
#define LEVEL hw_integer_avx512
#define LEVEL_NAME "avx512"
#define MULTIPLY_PAIRS(a, b) _mm512_madd_epi16((__m512i)(a), (__m512i)(b))

#include "op/matmul/cpu/integers_body.h"

#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int hw_integer_avx512_is_for_x86;
#endif
