// The last 64 sums of a block, added by its first warp without a barrier of the block.
//
// The lanes of a warp do not run in step of themselves since compute capability 7.0: what one writes another may read
// only after __syncwarp(). All lanes add in all steps; what lies beyond the half is added and never looked at.
#pragma once

#include "reduce/rung.cuh"

__device__ __forceinline__ SUM add_last_warp(SUM *sums, unsigned thread) {
    SUM sum = sums[thread] + sums[thread + 32];
#pragma unroll
    for (int s = 16; s > 0; s /= 2) {
        __syncwarp();
        sums[thread] = sum;
        __syncwarp();
        sum += sums[thread + s];
    }
    return sum;
}
