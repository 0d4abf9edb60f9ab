// The inner loops of reductions for AVX-512.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define VEC 64
#define LEVEL hw_fold_avx512
#define LEVEL_NAME "avx512"
#define WIDEN_F32(from) _mm512_cvtps_pd(_mm256_loadu_ps(from))
#define WIDEN_F16_TERMS 16
#define WIDEN_F16(to, from) _mm512_storeu_ps(to, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(from))))

#include "op/reduce/cpu/fold_body.h"
