// Interleaved addressing: in step s every 2s-th thread adds its neighbour s away.
//
// Idea       The tree as it is drawn: a thread for each element, half as many adders from step to step.
// Predicted  H200, f32, each block of 512: all 16 warps take part in steps 1 to 16, then 8, 4, 2, 1; no two lanes that
//            add meet in a bank. 2048 blocks for 2^20 elements, then 4, then 1.
// Measured   H200, 2^28 f32: 3051 us, 352 GB/s.
// Held back  % by a number that the compiler does not know, and warps in which few lanes add.
#include "reduce/rung.cuh"

extern "C" __global__ void __launch_bounds__(THREADS) reduce_modulo(OUT *out, const IN *in, index_t n) {
    __shared__ SUM sums[THREADS];
    const unsigned thread = threadIdx.x;
    sums[thread] = element_at(in, (index_t)blockIdx.x * THREADS + thread, n);
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (thread % (2 * s) == 0) sums[thread] += sums[thread + s];
        __syncthreads();
    }
    if (thread == 0) store_sum(&out[blockIdx.x], sums[0]);
}
