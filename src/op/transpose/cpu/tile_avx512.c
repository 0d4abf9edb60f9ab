// Register tiles of 64-byte vectors, for AVX-512.
#include <immintrin.h>
#include <stddef.h>

#define VEC 64
typedef __m512i vec;
typedef __m128i lane;

#define LO_1(a, b) _mm512_unpacklo_epi8(a, b)
#define HI_1(a, b) _mm512_unpackhi_epi8(a, b)
#define LO_2(a, b) _mm512_unpacklo_epi16(a, b)
#define HI_2(a, b) _mm512_unpackhi_epi16(a, b)
#define LO_4(a, b) _mm512_unpacklo_epi32(a, b)
#define HI_4(a, b) _mm512_unpackhi_epi32(a, b)
#define LO_8(a, b) _mm512_unpacklo_epi64(a, b)
#define HI_8(a, b) _mm512_unpackhi_epi64(a, b)
#define LANE(v, l) _mm512_extracti32x4_epi32(v, l)
#define NARROWER(i) hw_tile_avx2.transpose[i]
#define STREAM(to, v) _mm512_stream_si512((__m512i *)(to), v)

#include "op/transpose/cpu/tile_body.h"

const hw_tile_level hw_tile_avx512 = {
    "avx512", {transpose_1, transpose_2, transpose_4, transpose_8, transpose_16}, stream,
};
