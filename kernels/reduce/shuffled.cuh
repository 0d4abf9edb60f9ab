// The sum of a block's threads by shuffles: within warps, and of the warps' sums in the first. Thread 0 gets the
// result.
#pragma once

#include "reduce/rung.cuh"

// 64-bit values travel as two registers.
template <typename sum> __device__ __forceinline__ sum from_lane_below(sum value, int by) {
    return __shfl_down_sync(0xffffffff, value, by);
}

__device__ __forceinline__ SUM add_warp(SUM sum) {
#pragma unroll
    for (int s = 16; s > 0; s /= 2) sum += from_lane_below(sum, s);
    return sum;
}

// Begins with a barrier, so that it can be used again at once.
__device__ __forceinline__ SUM add_threads(SUM sum) {
    __shared__ SUM of_warps[32];
    sum = add_warp(sum);
    __syncthreads();
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32) return 0;
    return add_warp(threadIdx.x < THREADS / 32 ? of_warps[threadIdx.x] : (SUM)0);
}

// This thread's share of the array, two elements at a time.
__device__ __forceinline__ SUM add_share(const IN *in, index_t n) {
    const index_t step = (index_t)gridDim.x * (2 * THREADS);
    SUM sum = 0;
    for (index_t i = (index_t)blockIdx.x * (2 * THREADS) + threadIdx.x; i < n; i += step)
        sum += element_at(in, i, n) + element_at(in, i + THREADS, n);
    return sum;
}
