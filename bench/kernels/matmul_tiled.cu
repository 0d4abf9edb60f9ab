// The matrix product by tiles of 16x16 in shared memory: c = a b, all n x n.
#include <cmath>

#include "common.h"

__global__ void matmul_tiled(float *c, const float *a, const float *b, int n) {
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int ty = threadIdx.y, tx = threadIdx.x;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        a_tile[ty][tx] = a[row * n + k + tx];
        b_tile[ty][tx] = b[(k + ty) * n + col];
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += a_tile[ty][i] * b_tile[i][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

// Accumulates in double; a sum of n products of numbers below 1 may be off by its rounding, n^2 * 2^-24 at most.
static int verify(const std::vector<float> &c, const std::vector<float> &a, const std::vector<float> &b, int n) {
    for (int row = 0; row < n; row++) {
        for (int col = 0; col < n; col++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += (double)a[(size_t)row * n + k] * b[(size_t)k * n + col];
            if (std::fabs(c[(size_t)row * n + col] - sum) <= (double)n * n / 16777216) continue;
            fprintf(stderr, "wrong at row %d, column %d: %g, not %g\n", row, col, c[(size_t)row * n + col], sum);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    int n = argument(argc, argv, 1, 256), launches = argument(argc, argv, 2, 7);
    if (n % TILE) {
        fprintf(stderr, "%s: SIZE must be a multiple of %d\n", argv[0], TILE);
        return 2;
    }
    std::vector<float> a = numbers((size_t)n * n), b(a.rbegin(), a.rend());
    float *d_a = on_device(a), *d_b = on_device(b), *d_c = on_device(std::vector<float>(a.size()));
    dim3 block(TILE, TILE), grid(n / TILE, n / TILE);
    time_launches(launches, [&] { matmul_tiled<<<grid, block>>>(d_c, d_a, d_b, n); });
    std::vector<float> c = result(d_c, a.size());
    print_floats(c.data(), c.size());
    return verify(c, a, b, n);
}
