// The inner loops of products of integers for any processor.
#define VEC 16
#define LEVEL hw_integer_base
#define LEVEL_NAME "base"
#ifdef __SSE2__
#include <emmintrin.h>
#define MULTIPLY_PAIRS(a, b) _mm_madd_epi16((__m128i)(a), (__m128i)(b))
#endif

#include "op/matmul/cpu/integers_body.h"
