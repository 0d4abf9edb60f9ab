// The nearest neighbour of each point, all points read from global memory: the seeds' first version.
//
// Idea       One thread, one query; it walks over all points.
// Predicted  H200, f32 4096x3: every lane of a warp reads the same coordinate: 3 requests of one sector for each point
//            and warp, 1.6 million in all, and 384 for the warps' own points. Occupancy 100%.
// Measured   H200, f32 100000x3: 7.39 ms, 1.35 T pairs/s.
// Held back  By the load/store unit: three loads for eight instructions of arithmetic.
#ifndef THREADS
#define THREADS 128
#endif
#include "nearest/point.cuh"

extern "C" __global__ __launch_bounds__(THREADS) void nearest_global(long long *indices, real *distances,
                                                                     const real *__restrict__ points, unsigned n) {
    const unsigned query = blockIdx.x * THREADS + threadIdx.x;
    if (query >= n) return;
    const rows_shape shape = {DIMS, 1, n};
    const point own = load_row(points, shape, query);
    neighbour best = {infinity(), NONE};
    for (unsigned i = 0; i < n; i++) {
        const real d = distance(load_row(points, shape, i), own);
        if (d < best.distance && i != query) best = {d, i};
    }
    write_neighbour(indices, distances, query, best);
}
