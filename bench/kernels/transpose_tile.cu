// The transpose by tiles of 32x32 in shared memory, padded to 33 columns; four elements per thread.
#include "common.h"

constexpr int TILE = 32, ROWS = 8;

__global__ void transpose_tile(float *out, const float *in, int n) {
    __shared__ float tile[TILE][TILE + 1];
    int col = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS) tile[threadIdx.y + i][threadIdx.x] = in[(row + i) * n + col];
    __syncthreads();
    col = blockIdx.y * TILE + threadIdx.x;
    row = blockIdx.x * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS) out[(row + i) * n + col] = tile[threadIdx.x][threadIdx.y + i];
}

int main(int argc, char **argv) {
    int n = argument(argc, argv, 1, 1024), launches = argument(argc, argv, 2, 7);
    if (n % TILE) {
        fprintf(stderr, "%s: SIZE must be a multiple of %d\n", argv[0], TILE);
        return 2;
    }
    std::vector<float> in = numbers((size_t)n * n);
    float *d_in = on_device(in), *d_out = on_device(std::vector<float>(in.size()));
    dim3 block(TILE, ROWS), grid(n / TILE, n / TILE);
    for (int i = 0; i < launches; i++) transpose_tile<<<grid, block>>>(d_out, d_in, n);
    return verify_transpose(result(d_out, in.size()), in, n);
}
