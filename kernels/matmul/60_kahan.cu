// Sums that keep what rounding takes from them: Kahan's compensated summation, on the tiles with zero fill.
//
// Idea       A sum of k products loses up to k roundings. The part of a product that did not fit into the sum is kept
//            in a second register and comes back with the next product: the error no longer grows with k.
// Predicted  H200, f32: counters as of zero_fill. Four operations a product instead of one, each waiting for the one
//            before; shared memory, not arithmetic, was the bound, so it costs less than four times.
// Measured   H200, 4096x4096x4096: f32 17.2 ms, 7.98 TFLOP/s, 10% less than zero_fill; f64 4.66.
// Held back  A chain of dependent additions for each thread, which only other warps fill.
#include "matmul/rung.cuh"

#ifndef TILE_ROWS
#define TILE_ROWS 32
#endif
#define TILE TILE_ROWS

extern "C" __global__ void matmul_kahan(real *__restrict__ c, const real *__restrict__ a, const real *__restrict__ b,
                                        index_t m, index_t n, index_t k) {
    __shared__ real a_tile[TILE][TILE], b_tile[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const index_t row = tile_row() * TILE + y, col = tile_col() * TILE + x;
    real sum = 0, excess = 0;   // what the sum has too much
    for (index_t phase = 0; phase < k; phase += TILE) {
        a_tile[y][x] = element_or_zero(a, m, k, row, phase + x);
        b_tile[y][x] = element_or_zero(b, k, n, phase + y, col);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++) {
            const real term = a_tile[y][i] * b_tile[i][x] - excess, next = sum + term;
            excess = (next - sum) - term;
            sum = next;
        }
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = sum;
}
