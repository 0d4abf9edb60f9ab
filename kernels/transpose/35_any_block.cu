// The same for a block of any shape: who writes which element follows from the thread's number, not from x and y.
//
// Idea       A tile of 32 columns and 16 rows has columns of 16: a warp that writes along rows of out takes two of
//            them. So the threads are counted through (x first) and dealt to the columns of the tile, TILE_ROWS to
//            each. Now the block can be as small as is good for the multiprocessor.
// Predicted  H200, f32 1024x1024, 32x16 threads: 32768 loads and 32768 stores of 4 sectors each (a half-warp's 16
//            elements are two sectors). Shared stores: 32768 of one pass. Shared loads: 16 rows of 32 words each begin
//            in the same bank, so 32768 of 16 passes (524288). Occupancy 100%, in 4 blocks per multiprocessor.
// Measured   H200, f32 8192x8192: 344.7 us, 1558 GB/s, 39% of the copy, 1.55 times as fast as the square tile. Counters
//            as predicted.
// Held back  16 passes for each load from the tile: 254,000 clocks, again not much less than half of the time.
#include "common/grid.cuh"

#ifndef TILE_COLS
#define TILE_COLS 32
#endif
#ifndef TILE_ROWS
#define TILE_ROWS 16
#endif

extern "C" __global__ void transpose_any_block(element *__restrict__ out, const element *__restrict__ in, index_t rows,
                                               index_t cols) {
    __shared__ element tile[TILE_ROWS][TILE_COLS];
    const index_t first_row = tile_row() * TILE_ROWS, first_col = tile_col() * TILE_COLS;

    const index_t row = first_row + threadIdx.y, col = first_col + threadIdx.x;
    if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    __syncthreads();

    const int thread = threadIdx.y * TILE_COLS + threadIdx.x;
    const int row_in_tile = thread % TILE_ROWS, col_in_tile = thread / TILE_ROWS;
    const index_t out_row = first_col + col_in_tile, out_col = first_row + row_in_tile;
    if (out_row < cols && out_col < rows) out[out_row * rows + out_col] = tile[row_in_tile][col_in_tile];
}
