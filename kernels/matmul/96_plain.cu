// Any product on any GPU: integers, 16-bit elements where there are no tensor cores for them, and what is left to do
// where k is 0.
//
// Idea       Tiles of 64x64 in registers, elements widened on their way into shared memory. Every layout, one element
//            at a time; the lanes go along whichever axis is contiguous.
// Predicted  V100, f16 512x512x512: 64 blocks of 256 threads; 131072 loads and 8192 stores of 2 sectors each. A's
//            shared stores take two passes, of two lines that meet in the banks; nothing else does.
// Measured   Not meant to be fast.
// Held back  By single elements: 2 bytes a lane, a shared store each.
//
//   A_TURNED, B_TURNED   1: element (i, j) of the operand is at i + j * ld
#include "matmul/types.cuh"

#ifndef A_TURNED
#define A_TURNED 0
#endif
#ifndef B_TURNED
#define B_TURNED 0
#endif

constexpr int TILE = 64, DEPTH = 16, BLOCK = 16, EACH = TILE / BLOCK, THREADS = BLOCK * BLOCK;

// to[step][i] = strip element i of step k + step: of A turned, or of B. Past the edges zeros.
template <bool along_k>
__device__ __forceinline__ void load_strip(sum_t (&to)[DEPTH][TILE + 1], const input_t *from, long long ld,
                                           long long first, long long extent, long long k, long long depth) {
#pragma unroll
    for (int i = threadIdx.x; i < TILE * DEPTH; i += THREADS) {
        const int step = along_k ? i % DEPTH : i / TILE, at = along_k ? i / DEPTH : i % TILE;
        const bool inside = first + at < extent && k + step < depth;
        const long long index = along_k ? (first + at) * ld + k + step : (k + step) * ld + first + at;
        to[step][at] = inside ? wide<INPUT>(from[index]) : (sum_t)0;
    }
}

extern "C" __global__ __launch_bounds__(THREADS) void product_plain(const input_t *all_a, const input_t *all_b,
                                                                    output_t *all_c, const product_arguments p) {
    __shared__ sum_t a_strip[DEPTH][TILE + 1], b_strip[DEPTH][TILE + 1];
    const int x = threadIdx.x % BLOCK, y = threadIdx.x / BLOCK;
    const long long col = (long long)blockIdx.x * TILE;
    for (long long batch = blockIdx.z; batch < p.batches; batch += gridDim.z) {
        const input_t *a = all_a, *b = all_b;
        output_t *c = all_c;
        go_to_batch(p, batch, a, b, c);
        for (long long row = (long long)blockIdx.y * TILE; row < p.m; row += (long long)gridDim.y * TILE) {
            sum_t sums[EACH][EACH] = {};
            for (long long k = 0; k < p.k; k += DEPTH) {
                load_strip<!A_TURNED>(a_strip, a, p.a_ld, row, p.m, k, p.k);
                load_strip<B_TURNED>(b_strip, b, p.b_ld, col, p.n, k, p.k);
                __syncthreads();
#pragma unroll
                for (int step = 0; step < DEPTH; step++)
#pragma unroll
                    for (int i = 0; i < EACH; i++)
#pragma unroll
                        for (int j = 0; j < EACH; j++)
                            sums[i][j] += a_strip[step][y + i * BLOCK] * b_strip[step][x + j * BLOCK];
                __syncthreads();
            }
#pragma unroll
            for (int i = 0; i < EACH; i++)
#pragma unroll
                for (int j = 0; j < EACH; j++) {
                    const long long r = row + y + i * BLOCK, s = col + x + j * BLOCK;
                    if (r < p.m && s < p.n) store_sum(p, &c[r * p.c_ld + s], sums[i][j]);
                }
        }
    }
}
