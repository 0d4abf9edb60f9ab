// The inner loops of products of integers: one table per instruction-set level, all made from integers_body.h. Sums are
// modulo 2^32 or 2^64, so every order and every level gives the same.
#ifndef HW_OP_CPU_INTEGERS_H
#define HW_OP_CPU_INTEGERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/processor.h"

// How the elements of a step of k are put beside each other, and summed.
typedef enum hw_integer_way {
    HW_INTEGER_PAIRS,    // two steps of 16 bits in a word of 32, for elements that 16 bits with a sign hold
    HW_INTEGER_NARROW,   // 32 bits
    HW_INTEGER_WIDE,     // 64 bits
    HW_INTEGER_WAYS
} hw_integer_way;

enum { HW_INTEGER_ROWS = 6 };   // of a tile

// sums[HW_INTEGER_ROWS][cols] += a b: a has HW_INTEGER_ROWS words for each of `depth` steps, b as many as a tile has
// columns.
typedef void hw_integer_tile(const void *a, const void *b, size_t depth, void *sums);

typedef struct hw_integer_level {
    const char *name;                          // "base", "avx2", "avx512"
    uint32_t cols[HW_INTEGER_WAYS];            // of a tile; a power of two, 64 at most
    hw_integer_tile *tile[HW_INTEGER_WAYS];
} hw_integer_level;

// NULL where this processor does not run the level.
const hw_integer_level *hw_integer_level_at(hw_simd_level level);
const hw_integer_level *hw_integer_level_best(void);

extern const hw_integer_level hw_integer_base, hw_integer_avx2, hw_integer_avx512;

#endif
