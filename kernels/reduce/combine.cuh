// States of several threads put together, always in the same order: within groups of lanes, a block, a grid.
#pragma once

#include "reduce/fold.cuh"

// The state of the lane whose number differs in `bit`. All lanes of the warp take part.
template <typename state> __device__ __forceinline__ state other_lane(const state &mine, int bit) {
    union pieces {
        state whole;
        unsigned words[sizeof(state) / 4];
        __device__ pieces() {}
    } from, to;
    from.whole = mine;
#pragma unroll
    for (int i = 0; i < (int)(sizeof(state) / 4); i++) to.words[i] = __shfl_xor_sync(0xffffffff, from.words[i], bit);
    return to.whole;
}

// Over groups of `lanes` neighbours (a power of two up to 32): all of them get the result.
template <typename fold, int lanes>
__device__ __forceinline__ typename fold::state over_lanes(typename fold::state s) {
#pragma unroll
    for (int bit = lanes / 2; bit; bit /= 2) {
        const typename fold::state other = other_lane(s, bit);
        s = threadIdx.x & bit ? fold::both(other, s) : fold::both(s, other);
    }
    return s;
}

// Over the block, of `threads` (a multiple of 32): thread 0 gets the result. Begins with a barrier, so that it can be
// used again at once.
template <typename fold, int threads>
__device__ __forceinline__ typename fold::state over_block(typename fold::state s) {
    typedef typename fold::state state;
    const int warps = threads / 32;
    __shared__ __align__(16) char memory[warps * sizeof(state)];
    state *of_warps = (state *)memory;
    s = over_lanes<fold, 32>(s);
    if (warps == 1) return s;
    __syncthreads();
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x < 32) {
        s = threadIdx.x < warps ? of_warps[threadIdx.x] : fold::none();
        s = over_lanes<fold, (warps > 16 ? 32 : warps > 8 ? 16 : warps > 4 ? 8 : warps > 2 ? 4 : 2)>(s);
    }
    return s;
}

template <typename fold> __device__ __forceinline__ typename fold::state over_states(typename fold::state *s) {
#pragma unroll
    for (int step = STATES / 2; step; step /= 2)
#pragma unroll
        for (int i = 0; i < step; i++) s[i] = fold::both(s[i], s[i + step]);
    return s[0];
}

// Has every block of `blocks` come here? The last one is told so, and sees what the others wrote before; the counter
// wraps to 0, which makes it ready for the next launch. All threads call it; thread 0 speaks for what the block wrote.
__device__ __forceinline__ bool is_last_block(unsigned *counter, unsigned blocks) {
    __shared__ bool is_last;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicInc(counter, blocks - 1) == blocks - 1;
        __threadfence();
    }
    __syncthreads();
    return is_last;
}
