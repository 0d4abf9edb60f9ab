// The inner loops of reductions for x86 processors with AVX2 and F16C. Compiled for them here, whatever the build says.
#ifdef __x86_64__
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,f16c"))), apply_to = function)
#else
#pragma GCC target("avx2,f16c")
#endif

#define VEC 32
#define LEVEL hw_fold_avx2
#define LEVEL_NAME "avx2"
#define WIDEN_F32(from) _mm256_cvtps_pd(_mm_loadu_ps(from))
#define WIDEN_F16_TERMS 8
#define WIDEN_F16(to, from) _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from))))

#include "op/reduce/cpu/fold_body.h"

#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int hw_fold_avx2_is_for_x86;
#endif
