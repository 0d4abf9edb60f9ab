// Nearest neighbours in float by vectors of 32 bytes, for AVX2.
#include <immintrin.h>

#define REAL float
#define REAL_IS_F64 0
#define LANES 8
#define BRUTE_VECS 2
typedef __m256 vec;

#define LOAD(p) _mm256_loadu_ps(p)
#define STORE(p, v) _mm256_storeu_ps(p, v)
#define SET(x) _mm256_set1_ps(x)
#define SUB(a, b) _mm256_sub_ps(a, b)
#define MUL(a, b) _mm256_mul_ps(a, b)
#define MAX(a, b) _mm256_max_ps(a, b)
#define MIN(a, b) _mm256_min_ps(a, b)
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define LT(a, b) ((unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ)))
#define LE(a, b) ((unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ)))
#define EQ(a, b) ((unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_EQ_OQ)))
#define LEAST(v) least_lane(v)

static inline __attribute__((always_inline)) REAL least_lane(vec v) {
    __m128 m = _mm_min_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    m = _mm_min_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_min_ss(m, _mm_shuffle_ps(m, m, 1)));
}

#include "op/nearest/cpu/nearest_vector.h"
#include "op/nearest/cpu/nearest_body.h"

const hw_nearest_level hw_nearest_avx2_f32 = {"avx2", GROUP_BLOCKS, search_tree, search_all_blocks};
