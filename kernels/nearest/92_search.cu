// The search: neighbours among the points of the few boxes that are near enough.
//
// Idea       A warp for each query. It looks at 32 boxes at a time, one to each lane, and goes into the nearest one
//            first, down to a leaf of 32 points, one to each lane again. The K best so far lie sorted across the lanes
//            (list.cuh); boxes that are farther than the worst of them are left out. Queries go in the order of the
//            curve, so that the warps of a multiprocessor look at the same boxes. A box is as far as its nearest
//            corner, edge or face, computed by the same steps as the distance of a point: subtraction, product and
//            fused multiply-add are all monotonic under rounding, so a box is never farther than a point in it, and no
//            margin is needed. A box exactly as far as the worst neighbour matters only when it holds a lower index,
//            which each box knows: so a million equal points are no slower than others.
// Predicted  H200, f32 in space, uniform points, K 1: 390 instructions for each warp and query among 4096 points, which
//            have two levels of boxes; 660 among 100,000, which have three, as a million: 0.7 ms for these.
// Measured   H200, f32 in space: a million uniform points, K 1 0.74 ms, K 8 2.1 ms, K 30 4.5 ms; in 1000 clusters, K 1
//            0.87 ms; all of them equal 0.35 ms; ten million uniform points, K 30 59 ms. With 90_index.cu 100,000
//            points are 0.20 ms, 13 times as fast as 80_brute.cu.
// Held back  By the latency of the steps, each of which waits for the one before.
//
//   LEVELS   of boxes
#ifndef THREADS
#define THREADS 128
#endif
#ifndef LEVELS
#define LEVELS 3
#endif
#include "nearest/index.cuh"
#include "nearest/list.cuh"

struct search {
    const char *scratch;
    const index_layout &at;
    unsigned count, self;
    point query;
    warp_list list;
};

__device__ __forceinline__ real distance_to_box(const box &b, const point &q) {
    real sum = 0;
#pragma unroll
    for (int a = 0; a < DIMS; a++) {
        const real outside = larger(larger(b.low.at[a] - q.at[a], q.at[a] - b.high.at[a]), 0);
        sum = a ? multiply_add(outside, outside, sum) : outside * outside;
    }
    return sum;
}

// In the order of the distances, or equal for different ones: only a guide.
__device__ __forceinline__ unsigned order_of(real distance) {
#if REAL_BYTES == 4
    return __float_as_uint(distance);
#else
    return __float_as_uint(__double2float_rd(distance));
#endif
}

__device__ __forceinline__ void look_at_leaf(search &s, unsigned leaf) {
    const unsigned place = leaf * LEAF + lane_number();
    neighbour candidate = {infinity(), NONE};
    if (place < s.count) {
        candidate.distance = distance(load_packed((const real *)(s.scratch + s.at.points), place), s.query);
        candidate.index = ((const unsigned *)(s.scratch + s.at.order))[place];
    }
    const bool has = candidate.index != NONE && candidate.index != s.self;
    if (__any_sync(ALL_LANES, has && !(candidate.distance > s.list.worst.distance))) s.list.offer(candidate, has);
}

template <int LEVEL> struct descent {
    // The 32 boxes of LEVEL under one of the next level, the nearest first.
    static __device__ __forceinline__ void into(search &s, unsigned parent) {
        const unsigned child = parent * LEAF + lane_number();
        bool is_open = child < s.at.level_count[LEVEL];
        const unsigned number = s.at.level_first[LEVEL] + child;
        real away = infinity();
        if (is_open) away = distance_to_box(load_box(s.scratch, s.at, number), s.query);
        while (true) {
            is_open = is_open && !(away > s.list.worst.distance);
            if (is_open && away == s.list.worst.distance)
                is_open = ((const unsigned *)(s.scratch + s.at.box_index))[number] < s.list.worst.index;
            if (!__any_sync(ALL_LANES, is_open)) break;
            const unsigned order = is_open ? order_of(away) : NONE, least = lowest_in_warp(order);
            const int next = __ffs(__ballot_sync(ALL_LANES, order == least)) - 1;
            if (lane_number() == next) is_open = false;
            if constexpr (LEVEL == 0) look_at_leaf(s, parent * LEAF + next);
            else descent<LEVEL - 1>::into(s, parent * LEAF + next);
        }
    }
};

// query_order: 0, or where in the scratch memory the order lies in which queries are taken.
extern "C" __global__ __launch_bounds__(THREADS) void nearest_search(
    long long *indices, real *distances, const real *__restrict__ queries, rows_shape query_shape, int is_self,
    real limit, unsigned n_points, const char *scratch, index_layout at, unsigned long long query_order) {
    const unsigned number = blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    if (number >= query_shape.count || refused((const findings *)scratch)) return;
    const unsigned query = query_order ? ((const unsigned *)(scratch + query_order))[number] : number;
    search s = {scratch, at, n_points, is_self ? query : NONE, load_row(queries, query_shape, query), {}};
    s.list.clear(limit);
    descent<LEVELS - 1>::into(s, 0);
    s.list.write(indices, distances, query);
}
