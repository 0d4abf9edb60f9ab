// The inner loops of one instruction-set level. The file that includes this has defined
//
//   VEC                    bytes of a vector
//   LEVEL, LEVEL_NAME      the table's name
//   MULTIPLY_PAIRS(a, b)   of vectors of 32-bit words: the products of their halves, added; not defined: done in words
#include <string.h>

#include "op/matmul/cpu/integers.h"

#define UNROLL _Pragma("GCC unroll 16")

typedef uint32_t words __attribute__((vector_size(VEC)));
typedef int32_t signed_words __attribute__((vector_size(VEC)));

#ifndef MULTIPLY_PAIRS
static inline __attribute__((always_inline)) words multiply_halves(words a, words b) {
    const words low = (words)((signed_words)(a << 16) >> 16) * (words)((signed_words)(b << 16) >> 16);
    return low + (words)((signed_words)a >> 16) * (words)((signed_words)b >> 16);
}
#define MULTIPLY_PAIRS(a, b) multiply_halves(a, b)
#endif
#define MULTIPLY(a, b) ((a) * (b))

// Two vectors of columns; a step of k is one of these times each row's word.
#define TILE(NAME, WORD, PRODUCT)                                                                                      \
    static void NAME(const void *a, const void *b, size_t depth, void *sums) {                                         \
        typedef WORD vector __attribute__((vector_size(VEC)));                                                         \
        const WORD *x = a;                                                                                             \
        const char *y = b;                                                                                             \
        vector sum[HW_INTEGER_ROWS][2];                                                                                \
        memcpy(sum, sums, sizeof sum);                                                                                 \
        for (size_t p = 0; p < depth; p++, x += HW_INTEGER_ROWS, y += 2 * VEC) {                                       \
            vector right[2];                                                                                           \
            memcpy(right, y, sizeof right);                                                                            \
            UNROLL for (int i = 0; i < HW_INTEGER_ROWS; i++) {                                                         \
                const vector left = (vector){0} + x[i];                                                                \
                sum[i][0] += (vector)PRODUCT(left, right[0]);                                                          \
                sum[i][1] += (vector)PRODUCT(left, right[1]);                                                          \
            }                                                                                                          \
        }                                                                                                              \
        memcpy(sums, sum, sizeof sum);                                                                                 \
    }
TILE(tile_of_pairs, uint32_t, MULTIPLY_PAIRS)
TILE(narrow_tile, uint32_t, MULTIPLY)
TILE(wide_tile, uint64_t, MULTIPLY)

const hw_integer_level LEVEL = {
    .name = LEVEL_NAME,
    .cols = {2 * VEC / 4, 2 * VEC / 4, 2 * VEC / 8},
    .tile = {tile_of_pairs, narrow_tile, wide_tile},
};
