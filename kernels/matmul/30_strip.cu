// A strip of C in each thread's registers: seed 004's third version, for matrices by rows.
//
// Idea       64 threads side by side have a column of 16 elements of C each: the block makes 16 x 64. Only a 16 x 16
//            tile of A is in shared memory, turned, so that what all threads need in one step lies side by side; an
//            element of B is read by the one thread that needs it, straight from global memory, and used 16 times. (The
//            seed has its matrices by columns: its A is our B.)
// Predicted  H200, f32 64x64x64: 4 blocks in the grid's rows, 4 phases each. A is read once for 64 columns of C, B once
//            for 16 rows. The turned stores of A go to 17 words apart, without conflicts within a half-warp, and one
//            for a whole warp; its loads are of one word for all.
// Measured   H200, 4096x4096x4096: f32 6.08 ms, 22.6 TFLOP/s, 2.55 times as fast as tiles of 32 with zero fill; f64
//            13.1. 1000x1000x1000: 19.3, more than the larger tiles after it.
// Held back  64 threads a block: of 32 blocks that a multiprocessor holds all together have 2048 threads, yet each
//            waits for its own loads of B, which nothing fetches ahead.
#include "matmul/rung.cuh"

constexpr int ROWS = 16, DEPTH = 16, ACROSS = 16, DOWN = 4, COLS = ACROSS * DOWN;

extern "C" __global__ void matmul_strip(real *__restrict__ c, const real *__restrict__ a, const real *__restrict__ b,
                                        index_t m, index_t n, index_t k) {
    __shared__ real a_turned[DEPTH][ROWS + 1];
    const int x = threadIdx.x, y = threadIdx.y;
    const index_t row = tile_row() * ROWS, col = tile_col() * COLS + y * ACROSS + x;
    real sums[ROWS] = {};
    for (index_t phase = 0; phase < k; phase += DEPTH) {
#pragma unroll
        for (int i = 0; i < ROWS; i += DOWN) a_turned[x][y + i] = element_or_zero(a, m, k, row + y + i, phase + x);
        __syncthreads();
#pragma unroll
        for (int step = 0; step < DEPTH; step++) {
            const real b_element = element_or_zero(b, k, n, phase + step, col);
#pragma unroll
            for (int i = 0; i < ROWS; i++) sums[i] += a_turned[step][i] * b_element;
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++)
        if (row + i < m && col < n) c[(row + i) * n + col] = sums[i];
}
