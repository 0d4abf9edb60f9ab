// The K best neighbours so far of one query, kept by the 32 lanes of a warp in order: number j is in lane j % 32.
#ifndef HALFWARP_NEAREST_LIST_CUH
#define HALFWARP_NEAREST_LIST_CUH

#include "nearest/point.cuh"

constexpr int PER_LANE = (K + 31) / 32;
// Neighbours up to which the first of the candidates are looked for one by one; candidates from which on it is better
// to sort them than to insert one after the other. Measured on an H200.
constexpr int FEW = REAL_BYTES == 4 ? 8 : 2, MANY = 12;

__device__ __forceinline__ int lane_number() { return threadIdx.x % 32; }

__device__ __forceinline__ neighbour from_lane(const neighbour &n, int lane) {
    return {__shfl_sync(ALL_LANES, n.distance, lane), __shfl_sync(ALL_LANES, n.index, lane)};
}

// The lowest of all lanes.
__device__ __forceinline__ unsigned lowest_in_warp(unsigned value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(ALL_LANES, value);
#else
#pragma unroll
    for (int step = 16; step; step /= 2) value = min(value, __shfl_xor_sync(ALL_LANES, value, step));
    return value;
#endif
}

// The first neighbour of all lanes.
__device__ __forceinline__ neighbour first_in_warp(neighbour n) {
#if REAL_BYTES == 4
    const unsigned bits = __float_as_uint(n.distance);   // in the order of the distances, none of which is negative
    const unsigned least = lowest_in_warp(bits);
    return {__uint_as_float(least), lowest_in_warp(bits == least ? n.index : NONE)};
#else
#pragma unroll
    for (int step = 16; step; step /= 2) {
        const real distance = __shfl_xor_sync(ALL_LANES, n.distance, step);
        const neighbour other = {distance, __shfl_xor_sync(ALL_LANES, n.index, step)};
        if (before(other, n)) n = other;
    }
    return n;
#endif
}

// Each lane keeps the first of its own and its partner's, or the other one.
__device__ __forceinline__ void exchange(neighbour &n, int step, bool keeps_first) {
    const neighbour other = {__shfl_xor_sync(ALL_LANES, n.distance, step), __shfl_xor_sync(ALL_LANES, n.index, step)};
    if (before(other, n) == keeps_first) n = other;
}

// A bitonic sequence, one neighbour to a lane, in order (K. Batcher, "Sorting networks and their applications", 1968).
__device__ __forceinline__ void merge_in_warp(neighbour &n) {
#pragma unroll
    for (int step = 16; step; step /= 2) exchange(n, step, !(lane_number() & step));
}

__device__ __forceinline__ void sort_in_warp(neighbour &n) {
#pragma unroll
    for (int size = 2; size <= 16; size *= 2) {
#pragma unroll
        for (int step = size / 2; step; step /= 2)
            exchange(n, step, !(lane_number() & step) == !(lane_number() & size));
    }
    merge_in_warp(n);
}

struct warp_list {
    neighbour kept[PER_LANE];
    neighbour worst;   // number K - 1, known to all lanes

    // Full of what is beaten by every index at `limit` and nearer.
    __device__ __forceinline__ void clear(real limit) {
#pragma unroll
        for (int r = 0; r < PER_LANE; r++) kept[r] = {limit, NONE};
        worst = {limit, NONE};
    }

    // candidate is the same in all lanes, and comes before `worst`.
    __device__ __forceinline__ void insert(const neighbour &candidate) {
        int place = 0;
#pragma unroll
        for (int r = 0; r < PER_LANE; r++) place += __popc(__ballot_sync(ALL_LANES, before(kept[r], candidate)));
        neighbour last = candidate;   // of the 32 before
#pragma unroll
        for (int r = 0; r < PER_LANE; r++) {
            const int number = r * 32 + lane_number();
            neighbour moved = {__shfl_up_sync(ALL_LANES, kept[r].distance, 1),
                               __shfl_up_sync(ALL_LANES, kept[r].index, 1)};
            if (number % 32 == 0) moved = last;
            if (r + 1 < PER_LANE) last = from_lane(kept[r], 31);
            if (number >= place) kept[r] = number == place ? candidate : moved;
        }
        worst = from_lane(kept[PER_LANE - 1], (K - 1) % 32);
    }

    // A candidate in each lane; those that are none come after all others.
    __device__ __forceinline__ void merge(neighbour candidate) {
        sort_in_warp(candidate);
#pragma unroll
        for (int r = 0; r < PER_LANE; r++) {
            // The 32 first of both stay, the others go on to the next 32.
            const neighbour other = from_lane(candidate, 31 - lane_number());
            const bool is_first = before(other, kept[r]);
            candidate = is_first ? kept[r] : other;
            if (is_first) kept[r] = other;
            merge_in_warp(kept[r]);
            if (r + 1 < PER_LANE) merge_in_warp(candidate);
        }
        worst = from_lane(kept[PER_LANE - 1], (K - 1) % 32);
    }

    // All lanes' candidates are too far. NaN counts as infinite.
    __device__ __forceinline__ bool excludes(real distance) const {
        return !__any_sync(ALL_LANES, !(distance > worst.distance));
    }

    // One candidate from each lane that `has` one.
    __device__ __forceinline__ void offer(neighbour candidate, bool has) {
        candidate.distance = smaller(candidate.distance, infinity());
        has = has && before(candidate, worst);
        if constexpr (K == 1) {
            const neighbour first = first_in_warp(has ? candidate : neighbour{infinity(), NONE});
            if (before(first, worst)) kept[0] = worst = first;
        } else if constexpr (K <= FEW) {
            while (true) {
                const neighbour first = first_in_warp(has ? candidate : neighbour{infinity(), NONE});
                if (!before(first, worst)) break;
                insert(first);
                has = has && candidate.index != first.index;
            }
        } else {
            unsigned open = __ballot_sync(ALL_LANES, has);
            if (__popc(open) >= MANY) {
                merge(has ? candidate : neighbour{infinity(), NONE});
                open = 0;
            }
            while (open) {
                insert(from_lane(candidate, __ffs(open) - 1));
                open &= open - 1;
                open &= __ballot_sync(ALL_LANES, before(candidate, worst));
            }
        }
    }

    __device__ __forceinline__ void keep(neighbour *to) const {
#pragma unroll
        for (int r = 0; r < PER_LANE; r++) {
            const int number = r * 32 + lane_number();
            if (number < K) to[number] = kept[r];
        }
    }

    __device__ __forceinline__ void write(long long *indices, real *distances, unsigned long long query) const {
#pragma unroll
        for (int r = 0; r < PER_LANE; r++) {
            const int number = r * 32 + lane_number();
            if (number < K) write_neighbour(indices, distances, query * K + number, kept[r]);
        }
    }
};

#endif
