// Register tiles of 32-byte vectors, for AVX2.
#include <immintrin.h>
#include <stddef.h>

#define VEC 32
typedef __m256i vec;
typedef __m128i lane;

#define LO_1(a, b) _mm256_unpacklo_epi8(a, b)
#define HI_1(a, b) _mm256_unpackhi_epi8(a, b)
#define LO_2(a, b) _mm256_unpacklo_epi16(a, b)
#define HI_2(a, b) _mm256_unpackhi_epi16(a, b)
#define LO_4(a, b) _mm256_unpacklo_epi32(a, b)
#define HI_4(a, b) _mm256_unpackhi_epi32(a, b)
#define LO_8(a, b) _mm256_unpacklo_epi64(a, b)
#define HI_8(a, b) _mm256_unpackhi_epi64(a, b)
#define LANE(v, l) _mm256_extracti128_si256(v, l)
#define NARROWER(i) hw_tile_base.transpose[i]
#define STREAM(to, v) _mm256_stream_si256((__m256i *)(to), v)

#include "op/transpose/cpu/tile_body.h"

const hw_tile_level hw_tile_avx2 = {
    "avx2", {transpose_1, transpose_2, transpose_4, transpose_8, transpose_16}, stream,
};
