// What orders memory, over and over: fences, barriers of the block and the warp, shuffles, atomics in shared and global
// memory, and copies that are waited for. There is little else in it.
#include "common.h"

__global__ void ordered(float *out, const float *in, int n) {
    __shared__ float tile[256];
    __shared__ unsigned count;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (threadIdx.x == 0) count = 0;
    for (int k = 0; k < 16; k++) {
        tile[threadIdx.x] = in[(i + 256 * k) % n];
        __threadfence_block();
        __syncthreads();
        float other = tile[threadIdx.x ^ 1];
        __syncwarp();
        sum += other + __shfl_xor_sync(0xffffffffu, other, 4);
        if (threadIdx.x % 32 == 0) atomicAdd(&count, 1u);
        __threadfence();
        __syncthreads();
    }
    atomicAdd(&out[threadIdx.x % 32], sum);
    if (i < n) out[32 + i] = sum + (float)count;
}

int main(int argc, char **argv) {
    int n = argument(argc, argv, 1, 1 << 16), launches = argument(argc, argv, 2, 7);
    std::vector<float> in = numbers((size_t)n);
    float *d_in = on_device(in), *d_out = on_device(std::vector<float>((size_t)n + 32));
    for (int i = 0; i < launches; i++) ordered<<<(n + 255) / 256, 256>>>(d_out, d_in, n);
    std::vector<float> got = result(d_out, (size_t)n + 32);
    for (int i = 0; i < n; i++) {
        float want = 0;
        int other = i ^ 1;
        for (int k = 0; k < 16; k++) want += in[(other + 256 * k) % n] + in[((i ^ 5) + 256 * k) % n];
        float difference = got[32 + i] - want - 128;
        if (!(difference < 1e-2f && difference > -1e-2f)) return 1;
    }
    return 0;
}
