// Every pair, one neighbour for each query, as fast as the arithmetic goes.
//
// Idea       Most of what 40_queries.cu does beside the distances is to remember which point it was. Here a run of
//            CHUNK points only has its least distance taken, one instruction a pair; the run is remembered when it
//            beats the best so far, and at the very end its CHUNK points are looked at once more to see which one it
//            was. The query's own point needs a test only in the few blocks of points that hold queries of this thread
//            block. Where there are too few queries to fill the GPU, the points are cut into parts, a row of blocks
//            each, and 85_merge.cu compares the parts.
// Predicted  H200, f32 100000x3: 7 instructions a pair (3 subtractions, a product, 2 fused, a minimum) and an eighth of
//            a shared load: 128 lanes * 132 multiprocessors * 1.755 GHz / 7.3 = 4.1 T pairs/s.
// Measured   H200, f32 100000x3: 2.62 ms, 3.82 T pairs/s, 1.74 times as fast as 40_queries.cu, with 85_merge.cu and
//            75_check.cu; a million points 261 ms, 3.83 T pairs/s. f32 in 2 dimensions 5.1, in 8 1.6, in 16 0.78; f64
//            in space 1.6 T pairs/s.
// Held back  By the issue of instructions.
//
//   QUERIES   of each thread
//   TILE      points that are in shared memory at a time, a multiple of CHUNK
//   FINISH    1: this launch has all points and writes the result; 0: parts, for 85_merge.cu
#ifndef THREADS
#define THREADS 128
#endif
#ifndef QUERIES
#define QUERIES 8
#endif
#ifndef TILE
#define TILE 512
#endif
#ifndef CHUNK
#define CHUNK 16
#endif
#ifndef FINISH
#define FINISH 1
#endif
#include "nearest/point.cuh"

constexpr unsigned PER_BLOCK = THREADS * QUERIES;

__device__ __forceinline__ void fill_tile(real *tile, const real *points, const rows_shape &shape, unsigned first,
                                          unsigned end) {
    for (int i = threadIdx.x; i < TILE; i += THREADS) {
        point p;
#pragma unroll
        for (int a = 0; a < DIMS; a++) p.at[a] = infinity() - infinity();   // never the nearest
        if (first + i < end) p = load_row(points, shape, first + i);
        store_packed(tile, i, p);
    }
}

// The least distance of each query to CHUNK points; WITH_SELF leaves out the query's own.
template <bool WITH_SELF>
__device__ __forceinline__ void scan_chunk(const real *tile, int chunk, unsigned first, const point (&own)[QUERIES],
                                           unsigned first_query, real (&least)[QUERIES]) {
#pragma unroll
    for (int q = 0; q < QUERIES; q++) least[q] = infinity();
#pragma unroll
    for (int i = 0; i < CHUNK; i++) {
        const point p = load_packed(tile, chunk + i);
#pragma unroll
        for (int q = 0; q < QUERIES; q++) {
            const real d = distance(p, own[q]);
            if (!WITH_SELF || first + chunk + i != first_query + q * THREADS) least[q] = smaller(least[q], d);
        }
    }
}

// The first point of a run that is as near as the run's least.
__device__ neighbour find_in_chunk(const real *points, const rows_shape &shape, unsigned chunk, const point &own,
                                   unsigned self, real least) {
    for (unsigned i = chunk; i < chunk + CHUNK && i < shape.count; i++)
        if (i != self && distance(load_row(points, shape, i), own) == least) return {least, i};
    return {infinity(), NONE};
}

// bound: what a distance has to be below. is_any: infinite distances count.
extern "C" __global__ __launch_bounds__(THREADS) void nearest_brute(
    long long *indices, real *distances, const real *__restrict__ points, rows_shape shape,
    const real *__restrict__ queries, rows_shape query_shape, int is_self, real bound, int is_any, unsigned part_points,
    char *scratch) {
    __shared__ __align__(16) real tile[TILE * PITCH];
    const unsigned block_query = blockIdx.x * PER_BLOCK, first_query = block_query + threadIdx.x;
    const unsigned begin = blockIdx.y * part_points, end = begin + min(part_points, shape.count - begin);
    neighbour *const parts = (neighbour *)(scratch + BEHIND_FINDINGS);
    point own[QUERIES];
    real best[QUERIES];
    unsigned where[QUERIES];
    if (refused((const findings *)scratch)) return;
#pragma unroll
    for (int q = 0; q < QUERIES; q++) {
        own[q] = load_row(queries, query_shape, min(first_query + q * THREADS, query_shape.count - 1));
        best[q] = bound;
        where[q] = NONE;
    }
    for (unsigned first = begin; first < end; first += TILE) {
        __syncthreads();
        fill_tile(tile, points, shape, first, end);
        __syncthreads();
        const bool with_self = is_self && first < block_query + PER_BLOCK && block_query < first + TILE;
        for (int chunk = 0; chunk < TILE; chunk += CHUNK) {
            real least[QUERIES];
            if (with_self) scan_chunk<true>(tile, chunk, first, own, first_query, least);
            else scan_chunk<false>(tile, chunk, first, own, first_query, least);
#pragma unroll
            for (int q = 0; q < QUERIES; q++) {
                if (least[q] < best[q]) {
                    best[q] = least[q];
                    where[q] = first + chunk;
                }
            }
        }
    }
#pragma unroll
    for (int q = 0; q < QUERIES; q++) {
        const unsigned query = first_query + q * THREADS, self = is_self ? query : NONE;
        if (query >= query_shape.count) continue;
        neighbour nearest = {infinity(), NONE};
        if (where[q] != NONE) nearest = find_in_chunk(points, shape, where[q], own[q], self, best[q]);
        if (FINISH) {
            if (nearest.index == NONE && is_any && shape.count > (self == 0)) nearest.index = self == 0;
            write_neighbour(indices, distances, query, nearest);
        } else {
            parts[(unsigned long long)blockIdx.y * query_shape.count + query] = nearest;
        }
    }
}
