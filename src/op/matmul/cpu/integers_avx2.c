// The inner loops of products of integers for AVX2.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define VEC 32
#define LEVEL hw_integer_avx2
#define LEVEL_NAME "avx2"
#define MULTIPLY_PAIRS(a, b) _mm256_madd_epi16((__m256i)(a), (__m256i)(b))

#include "op/matmul/cpu/integers_body.h"
