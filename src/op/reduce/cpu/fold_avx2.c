// The inner loops of reductions for AVX2.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define VEC 32
#define LEVEL hw_fold_avx2
#define LEVEL_NAME "avx2"
#define WIDEN_F32(from) _mm256_cvtps_pd(_mm_loadu_ps(from))
#define WIDEN_F16_TERMS 8
#define WIDEN_F16(to, from) _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from))))

#include "op/reduce/cpu/fold_body.h"
