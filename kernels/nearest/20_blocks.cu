// The points come in blocks through shared memory: the seeds' better version.
//
// Idea       The threads of a block fetch THREADS points together, one each, and all of them walk over these. Global
//            memory is read once per block of queries and not once per query. The last block of points may be short:
//            the loop ends where the points end, so nothing is computed with what an earlier round left behind (the
//            seed's version does, and drops it afterwards).
// Predicted  H200, f32 4096x3, 128 threads: each point is read once by each of 32 blocks; staging stores with a stride
//            of 3 words, which 32 banks take in one pass; loads are broadcasts. Occupancy 100%.
// Measured   H200, f32 100000x3: 5.01 ms, 2.00 T pairs/s, 1.48 times as fast as 10_global.cu. Seed 003: three times;
//            since then the first version's coordinates come from the first-level cache.
// Held back  By shared memory beside arithmetic: the compiler unrolls the loop and makes three loads of 16 bytes of
//            four points' twelve words.
#ifndef THREADS
#define THREADS 128
#endif
#include "nearest/point.cuh"

extern "C" __global__ __launch_bounds__(THREADS) void nearest_blocks(long long *indices, real *distances,
                                                                     const real *__restrict__ points, unsigned n) {
    __shared__ real block[THREADS][DIMS];
    const unsigned query = blockIdx.x * THREADS + threadIdx.x;
    const rows_shape shape = {DIMS, 1, n};
    point own = {};
    if (query < n) own = load_row(points, shape, query);
    neighbour best = {infinity(), NONE};
    for (unsigned first = 0; first < n; first += THREADS) {
        const unsigned count = min(n - first, (unsigned)THREADS);
        __syncthreads();
        if (threadIdx.x < count) {
            const point p = load_row(points, shape, first + threadIdx.x);
#pragma unroll
            for (int a = 0; a < DIMS; a++) block[threadIdx.x][a] = p.at[a];
        }
        __syncthreads();
        for (unsigned i = 0; i < count; i++) {
            point p;
#pragma unroll
            for (int a = 0; a < DIMS; a++) p.at[a] = block[i][a];
            const real d = distance(p, own);
            if (d < best.distance && first + i != query) best = {d, first + i};
        }
    }
    if (query < n) write_neighbour(indices, distances, query, best);
}
