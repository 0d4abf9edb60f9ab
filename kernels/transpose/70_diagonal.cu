// Blocks that run at the same time take tiles along a diagonal, not along a row.
//
// Idea       On GPUs before Fermi, memory is dealt to partitions in stripes of 256 bytes (six or eight of them). The
//            tiles of one row of blocks are read from all partitions, but written to one column of tiles, which lies
//            in a single partition when a row of out is a multiple of 2048 bytes. Along a diagonal both sides are
//            spread.
// Predicted  H200, f32 1024x1024, 32x8 threads, tile 32x32, PAD 1: counters as the rung before: 32768 loads and 32768
//            stores of 4 sectors, 32768 shared stores and loads of one pass; occupancy 100%. Nothing to gain: from
//            Fermi on addresses are hashed over the partitions. GTX 280, f32 2048x2048: writes spread over 8
//            partitions and not 1.
// Measured   H200, f32 8192x8192: 157.9 us, 3400 GB/s, 85% of the copy, 6% slower than the rung before, as predicted
//            from Fermi on. Counters as predicted. NVIDIA's MatrixTranspose.pdf, f32 2048x2048: GTX 280 69.5 (before:
//            16.6), M2090 81.4 (103.2), K20X 106.7 (112.6) GB/s: what helps the first costs the later ones.
// Held back  On later GPUs blocks that run together no longer read neighbouring memory, and every thread finds its tile
//            by divisions.
#ifndef BLOCK_COLS
#define BLOCK_COLS 32
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif
#ifndef PAD
#define PAD 1
#endif
#ifndef TILE_COLS
#define TILE_COLS BLOCK_COLS
#endif
#ifndef TILE_ROWS
#define TILE_ROWS (4 * BLOCK_ROWS)
#endif
#include "common/tile.cuh"

extern "C" __global__ void transpose_diagonal(element *__restrict__ out, const element *__restrict__ in, index_t rows,
                                              index_t cols) {
    __shared__ tile_array tile;
    // Block number n goes down the rows of tiles, and one column further with each; matrices need not be square.
    const index_t tile_rows = (rows + TILE_ROWS - 1) / TILE_ROWS, tile_cols = gridDim.x;
    const index_t n = tile_row() * tile_cols + tile_col();
    const index_t diagonal_row = n % tile_rows, diagonal_col = (n / tile_rows + diagonal_row) % tile_cols;
    if (n >= tile_rows * tile_cols) return;   // the whole block, so no barrier is missed

    const index_t first_row = diagonal_row * TILE_ROWS, first_col = diagonal_col * TILE_COLS;
    load_tile(tile, in, rows, cols, first_row, first_col);
    __syncthreads();
    store_turned(out, tile, rows, cols, first_row, first_col);
}
