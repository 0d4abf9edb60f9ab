// Points padded to whole words of 16 bytes in shared memory.
//
// Idea       A point of three floats takes three loads of 4 bytes; with a fourth that is never used it takes one of 16.
//            All lanes read the same point, so a broadcast of 16 bytes costs what one of 4 bytes costs. The seed
//            mentions it and does not try it.
// Predicted  H200, f32 4096x3, 128 threads: one shared load for each point and warp; staging stores of 16 bytes in 4
//            passes. Occupancy 100%. It is a third more loads than 20_blocks.cu has, since today's compilers merge
//            those of four points.
// Measured   H200, f32 100000x3: 4.81 ms, 2.08 T pairs/s, 1.04 times as fast: the seed's gain is the compiler's by now.
// Held back  By one load for each distance of eight instructions, and by a comparison with two selections for each.
#ifndef THREADS
#define THREADS 128
#endif
#include "nearest/point.cuh"

extern "C" __global__ __launch_bounds__(THREADS) void nearest_padded(long long *indices, real *distances,
                                                                     const real *__restrict__ points, unsigned n) {
    __shared__ __align__(16) real block[THREADS * PITCH];
    const unsigned query = blockIdx.x * THREADS + threadIdx.x;
    const rows_shape shape = {DIMS, 1, n};
    point own = {};
    if (query < n) own = load_row(points, shape, query);
    neighbour best = {infinity(), NONE};
    for (unsigned first = 0; first < n; first += THREADS) {
        const unsigned count = min(n - first, (unsigned)THREADS);
        __syncthreads();
        if (threadIdx.x < count) store_packed(block, threadIdx.x, load_row(points, shape, first + threadIdx.x));
        __syncthreads();
        for (unsigned i = 0; i < count; i++) {
            const real d = distance(load_packed(block, i), own);
            if (d < best.distance && first + i != query) best = {d, first + i};
        }
    }
    if (query < n) write_neighbour(indices, distances, query, best);
}
