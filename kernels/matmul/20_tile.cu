// Square tiles in shared memory: the threads of a block read a tile of A and one of B together, and each uses what all
// have read.
//
// Idea       A block of TILE x TILE threads makes a tile of C in phases: each thread loads one element of A and one of
//            B, then adds TILE products. Every element is so read once for TILE rows or columns of C.
// Predicted  H200, f32, C of 80x128 in a grid of (8, 5) and k = 64: with tiles of 16 A is read 8 times and B 5 times,
//            1280 loads each, of 4 sectors. In shared memory a step of the sum takes one pass for the row of A, which
//            its lanes share, and one for B. Tiles of 32 halve the loads again, and leave a multiprocessor with 2
//            blocks.
// Measured   H200, 4096x4096x4096: f32 16.5 ms with tiles of 16, 8.31 TFLOP/s, 1.53 times as fast as naive; 15.1 ms
//            with tiles of 32, 9.12, another 1.10. f64 4.67 and 4.86 TFLOP/s. Counters as predicted.
// Held back  Two loads from shared memory for each multiply-add. The naive version gets more than its roof of 1.2
//            TFLOP/s from the caches, so the tiles, 16 and 32 times fewer loads, win only a part of that.
#include "matmul/rung.cuh"

#ifndef TILE_ROWS
#define TILE_ROWS 16
#endif
#define TILE TILE_ROWS   // square, and so many steps of k in each phase

extern "C" __global__ void matmul_tile(real *__restrict__ c, const real *__restrict__ a, const real *__restrict__ b,
                                       index_t m, index_t n, index_t k) {
    __shared__ real a_tile[TILE][TILE], b_tile[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const index_t row = tile_row() * TILE + y, col = tile_col() * TILE + x;
    if (tile_row() * TILE >= m) return;   // a layer of tiles behind the last row: the whole block goes
    real sum = 0;
    for (index_t phase = 0; phase < k; phase += TILE) {
        a_tile[y][x] = a[row * k + phase + x];
        b_tile[y][x] = b[(phase + y) * n + col];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++) sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
