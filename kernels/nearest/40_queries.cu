// Several queries for each thread, in registers.
//
// Idea       A point that has been loaded serves QUERIES distances before the next one is needed: a load costs an eighth of
//            what it did, and the QUERIES chains of arithmetic hide each other's latency.
// Predicted  H200, f32 4096x3, 128 threads, 4 queries: a quarter of the shared loads of 30_padded.cu; 8 blocks, one per
//            multiprocessor.
// Measured   Not yet.
// Held back  By the comparison: a predicate and two selections for each pair beside six instructions of arithmetic. And by
//            the number of blocks, where there are few points.
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
