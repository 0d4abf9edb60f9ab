// Nearest neighbours in double by vectors of 32 bytes, for AVX2.
#include <immintrin.h>

#define REAL double
#define REAL_IS_F64 1
#define LANES 4
#define BRUTE_VECS 4
typedef __m256d vec;

#define LOAD(p) _mm256_loadu_pd(p)
#define STORE(p, v) _mm256_storeu_pd(p, v)
#define SET(x) _mm256_set1_pd(x)
#define SUB(a, b) _mm256_sub_pd(a, b)
#define MUL(a, b) _mm256_mul_pd(a, b)
#define MAX(a, b) _mm256_max_pd(a, b)
#define MIN(a, b) _mm256_min_pd(a, b)
#define FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define LT(a, b) ((unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LT_OQ)))
#define LE(a, b) ((unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LE_OQ)))
#define EQ(a, b) ((unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ)))
#define LEAST(v) least_lane(v)

static inline __attribute__((always_inline)) REAL least_lane(vec v) {
    __m128d m = _mm_min_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_min_sd(m, _mm_unpackhi_pd(m, m)));
}

#include "op/nearest/cpu/nearest_vector.h"
#include "op/nearest/cpu/nearest_body.h"

const hw_nearest_level hw_nearest_avx2_f64 = {"avx2", GROUP_BLOCKS, search_tree, search_all_blocks};
