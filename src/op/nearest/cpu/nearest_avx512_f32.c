// Nearest neighbours in float by vectors of 64 bytes, for AVX-512.
#include <immintrin.h>

#define REAL float
#define REAL_IS_F64 0
#define LANES 16
#define BRUTE_VECS 4
typedef __m512 vec;

#define LOAD(p) _mm512_loadu_ps(p)
#define STORE(p, v) _mm512_storeu_ps(p, v)
#define SET(x) _mm512_set1_ps(x)
#define SUB(a, b) _mm512_sub_ps(a, b)
#define MUL(a, b) _mm512_mul_ps(a, b)
#define MAX(a, b) _mm512_max_ps(a, b)
#define MIN(a, b) _mm512_min_ps(a, b)
#define FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define LT(a, b) ((unsigned)_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ))
#define LE(a, b) ((unsigned)_mm512_cmp_ps_mask(a, b, _CMP_LE_OQ))
#define EQ(a, b) ((unsigned)_mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ))
#define LEAST(v) _mm512_reduce_min_ps(v)

// Inserts a key into a sorted list, eight places at a time from the last ones on. A place gets the larger of its
// neighbour before and the smaller of its own key and the new one.
#include <stdint.h>
#define INSERT insert_by_eights
static inline __attribute__((always_inline)) void insert_by_eights(uint64_t *list, uint32_t elems, uint64_t key) {
    const __m512i k = _mm512_set1_epi64((long long)key);
    __m512i here = _mm512_load_si512(list + elems - 8);
    for (uint32_t i = elems - 8; i > 0; i -= 8) {
        const __m512i before = _mm512_load_si512(list + i - 8), shifted = _mm512_alignr_epi64(here, before, 7);
        _mm512_store_si512(list + i, _mm512_max_epu64(shifted, _mm512_min_epu64(here, k)));
        here = before;
    }
    const __m512i shifted = _mm512_alignr_epi64(here, _mm512_setzero_si512(), 7);
    _mm512_store_si512(list, _mm512_max_epu64(shifted, _mm512_min_epu64(here, k)));
}

#include "op/nearest/cpu/nearest_vector.h"
#include "op/nearest/cpu/nearest_body.h"

const hw_nearest_level hw_nearest_avx512_f32 = {"avx512", GROUP_BLOCKS, search_tree, search_all_blocks};
