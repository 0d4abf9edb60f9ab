// The transpose by tiles of 32x32 in shared memory, padded to 33 columns; four elements per thread.
#include "common.h"

constexpr int SIDE = 32, ROWS = 8;

__global__ void transpose_tile(float *out, const float *in, int n) {
    __shared__ float tile[SIDE][SIDE + 1];
    int col = blockIdx.x * SIDE + threadIdx.x;
    int row = blockIdx.y * SIDE + threadIdx.y;
    for (int i = 0; i < SIDE; i += ROWS) tile[threadIdx.y + i][threadIdx.x] = in[(row + i) * n + col];
    __syncthreads();
    col = blockIdx.y * SIDE + threadIdx.x;
    row = blockIdx.x * SIDE + threadIdx.y;
    for (int i = 0; i < SIDE; i += ROWS) out[(row + i) * n + col] = tile[threadIdx.x][threadIdx.y + i];
}

int main(int argc, char **argv) {
    int n = argument(argc, argv, 1, 1024), launches = argument(argc, argv, 2, 7);
    if (n % SIDE) {
        fprintf(stderr, "%s: SIZE must be a multiple of %d\n", argv[0], SIDE);
        return 2;
    }
    std::vector<float> in = numbers((size_t)n * n);
    float *d_in = on_device(in), *d_out = on_device(std::vector<float>(in.size()));
    dim3 block(SIDE, ROWS), grid(n / SIDE, n / SIDE);
    time_launches(launches, [&] { transpose_tile<<<grid, block>>>(d_out, d_in, n); });
    std::vector<float> out = result(d_out, in.size());
    print_floats(out.data(), out.size());
    return verify_transpose(out, in, n);
}
