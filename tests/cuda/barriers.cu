// What one thread leaves in shared memory before a barrier, the others find behind it: variables whose address goes
// nowhere, which a compiler may think that only the code before its eyes touches.
#include <cuda_runtime.h>

#include "check.h"

enum { THREADS = 96 };

// The thread that sets the flag has it at hand; the others must not have read it before the barrier.
__global__ void block(const int *in) {
    __shared__ bool flag;
    __shared__ int number;
    if (threadIdx.x == 0) flag = in[1] == 1;
    __syncthreads();
    CHECK(flag);
    if (threadIdx.x == 33) number = in[1] + 6;
    CHECK(__syncthreads_and(in[1]));
    CHECK(number == 7);
    if (__syncthreads_or(0)) return;
    if (threadIdx.x == 5) number = in[1] + 7;
    CHECK(__syncthreads_or(threadIdx.x == 64) && number == 8);
    CHECK(__syncthreads_count(number == 8) == THREADS);
    if (threadIdx.x == 1) number = in[1] + 8;
    CHECK(__syncthreads_count(threadIdx.x % 2) == THREADS / 2 && number == 9);
}

__global__ void warp(const int *in) {
    __shared__ int number[THREADS / 32];
    __shared__ bool flag;
    if (threadIdx.x % 32 == 0) number[threadIdx.x / 32] = in[1] + threadIdx.x / 32;
    __syncwarp();
    CHECK(number[threadIdx.x / 32] == 1 + (int)threadIdx.x / 32);
    if (threadIdx.x == 3) flag = in[1] == 1;
    __syncwarp(0xffffffff);
    CHECK(threadIdx.x >= 32 || flag);
}

// As reductions end: the block that counts last knows that all others have left their part.
__global__ void last(int *parts, unsigned *counter, int *sum) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        is_last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!is_last) return;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += THREADS) atomicAdd(sum, parts[i]);
}

int main() {
    enum { BLOCKS = 300 };
    const int host[2] = {0, 1};
    int *in, *parts, *sum, found = 0;
    unsigned *counter;
    API(cudaMalloc(&in, sizeof host));
    API(cudaMalloc(&parts, BLOCKS * sizeof *parts));
    API(cudaMalloc(&sum, sizeof *sum));
    API(cudaMalloc(&counter, sizeof *counter));
    API(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    API(cudaMemset(sum, 0, sizeof *sum));
    API(cudaMemset(counter, 0, sizeof *counter));
    block<<<4, THREADS>>>(in);
    warp<<<4, THREADS>>>(in);
    last<<<BLOCKS, THREADS>>>(parts, counter, sum);
    API(cudaMemcpy(&found, sum, sizeof found, cudaMemcpyDeviceToHost));
    HOST_CHECK(found == BLOCKS * (BLOCKS + 1) / 2);
    return report(__FILE__);
}
