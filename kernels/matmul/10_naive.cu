// One thread, one element of C: it walks along a row of A and down a column of B.
//
// Idea       None yet.
// Predicted  H200, f32, C of 80x128 in a grid of (8, 5) blocks of 16x16 and k = 64: A is read 128 times, once for each
//            column of C, and B 80 times, once for each row. A warp covers two rows: its loads of A are 2 sectors, one
//            for each row, those of B 2 that both rows use, and its store 4. 20480 loads each of A and B.
// Measured   H200, 4096x4096x4096: f32 25.4 ms, 5.42 TFLOP/s; f64 42.5 ms, 3.24. Counters as predicted.
// Held back  Two loads for each multiply-add: 4 bytes an operation, where an H200 reads 0.07. What saves it is that
//            caches hold what neighbours have read.
#include "matmul/rung.cuh"

#ifndef TILE_COLS
#define TILE_COLS 16
#endif
#ifndef TILE_ROWS
#define TILE_ROWS 16
#endif

extern "C" __global__ void matmul_naive(real *__restrict__ c, const real *__restrict__ a, const real *__restrict__ b,
                                        index_t m, index_t n, index_t k) {
    const index_t row = tile_row() * TILE_ROWS + threadIdx.y, col = tile_col() * TILE_COLS + threadIdx.x;
    if (row >= m || col >= n) return;
    real sum = 0;
    for (index_t i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
}
