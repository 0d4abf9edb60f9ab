// Interleaved addressing by neighbouring threads: thread t adds for element 2st.
//
// Idea       No modulo, and warps that are either busy or idle.
// Predicted  H200, f32, each block of 512: the loads and stores of step s are 2s words apart, so they meet 2, 4, 8, 16,
//            16, 8, 4, 2, 1 deep in a bank, s = 1 to 256 (32 banks, 32 lanes; the seed's table for 16 banks is the
//            same).
// Measured   H200, 2^28 f32: 1710 us, 628 GB/s: 1.78 times the rung before, conflicts and all.
// Held back  By these conflicts.
#include "reduce/rung.cuh"

extern "C" __global__ void __launch_bounds__(THREADS) reduce_conflicts(OUT *out, const IN *in, index_t n) {
    __shared__ SUM sums[THREADS];
    const unsigned thread = threadIdx.x;
    sums[thread] = element_at(in, (index_t)blockIdx.x * THREADS + thread, n);
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        const unsigned at = 2 * s * thread;
        if (at < blockDim.x) sums[at] += sums[at + s];
        __syncthreads();
    }
    if (thread == 0) store_sum(&out[blockIdx.x], sums[0]);
}
