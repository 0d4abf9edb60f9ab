// The inner loops of products of integers for AVX-512.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define VEC 64
#define LEVEL hw_integer_avx512
#define LEVEL_NAME "avx512"
#define MULTIPLY_PAIRS(a, b) _mm512_madd_epi16((__m512i)(a), (__m512i)(b))

#include "op/matmul/cpu/integers_body.h"
