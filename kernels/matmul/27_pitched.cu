// Rows that begin at multiples of 64 bytes: copies of A and B with a pitch, as cudaMallocPitch lays matrices out.
//
// Idea       Where a row has no whole number of tiles, the rows below it begin between two multiples of 64 bytes: a
//            half-warp's load takes two transactions for one, and on a GPU of 1.0 or 1.1 sixteen. Two launches copy A
//            and B to memory whose rows are as long as whole tiles, and fill the rest with zeros; the product asks no
//            questions then but the last one, whether C has the element. Seed 004 gives its products lda, ldb and ldc
//            for this.
// Predicted  8800 GTX, f32, 500x500x500: a load of the product is 64 bytes for each half-warp, where rows of 2000 bytes
//            make it sixteen transactions in three rows of four: 2.6 transactions for each load instead of 23.9, the
//            copies' own with them, and 2.17 times as fast as zero_fill by the estimate; GTX 280 1.23 times.
// Measured   Not on a GPU.
// Held back  As tile16. Where sizes are multiples of tiles it is tile16 with two copies before it.
#include "matmul/rung.cuh"

constexpr int TILE = 16;   // square, and so many steps of k in each phase

// to: `pitch` elements a row, from behind `start`; from: rows x cols.
extern "C" __global__ void matmul_pad(real *__restrict__ to, const real *__restrict__ from, index_t start,
                                      index_t pitch, index_t rows, index_t cols) {
    const index_t row = tile_row() * TILE + threadIdx.y, col = tile_col() * TILE + threadIdx.x;
    if (tile_row() * TILE >= rows) return;
    to[start + row * pitch + col] = element_or_zero(from, rows, cols, row, col);
}

// padded: A, and from b_start on B, as matmul_pad has laid them out.
extern "C" __global__ void matmul_pitched(real *__restrict__ c, const real *__restrict__ padded, index_t b_start,
                                          index_t m, index_t n, index_t a_pitch, index_t b_pitch) {
    __shared__ real a_tile[TILE][TILE], b_tile[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const index_t row = tile_row() * TILE + y, col = tile_col() * TILE + x;
    if (tile_row() * TILE >= m) return;
    real sum = 0;
    for (index_t phase = 0; phase < a_pitch; phase += TILE) {
        a_tile[y][x] = padded[row * a_pitch + phase + x];
        b_tile[y][x] = padded[b_start + (phase + y) * b_pitch + col];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++) sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = sum;
}
