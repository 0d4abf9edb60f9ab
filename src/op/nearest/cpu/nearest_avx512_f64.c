// Nearest neighbours in double by vectors of 64 bytes, for AVX-512.
#include <immintrin.h>

#define REAL double
#define REAL_IS_F64 1
#define LANES 8
#define BRUTE_VECS 4
typedef __m512d vec;

#define LOAD(p) _mm512_loadu_pd(p)
#define STORE(p, v) _mm512_storeu_pd(p, v)
#define SET(x) _mm512_set1_pd(x)
#define SUB(a, b) _mm512_sub_pd(a, b)
#define MUL(a, b) _mm512_mul_pd(a, b)
#define MAX(a, b) _mm512_max_pd(a, b)
#define MIN(a, b) _mm512_min_pd(a, b)
#define FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define LT(a, b) ((unsigned)_mm512_cmp_pd_mask(a, b, _CMP_LT_OQ))
#define LE(a, b) ((unsigned)_mm512_cmp_pd_mask(a, b, _CMP_LE_OQ))
#define EQ(a, b) ((unsigned)_mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ))
#define LEAST(v) _mm512_reduce_min_pd(v)

#include "op/nearest/cpu/nearest_vector.h"
#include "op/nearest/cpu/nearest_body.h"

const hw_nearest_level hw_nearest_avx512_f64 = {"avx512", GROUP_BLOCKS, search_tree, search_all_blocks};
