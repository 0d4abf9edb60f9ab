// Several queries for each thread, in registers.
//
// Idea       A point that has been loaded serves QUERIES distances before the next one is needed: a load costs half of
//            what it did, and the QUERIES chains of arithmetic hide each other's latency.
// Predicted  H200, f32 4096x3, 128 threads, 2 queries: half the shared loads of 30_padded.cu; 16 blocks, one per
//            multiprocessor.
// Measured   H200, f32 100000x3: 4.56 ms, 2.19 T pairs/s, 1.06 times as fast. With 4 queries 6.49 ms: 196 blocks are
//            one and a half for each multiprocessor.
// Held back  By the comparison: a predicate and two selections for each pair beside six instructions of arithmetic. And
//            by the number of blocks, where there are few points.
#ifndef THREADS
#define THREADS 128
#endif
#ifndef QUERIES
#define QUERIES 2
#endif
#include "nearest/point.cuh"

extern "C" __global__ __launch_bounds__(THREADS) void nearest_queries(long long *indices, real *distances,
                                                                      const real *__restrict__ points, unsigned n) {
    __shared__ __align__(16) real block[THREADS * PITCH];
    const unsigned first_query = blockIdx.x * (THREADS * QUERIES) + threadIdx.x;
    const rows_shape shape = {DIMS, 1, n};
    point own[QUERIES];
    neighbour best[QUERIES];
#pragma unroll
    for (int q = 0; q < QUERIES; q++) {
        own[q] = load_row(points, shape, min(first_query + q * THREADS, n - 1));
        best[q] = {infinity(), NONE};
    }
    for (unsigned first = 0; first < n; first += THREADS) {
        const unsigned count = min(n - first, (unsigned)THREADS);
        __syncthreads();
        if (threadIdx.x < count) store_packed(block, threadIdx.x, load_row(points, shape, first + threadIdx.x));
        __syncthreads();
        for (unsigned i = 0; i < count; i++) {
            const point p = load_packed(block, i);
#pragma unroll
            for (int q = 0; q < QUERIES; q++) {
                const real d = distance(p, own[q]);
                if (d < best[q].distance && first + i != first_query + q * THREADS) best[q] = {d, first + i};
            }
        }
    }
#pragma unroll
    for (int q = 0; q < QUERIES; q++)
        if (first_query + q * THREADS < n) write_neighbour(indices, distances, first_query + q * THREADS, best[q]);
}
