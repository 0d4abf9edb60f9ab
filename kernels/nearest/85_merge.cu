// The best of the neighbours that were found in several parts of the points.
//
// Idea       A warp for each query; what the parts found is offered to one list (list.cuh).
// Measured   H200: 19 us for 100,000 queries in 8 parts, K 1.
#ifndef THREADS
#define THREADS 128
#endif
#include "nearest/list.cuh"

// parts: n_parts times the K neighbours of each query. is_any: infinite distances count, and the parts may have left
// them out for the whole of the points (K = 1).
extern "C" __global__ __launch_bounds__(THREADS) void nearest_merge(
    long long *indices, real *distances, unsigned n_points, unsigned n_queries, int is_self, real limit,
    unsigned n_parts, const char *scratch) {
    const neighbour *const parts = (const neighbour *)(scratch + BEHIND_FINDINGS);
    const unsigned query = blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    if (query >= n_queries || refused((const findings *)scratch)) return;
    warp_list list;
    list.clear(limit);
    for (unsigned i = lane_number(); i - lane_number() < n_parts * K; i += 32) {
        neighbour candidate = {infinity(), NONE};
        if (i < n_parts * K) candidate = parts[((unsigned long long)(i / K) * n_queries + query) * K + i % K];
        list.offer(candidate, candidate.index != NONE);
    }
    if (K == 1 && list.worst.index == NONE && limit == infinity() && n_points > (is_self && query == 0))
        list.kept[0] = {infinity(), is_self && query == 0 ? 1u : 0u};
    list.write(indices, distances, query);
}
