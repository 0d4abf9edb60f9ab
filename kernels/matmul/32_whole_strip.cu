// The strip without questions: seed 004's third version as it stands there, for sizes of whole tiles.
//
// Idea       The strip asks of every element of A, B and C whether it exists, in the innermost loop as well. Where the
//            sizes are multiples of its tiles all do, and a step is a load of B and 16 multiply-adds.
// Predicted  Counters of memory as of the strip; two comparisons and a selection fewer for each element of B.
// Measured   Not yet.
// Held back  As the strip, by loads of B that nothing fetches ahead.
#include "matmul/rung.cuh"

constexpr int ROWS = 16, DEPTH = 16, ACROSS = 16, DOWN = 4, COLS = ACROSS * DOWN;

extern "C" __global__ void matmul_whole_strip(real *__restrict__ c, const real *__restrict__ a,
                                              const real *__restrict__ b, index_t m, index_t n, index_t k) {
    __shared__ real a_turned[DEPTH][ROWS + 1];
    const int x = threadIdx.x, y = threadIdx.y;
    const index_t row = tile_row() * ROWS, col = tile_col() * COLS + y * ACROSS + x;
    if (row >= m) return;   // a layer of tiles behind the last row: the whole block goes
    real sums[ROWS] = {};
    for (index_t phase = 0; phase < k; phase += DEPTH) {
#pragma unroll
        for (int i = 0; i < ROWS; i += DOWN) a_turned[x][y + i] = a[(row + y + i) * k + phase + x];
        __syncthreads();
#pragma unroll
        for (int step = 0; step < DEPTH; step++) {
            const real b_element = b[(phase + step) * n + col];
#pragma unroll
            for (int i = 0; i < ROWS; i++) sums[i] += a_turned[step][i] * b_element;
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++) c[(row + i) * n + col] = sums[i];
}
