// The inner loops of reductions for x86 processors with AVX-512: F, BW, DQ and VL. Compiled for it here, whatever the
// build says.
#ifdef __x86_64__
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,f16c"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,f16c,prefer-vector-width=512")
#endif

#define VEC 64
#define LEVEL hw_fold_avx512
#define LEVEL_NAME "avx512"
#define WIDEN_F32(from) _mm512_cvtps_pd(_mm256_loadu_ps(from))
#define WIDEN_F16_TERMS 16
#define WIDEN_F16(to, from) _mm512_storeu_ps(to, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(from))))

#include "op/reduce/cpu/fold_body.h"

#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int hw_fold_avx512_is_for_x86;
#endif
