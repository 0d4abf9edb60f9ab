// All blocks of a cooperative launch wait for each other, and sort together.
#ifndef HALFWARP_NEAREST_TOGETHER_CUH
#define HALFWARP_NEAREST_TOGETHER_CUH

#include "nearest/point.cuh"

#ifndef THREADS
#define THREADS 512
#endif
constexpr unsigned WARPS = THREADS / 32;

// What a block wrote before, every block sees behind.
__device__ __forceinline__ void wait_for_all(findings *found) {
    __syncthreads();
    if (threadIdx.x == 0) {
        volatile unsigned *generation = &found->generation;
        const unsigned now = *generation;
        __threadfence();
        if (atomicAdd(&found->arrived, 1u) == gridDim.x - 1) {
            *(volatile unsigned *)&found->arrived = 0;
            __threadfence();
            *generation = now + 1;
        } else {
            while (*generation == now) {
            }
        }
        __threadfence();
    }
    __syncthreads();
}

// ---- Radix sort -----------------------------------------------------------------------------------------------------
//
// Digits of 8 bits, the lowest first. Each block has a run of neighbouring tiles of the keys. It counts its digits; the
// counts of all blocks are summed up, digit by digit; then it knows where its first key of each digit goes, and moves
// its tiles one after the other. Keys with equal digits stay in order: within a warp by a vote, within the block by a
// sum over its warps.

constexpr unsigned DIGITS = 256, ITEMS = 8, SORT_TILE = THREADS * ITEMS;

struct sort_buffers {
    unsigned long long *keys[2];
    unsigned *values[2];
    unsigned *counts;   // two times (blocks + 1) * DIGITS
};

struct sort_shared {
    unsigned of_warp[WARPS][DIGITS];
    unsigned next[DIGITS];   // where the block's next key of this digit goes
    unsigned sums[DIGITS / 32];
};

__device__ __forceinline__ unsigned digit_of(unsigned long long key, unsigned shift) {
    return (unsigned)(key >> shift) & (DIGITS - 1);
}

__device__ __forceinline__ void count_digits(const unsigned long long *keys, unsigned begin, unsigned end,
                                             unsigned shift, unsigned *counts, sort_shared &shared) {
    for (unsigned d = threadIdx.x; d < DIGITS; d += THREADS) shared.next[d] = 0;
    __syncthreads();
    for (unsigned i = begin + threadIdx.x; i < end; i += THREADS) atomicAdd(&shared.next[digit_of(keys[i], shift)], 1u);
    __syncthreads();
    for (unsigned d = threadIdx.x; d < DIGITS; d += THREADS) counts[d * gridDim.x + blockIdx.x] = shared.next[d];
}

// For each digit the sums over the blocks before; the total behind all rows. A warp has a digit.
__device__ __forceinline__ void sum_over_blocks(unsigned *counts) {
    const unsigned lane = threadIdx.x % 32;
    for (unsigned d = blockIdx.x * WARPS + threadIdx.x / 32; d < DIGITS; d += gridDim.x * WARPS) {
        unsigned *row = counts + d * gridDim.x, before = 0;
        for (unsigned i = lane; i - lane < gridDim.x; i += 32) {
            const unsigned own = i < gridDim.x ? row[i] : 0;
            unsigned sum = own;
#pragma unroll
            for (int step = 1; step < 32; step *= 2) {
                const unsigned other = __shfl_up_sync(ALL_LANES, sum, step);
                if (lane >= step) sum += other;
            }
            if (i < gridDim.x) row[i] = before + sum - own;
            before += __shfl_sync(ALL_LANES, sum, 31);
        }
        if (lane == 0) counts[DIGITS * gridDim.x + d] = before;
    }
}

