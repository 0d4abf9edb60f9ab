// Unused columns at the end of the tile's rows, so that the elements of a column lie in different banks.
//
// Idea       With rows of TILE_COLS + PAD elements, the next row begins PAD banks further. How many are needed depends
//            on the banks of the GPU, the size of an element and the shape of the block: PAD is computed before
//            compiling (src/op/common/padding.c), as the one with the fewest passes.
// Predicted  H200, f32 1024x1024, 32x16 threads, PAD 2: sectors as before; 32768 shared stores and 32768 shared loads
//            of one pass each. Occupancy 100%. With PAD 1 a load would take 2 passes: the two columns that a warp
//            reads overlap in 15 banks.
// Measured   H200, f32 8192x8192: 277.7 us, 1933 GB/s, 49% of the copy, 1.24 times as fast as without. Counters as
//            predicted. With PAD 1 the seeds' kernel was no slower (transposeSmem of tests/truth/ladder.cu): two passes
//            are hidden behind the memory. NVIDIA's MatrixTranspose.pdf, f32 2048x2048: GTX 280 16.6, M2090 103.2, K20X
//            112.6 GB/s. Seed 004: the 16x17 tile is 11 times as fast as no tile.
// Held back  By one element per thread: each warp has one load of 128 bytes in flight, a full multiprocessor 8 KiB, and
//            then it waits. The shared memory is no limit any more: a copy with just as many passes, 15_copy_shared,
//            takes half the time.
#ifndef TILE_COLS
#define TILE_COLS 32
#endif
#ifndef TILE_ROWS
#define TILE_ROWS 16
#endif
#ifndef PAD
#define PAD 2
#endif
#ifndef BLOCK_COLS
#define BLOCK_COLS TILE_COLS
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS TILE_ROWS
#endif
#include "common/tile.cuh"

extern "C" __global__ void transpose_pad(element *__restrict__ out, const element *__restrict__ in, index_t rows,
                                         index_t cols) {
    __shared__ tile_array tile;
    const index_t first_row = tile_row() * TILE_ROWS, first_col = tile_col() * TILE_COLS;
    load_tile(tile, in, rows, cols, first_row, first_col);
    __syncthreads();
    store_turned(out, tile, rows, cols, first_row, first_col);
}
