// A tile in shared memory: both sides of the global memory go along rows, the turning happens inside.
//
// Idea       A block reads a square tile row by row, waits until it is whole, and writes it column by column: columns
//            of the tile are rows of out. Shared memory does not mind the order, only the banks.
// Predicted  H200, f32 1024x1024, 32x32 threads: 32768 loads and 32768 stores of 4 sectors each. In shared memory the
//            32768 stores take one pass each; a column lies in one bank, so the 32768 loads take 32 (1048576).
//            Occupancy 100%, in 2 blocks per multiprocessor.
// Measured   H200, f32 8192x8192: 533.6 us, 1006 GB/s, 25% of the copy: slower than reading columns, which needs no
//            tile at all. Counters as predicted. NVIDIA's MatrixTranspose.pdf, f32 2048x2048: GTX 280 16.5, M2090 92.8,
//            K20X 114.0 GB/s.
// Held back  By 32 passes for each load from the tile: 508,000 clocks of every multiprocessor, about half of the time.
//            The other half is the block of 1024 threads: while it waits at its barrier there is only one other to run.
#include "common/grid.cuh"

#ifndef TILE_COLS
#define TILE_COLS 32
#endif
#define TILE TILE_COLS   // square: thread (x, y) reads element (y, x) of the tile, and writes element (x, y)

extern "C" __global__ void transpose_tile(element *__restrict__ out, const element *__restrict__ in, index_t rows,
                                          index_t cols) {
    __shared__ element tile[TILE][TILE];
    const index_t row = tile_row() * TILE + threadIdx.y, col = tile_col() * TILE + threadIdx.x;
    if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    // Outside of the if: every thread of the block has to come here.
    __syncthreads();
    const index_t out_row = tile_col() * TILE + threadIdx.y, out_col = tile_row() * TILE + threadIdx.x;
    if (out_row < cols && out_col < rows) out[out_row * rows + out_col] = tile[threadIdx.x][threadIdx.y];
}