// shared.next: where the block's first key of each digit goes. False, for all blocks: all keys have the same digit.
__device__ __forceinline__ bool find_places(const unsigned *counts, unsigned count, sort_shared &shared) {
    const unsigned d = threadIdx.x, lane = d % 32;
    unsigned own = 0, sum = 0;
    if (d < DIGITS) {
        sum = own = counts[DIGITS * gridDim.x + d];
#pragma unroll
        for (int step = 1; step < 32; step *= 2) {
            const unsigned other = __shfl_up_sync(ALL_LANES, sum, step);
            if (lane >= step) sum += other;
        }
        if (lane == 31) shared.sums[d / 32] = sum;
    }
    if (__syncthreads_or(d < DIGITS && own == count)) return false;
    if (d < DIGITS) {
        for (unsigned w = 0; w < d / 32; w++) sum += shared.sums[w];
        shared.next[d] = sum - own + counts[d * gridDim.x + blockIdx.x];
    }
    return true;
}

// The lanes of the warp with the same digit; digits of 9 bits.
__device__ __forceinline__ unsigned lanes_with(unsigned digit) {
    unsigned same = ALL_LANES;
#pragma unroll
    for (int bit = 0; bit < 9; bit++) {
        const bool is_set = digit >> bit & 1;
        const unsigned set = __ballot_sync(ALL_LANES, is_set);
        same &= is_set ? set : ~set;
    }
    return same;
}

__device__ __forceinline__ void move_tile(const sort_buffers &sort, unsigned from, unsigned first, unsigned end,
                                          unsigned shift, sort_shared &shared) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, begin = first + warp * 32 * ITEMS + lane;
    unsigned long long key[ITEMS];
    unsigned value[ITEMS], rank[ITEMS];
    __syncthreads();
    for (unsigned d = threadIdx.x; d < WARPS * DIGITS; d += THREADS) shared.of_warp[d / DIGITS][d % DIGITS] = 0;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const unsigned at = begin + i * 32;
        if (at < end) key[i] = sort.keys[from][at];
        if (at < end) value[i] = sort.values[from][at];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const bool is_there = begin + i * 32 < end;
        const unsigned digit = is_there ? digit_of(key[i], shift) : DIGITS, same = lanes_with(digit);
        if (is_there) rank[i] = shared.of_warp[warp][digit] + __popc(same & ((1u << lane) - 1));
        __syncwarp();
        if (is_there && lane == __ffs(same) - 1) shared.of_warp[warp][digit] += __popc(same);
        __syncwarp();
    }
    __syncthreads();
    for (unsigned d = threadIdx.x; d < DIGITS; d += THREADS) {
        unsigned place = shared.next[d];
#pragma unroll
        for (unsigned w = 0; w < WARPS; w++) {
            const unsigned count = shared.of_warp[w][d];
            shared.of_warp[w][d] = place;
            place += count;
        }
        shared.next[d] = place;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        if (begin + i * 32 >= end) continue;
        const unsigned place = shared.of_warp[warp][digit_of(key[i], shift)] + rank[i];
        sort.keys[from ^ 1][place] = key[i];
        sort.values[from ^ 1][place] = value[i];
    }
}

// Sorts the first `count` of the buffers `from` by their lowest bits, equal ones in order. Returns in which buffers
// they are then; all blocks have waited for each other.
__device__ unsigned sort_together(findings *found, const sort_buffers &sort, unsigned from, unsigned count,
                                  unsigned bits, sort_shared &shared) {
    const unsigned tiles = (count + SORT_TILE - 1) / SORT_TILE;
    const unsigned per_block = (tiles + gridDim.x - 1) / gridDim.x * SORT_TILE;
    const unsigned begin = min(count, blockIdx.x * per_block), end = begin + min(per_block, count - begin);
    unsigned half = 0;   // of the counts: one is written while blocks that are behind still read the other
    for (unsigned shift = 0; shift < bits; shift += 8, half ^= 1) {
        unsigned *counts = sort.counts + half * (gridDim.x + 1) * DIGITS;
        count_digits(sort.keys[from], begin, end, shift, counts, shared);
        wait_for_all(found);
        sum_over_blocks(counts);
        wait_for_all(found);
        if (!find_places(counts, count, shared)) continue;
        for (unsigned first = begin; first < end; first += SORT_TILE) move_tile(sort, from, first, end, shift, shared);
        wait_for_all(found);
        from ^= 1;
    }
    return from;
}

#endif
