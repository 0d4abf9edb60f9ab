// The naive transpose: one element per thread, reads along rows, writes along columns.
#include "common.h"

__global__ void transpose_naive(float *out, const float *in, int n) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col < n && row < n) out[col * n + row] = in[row * n + col];
}

int main(int argc, char **argv) {
    int n = argument(argc, argv, 1, 1024), launches = argument(argc, argv, 2, 7);
    std::vector<float> in = numbers((size_t)n * n);
    float *d_in = on_device(in), *d_out = on_device(std::vector<float>(in.size()));
    dim3 block(32, 8), grid((n + 31) / 32, (n + 7) / 8);
    time_launches(launches, [&] { transpose_naive<<<grid, block>>>(d_out, d_in, n); });
    std::vector<float> out = result(d_out, in.size());
    print_floats(out.data(), out.size());
    return verify_transpose(out, in, n);
}
