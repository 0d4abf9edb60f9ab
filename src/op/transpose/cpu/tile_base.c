// Register tiles of 16-byte vectors, in the compiler's own vector language: SSE2, NEON, or plain code elsewhere.
#include <stddef.h>
#include <stdint.h>

#define VEC 16
typedef uint8_t bytes_of __attribute__((vector_size(16)));
typedef uint16_t pairs_of __attribute__((vector_size(16)));
typedef uint32_t words_of __attribute__((vector_size(16)));
typedef uint64_t longs_of __attribute__((vector_size(16)));
typedef bytes_of vec, lane;

#if defined __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define MIX(type, a, b, ...) ((vec)__builtin_shufflevector((type)(a), (type)(b), __VA_ARGS__))
#endif
#endif
#ifndef MIX
#define MIX(type, a, b, ...) ((vec)__builtin_shuffle((type)(a), (type)(b), (type){__VA_ARGS__}))
#endif
#define LO_1(a, b) MIX(bytes_of, a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HI_1(a, b) MIX(bytes_of, a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LO_2(a, b) MIX(pairs_of, a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HI_2(a, b) MIX(pairs_of, a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define LO_4(a, b) MIX(words_of, a, b, 0, 4, 1, 5)
#define HI_4(a, b) MIX(words_of, a, b, 2, 6, 3, 7)
#define LO_8(a, b) MIX(longs_of, a, b, 0, 2)
#define HI_8(a, b) MIX(longs_of, a, b, 1, 3)
#define LANE(v, l) (v)
#define NARROWER(i) NULL
#ifdef __SSE2__
#include <emmintrin.h>
#define STREAM(to, v) _mm_stream_si128((__m128i *)(to), (__m128i)(v))
#else
#define STREAM(to, v) store_lane(to, v)
#endif

#include "op/transpose/cpu/tile_body.h"

const hw_tile_level hw_tile_base = {
    "base", {transpose_1, transpose_2, transpose_4, transpose_8, transpose_16}, stream,
};
