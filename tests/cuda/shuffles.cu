// Shuffles of every type, whole and in segments of a warp: what a lane gets is what the lane that it names has.
#include <cuda_runtime.h>

#include "check.h"

__device__ long long value_of(int lane) { return (long long)(lane + 1) * 0x100000001ll - 7; }

// In segments of `width` lanes. Lanes that would come from another segment keep their own.
template <class T> __device__ void shuffle(int width) {
    const unsigned all = 0xffffffffu;
    const int lane = threadIdx.x % 32, first = lane / width * width, place = lane - first;
    const T own = (T)value_of(lane);
    CHECK(__shfl_sync(all, own, 3, width) == (T)value_of(first + 3 % width));
    CHECK(__shfl_up_sync(all, own, 2, width) == (T)value_of(place < 2 ? lane : lane - 2));
    CHECK(__shfl_down_sync(all, own, 3, width) == (T)value_of(place + 3 < width ? lane + 3 : lane));
    CHECK(__shfl_xor_sync(all, own, 1, width) == (T)value_of(lane ^ 1));
}

__global__ void shuffles() {
    for (int width = 32; width > 1; width /= 2) {
        shuffle<int>(width);
        shuffle<unsigned>(width);
        shuffle<long>(width);
        shuffle<unsigned long>(width);
        shuffle<long long>(width);
        shuffle<unsigned long long>(width);
        shuffle<float>(width);
        shuffle<double>(width);
    }
}

// Behind a shuffle the program goes on.
__global__ void largest(const unsigned long long *in, unsigned long long *out) {
    unsigned long long most = in[threadIdx.x];
    for (int step = 16; step; step /= 2) {
        const unsigned long long other = __shfl_xor_sync(0xffffffffu, most, step);
        most = other > most ? other : most;
    }
    out[threadIdx.x] = most;
}

int main() {
    unsigned long long host[32], *in, *out;
    for (int i = 0; i < 32; i++) host[i] = (unsigned long long)(i * 7 % 32) << 60 | (unsigned)i;
    API(cudaMalloc(&in, sizeof host));
    API(cudaMalloc(&out, sizeof host));
    API(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    unsigned long long most = 0;
    for (int i = 0; i < 32; i++) most = host[i] > most ? host[i] : most;
    shuffles<<<1, 64>>>();
    largest<<<1, 32>>>(in, out);
    API(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) HOST_CHECK(host[i] == most);
    return report(__FILE__);
}
