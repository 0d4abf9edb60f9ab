// Register tiles: small rectangles of elements transposed in vector registers, and whole lines written past the cache.
// One table per instruction-set level; the best one that the processor has is chosen at run time.
#ifndef HW_OP_CPU_TILE_H
#define HW_OP_CPU_TILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/processor.h"

// to[c * to_pitch + r * elem] = from[r * from_pitch + c * elem] for r < rows, c < cols. Pitches in bytes, any; no
// alignment needed; from and to do not overlap. Writes nothing else.
typedef void hw_tile_transpose(const char *from, ptrdiff_t from_pitch, char *to, ptrdiff_t to_pitch, size_t rows,
                               size_t cols);

typedef struct hw_tile_level {
    const char *name;                       // "base", "avx2", "avx512"
    hw_tile_transpose *transpose[5];        // of elements of 1, 2, 4, 8 and 16 bytes
    // Copies without taking the lines of `to` into the cache, as far as the processor can. Other threads see the bytes
    // after hw_tile_fence.
    void (*stream)(char *to, const char *from, size_t bytes);
} hw_tile_level;

// NULL where this processor does not run the level.
const hw_tile_level *hw_tile_level_at(hw_simd_level level);
const hw_tile_level *hw_tile_level_best(void);

// Ends streaming: called by the thread that streamed.
void hw_tile_fence(void);

extern const hw_tile_level hw_tile_base, hw_tile_avx2, hw_tile_avx512;

#endif
