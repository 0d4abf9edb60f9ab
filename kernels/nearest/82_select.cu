// Every pair, K neighbours for each query.
//
// Idea       A warp has QUERIES queries, whose K best so far lie sorted across its lanes, and takes 32 points at a
//            time, one to each lane, from the tile that the block has in shared memory. Almost all points are too far:
//            a comparison with the worst of the K, and a vote. The others are put in their place one after the other
//            (list.cuh), K ln(n / K) times in a random order.
// Predicted  H200, f32 100000x3, K 30: 15 instructions for 32 pairs, of which a quarter of a shared load, and 38 for
//            each of K (1 + ln(n / K)) insertions, 3 for 32 pairs: 128 lanes * 132 multiprocessors * 1.755 GHz / 18 =
//            1.6 T pairs/s.
// Measured   H200, f32 100000x3: K 2 5.50 ms, 1.82 T pairs/s; K 8 1.60; K 30 1.26; K 128 0.45 T pairs/s.
// Held back  By the vote, which 80_brute.cu does not need, and for many neighbours by the insertions.
//
//   QUERIES   of each warp
//   TILE      points that are in shared memory at a time, a multiple of 32
//   FINISH    1: this launch has all points and writes the result; 0: parts, for 85_merge.cu
#ifndef THREADS
#define THREADS 256
#endif
#ifndef QUERIES
#define QUERIES 4
#endif
#ifndef TILE
#define TILE 512
#endif
#ifndef FINISH
#define FINISH 1
#endif
#include "nearest/list.cuh"

extern "C" __global__ __launch_bounds__(THREADS) void nearest_select(
    long long *indices, real *distances, const real *__restrict__ points, rows_shape shape,
    const real *__restrict__ queries, rows_shape query_shape, int is_self, real limit, unsigned part_points,
    char *scratch) {
    __shared__ __align__(16) real tile[TILE * PITCH];
    const unsigned first_query = (blockIdx.x * (THREADS / 32) + threadIdx.x / 32) * QUERIES;
    const unsigned begin = blockIdx.y * part_points, end = begin + min(part_points, shape.count - begin);
    neighbour *const parts = (neighbour *)(scratch + BEHIND_FINDINGS);
    point own[QUERIES];
    warp_list list[QUERIES];
    if (refused((const findings *)scratch)) return;
#pragma unroll
    for (int q = 0; q < QUERIES; q++) {
        own[q] = load_row(queries, query_shape, min(first_query + q, query_shape.count - 1));
        list[q].clear(limit);
    }
    for (unsigned first = begin; first < end; first += TILE) {
        __syncthreads();
        for (int i = threadIdx.x; i < TILE && first + i < end; i += THREADS)
            store_packed(tile, i, load_row(points, shape, first + i));
        __syncthreads();
        const unsigned count = min(end - first, (unsigned)TILE);
        for (unsigned i = lane_number(); i - lane_number() < count; i += 32) {
            const point p = load_packed(tile, min(i, count - 1));
#pragma unroll
            for (int q = 0; q < QUERIES; q++) {
                // Who the point is matters to few of them.
                const real d = distance(p, own[q]);
                if (list[q].excludes(d)) continue;
                list[q].offer({d, first + i}, i < count && !(is_self && first + i == first_query + q));
            }
        }
    }
#pragma unroll
    for (int q = 0; q < QUERIES; q++) {
        if (first_query + q >= query_shape.count) continue;
        if (FINISH) list[q].write(indices, distances, first_query + q);
        else list[q].keep(parts + ((unsigned long long)blockIdx.y * query_shape.count + first_query + q) * K);
    }
}
