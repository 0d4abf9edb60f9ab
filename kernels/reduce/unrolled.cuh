// The sums of a block, by a loop that is known at compile time: fully unrolled. Thread 0 gets the result.
#pragma once

#include "reduce/last_warp.cuh"

__device__ __forceinline__ SUM add_block(SUM *sums, unsigned thread) {
#pragma unroll
    for (unsigned s = THREADS / 2; s > 32; s /= 2) {
        if (thread < s) sums[thread] += sums[thread + s];
        __syncthreads();
    }
    return thread < 32 ? add_last_warp(sums, thread) : 0;
}
