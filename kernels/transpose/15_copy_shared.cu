// What the way through shared memory costs by itself: a copy that takes it.
//
// Idea       The tile of the later versions, filled and emptied along rows. Between this and the best transpose lies
//            what turning costs; between this and the copy what the tile and its barrier cost.
// Predicted  H200, f32 1024x1024, tile 32x32, 32x8 threads: 32768 loads and 32768 stores of 4 sectors each; 32768
//            shared stores and 32768 shared loads of one pass each; occupancy 100%.
// Measured   H200, f32 8192x8192: 135.9 us, 3950 GB/s, 99% of the copy: with eight blocks on a multiprocessor the tile
//            and its barrier cost nothing. 10007x9973: 81%. Counters as predicted. NVIDIA's MatrixTranspose.pdf, f32
//            2048x2048: GTX 280 80.9, M2090 110.6, K20X 130.5 GB/s.
// Held back  At 8192x8192 by the memory. Where rows begin anywhere, a warp's 128 bytes touch five sectors, of which two
//            are shared with another warp.
#ifndef BLOCK_COLS
#define BLOCK_COLS 32
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif
#ifndef TILE_COLS
#define TILE_COLS 32
#endif
#ifndef TILE_ROWS
#define TILE_ROWS 32
#endif
#include "common/tile.cuh"

extern "C" __global__ void copy_shared(element *__restrict__ out, const element *__restrict__ in, index_t rows,
                                       index_t cols) {
    __shared__ tile_array tile;
    const index_t first_row = tile_row() * TILE_ROWS, first_col = tile_col() * TILE_COLS;
    load_tile(tile, in, rows, cols, first_row, first_col);
    __syncthreads();
    store_tile(out, tile, rows, cols, first_row, first_col);
}
