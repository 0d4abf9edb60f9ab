// Order in a block: of a thread's own program, of barriers that all threads reach, and of those that some warps reach.
#pragma once
#include "cases.cuh"

#define BAR_SYNC(barrier, threads) asm volatile("bar.sync " #barrier ", " #threads ";" ::: "memory")
#define BAR_ARRIVE(barrier, threads) asm volatile("bar.arrive " #barrier ", " #threads ";" ::: "memory")

// ---- program order: each thread has words of its own, or those of a thread of the other warp -----------------------

template <bool Ordered> __global__ void own_then_read(int *out) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = t;                                       // own_then_read
    out[t] = s[Ordered ? t : t ^ 32];               // own_then_read
}

template <bool Ordered> __global__ void own_then_write(int *out) {
    const int t = threadIdx.x;
    out[t] = out[t + 64] + 1;                       // own_then_write
    out[Ordered ? t : t ^ 32] = 2 * out[t + 128];   // own_then_write
}

template <bool Ordered> __global__ void own_after_read(int *out) {
    const int t = threadIdx.x;
    const int old = out[t];                         // own_after_read
    out[Ordered ? t : t ^ 32] = old + 1;            // own_after_read
}

// Bytes of one word, by threads of two warps: a race only where it is the same byte.
template <bool Ordered> __global__ void own_byte(int *out) {
    char *bytes = (char *)out;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    bytes[2 * lane + (Ordered ? warp : 0)] = warp;  // own_byte
}

// Four words at a time, and each alone.
template <bool Ordered> __global__ void own_vector(int *out) {
    __shared__ int4 s[64];
    const int t = threadIdx.x;
    s[t] = ((int4 *)out)[t];                        // own_vector
    out[512 + t] = ((int *)s)[Ordered ? 4 * t : t]; // own_vector
}

// ---- __syncthreads() -----------------------------------------------------------------------------------------------

template <bool Ordered> __global__ void barrier_read(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;                   // barrier_read
    if (Ordered) __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];         // barrier_read
}

template <bool Ordered> __global__ void barrier_write(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    const int other = s[63 - threadIdx.x];          // barrier_write
    if (Ordered) __syncthreads();
    s[threadIdx.x] = other;                         // barrier_write
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}

template <bool Ordered> __global__ void barrier_round(int *out) {
    __shared__ int s[64];
    int sum = 0;
    for (int round = 0; round < 3; round++) {
        s[threadIdx.x] = out[round];                // barrier_round
        __syncthreads();
        sum += s[63 - threadIdx.x];                 // barrier_round
        if (Ordered) __syncthreads();
    }
    out[64 + threadIdx.x] = sum;
}

template <bool Ordered> __global__ void barrier_global(int *out) {
    out[threadIdx.x] = threadIdx.x;                 // barrier_global
    if (Ordered) __syncthreads();
    out[64 + threadIdx.x] = out[63 - threadIdx.x];  // barrier_global
}

// A barrier that also counts is one too.
template <bool Ordered> __global__ void barrier_count(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;                   // barrier_count
    int n = 0;
    if (Ordered) n = __syncthreads_count(threadIdx.x > 7);
    out[threadIdx.x] = n + s[63 - threadIdx.x];     // barrier_count
}

// Barriers of one block say nothing to another.
template <bool Ordered> __global__ void barrier_of_one_block(int *out) {
    int *mine = out + (Ordered ? 64 * blockIdx.x : 0);
    mine[threadIdx.x] = blockIdx.x;                 // barrier_of_one_block
    __syncthreads();
}

// ---- barriers of some warps ----------------------------------------------------------------------------------------

template <bool Ordered> __global__ void named_pair(int *out) {
    __shared__ int s[96];
    if (threadIdx.x >= 64) return;
    s[threadIdx.x] = threadIdx.x;                   // named_pair
    if (Ordered) BAR_SYNC(1, 64);
    out[threadIdx.x] = s[63 - threadIdx.x];         // named_pair
}

// Two pairs of warps, a barrier each.
template <bool Ordered> __global__ void named_two_pairs(int *out) {
    __shared__ int s[128];
    const int pair = threadIdx.x / 64;
    s[threadIdx.x] = threadIdx.x;                   // named_two_pairs
    if (pair) BAR_SYNC(1, 64);
    else BAR_SYNC(2, 64);
    out[threadIdx.x] = s[(threadIdx.x + 32) % 64 + 64 * (Ordered ? pair : 1 - pair)];   // named_two_pairs
}

// Three warps read, and two of them meet the one that writes.
template <bool Ordered> __device__ void meet_writer(int warp) {
    if (Ordered) BAR_SYNC(1, 128);
    else if (warp) BAR_SYNC(1, 96);
}
template <bool Ordered> __global__ void readers_of_shared(int *out) {
    __shared__ int s;
    const int warp = threadIdx.x / 32;
    if (threadIdx.x == 0) s = 1;
    __syncthreads();
    if (warp < 3) out[threadIdx.x] = s;             // readers_of_shared
    meet_writer<Ordered>(warp);
    if (threadIdx.x == 96) s = 2;                   // readers_of_shared
}
template <bool Ordered> __global__ void readers_of_global(int *out) {
    const int warp = threadIdx.x / 32;
    if (warp < 3) out[1 + threadIdx.x] = out[0];    // readers_of_global
    meet_writer<Ordered>(warp);
    if (threadIdx.x == 96) out[0] = 2;              // readers_of_global
}

// The producer goes on; what it does then comes after nothing.
template <bool Ordered> __global__ void named_producer(int *out) {
    __shared__ int s[32];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        if (Ordered) s[lane] = lane;
        BAR_ARRIVE(1, 64);
        if (!Ordered) s[lane] = lane;               // named_producer
    } else {
        BAR_SYNC(1, 64);
        out[lane] = s[31 - lane];                   // named_producer
    }
}

template <bool Ordered> __global__ void named_for_all(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;                   // named_for_all
    if (Ordered) BAR_SYNC(5, 64);
    out[threadIdx.x] = s[63 - threadIdx.x];         // named_for_all
}

// A word that a whole warp has read may be written again when that warp has come to the barrier. Those who meet need
// not do so at one place of the source.
template <bool Ordered> __global__ void named_back(int *out) {
    const int lane = threadIdx.x % 32;
    __threadfence_block();
    if (threadIdx.x < 32) {
        out[64 + lane] = out[0];                    // named_back
        if (Ordered) BAR_SYNC(2, 64);
    } else if (threadIdx.x < 64) {
        if (Ordered) BAR_SYNC(2, 64);
        if (lane == 0) out[0] = 7;                  // named_back
    }
}

template <bool Ordered> __global__ void named_back_all(int *out) {
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        out[64 + lane] = out[0];                    // named_back_all
        if (Ordered) BAR_SYNC(2, 64);
    } else {
        if (Ordered) BAR_SYNC(2, 64);
        if (lane == 0) out[0] = 7;                  // named_back_all
    }
}

// ---- barriers that do not fit together -----------------------------------------------------------------------------

template <bool Ordered> __global__ void barrier_elsewhere(int *out) {
    if (Ordered || threadIdx.x < 32) __syncthreads();    // barrier_elsewhere
    else {
        out[threadIdx.x] = 1;
        __syncthreads();                            // barrier_elsewhere
    }
}

// Lanes of one warp part, and each half has a barrier of its own.
template <bool Ordered> __global__ void barrier_of_halves(int *out) {
    if (Ordered || threadIdx.x % 2) {
        out[threadIdx.x] = 1;
        __syncthreads();                            // barrier_of_halves
    } else {
        out[threadIdx.x] = 2;
        __syncthreads();                            // barrier_of_halves
    }
}

// One warp goes round once more: its last barrier in the loop meets the others' behind it.
template <bool Ordered> __global__ void barrier_of_rounds(int *out) {
    const int rounds = Ordered || threadIdx.x < 32 ? 2 : 1;
    for (int i = 0; i < rounds; i++) {
        out[threadIdx.x] += i;
        __syncthreads();                            // barrier_of_rounds
    }
    out[threadIdx.x] *= 2;
    __syncthreads();                                // barrier_of_rounds
}

// Each round fewer lanes come to the barrier; the others go on behind the branch, to their end.
template <bool Ordered> __global__ void barrier_in_branch(int *out) {
    const int t = threadIdx.x;
    for (int step = 16; step > 4; step /= 2) {
        if (Ordered) __syncthreads();
        else if (t < step) __syncthreads();         // barrier_in_branch
        out[t] += step;
    }
}

// Who has nothing to do may leave before the others' barriers.
template <bool Ordered> __global__ void barrier_after_exit(int *out) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    if (t > 40) return;
    s[t] = t;                                       // barrier_after_exit
    if (Ordered) __syncthreads();
    out[t] = s[40 - t];                             // barrier_after_exit
}

// A function that not all threads call brings a barrier with it.
template <bool Ordered> __device__ __noinline__ int sum_of_all(int value) {
    return __syncthreads_count(value);              // barrier_in_function
}
template <bool Ordered> __global__ void barrier_in_function(int *out) {
    int many = 0;
    if (Ordered || threadIdx.x < 32) many = sum_of_all<Ordered>(threadIdx.x & 1);
    else __syncthreads();                           // barrier_in_function
    out[threadIdx.x] = many;
}

static void run_blocks() {
    RUN(own_then_read, 1, 64);
    RUN(own_then_write, 1, 64);
    RUN(own_after_read, 1, 64);
    RUN(own_byte, 1, 64);
    RUN(own_vector, 1, 64);
    RUN(barrier_read, 1, 64);
    RUN(barrier_write, 1, 64);
    RUN(barrier_round, 1, 64);
    RUN(barrier_global, 1, 64);
    RUN(barrier_count, 1, 64);
    RUN(barrier_of_one_block, 2, 64);
    RUN(named_pair, 1, 96);
    RUN(named_two_pairs, 1, 128);
    RUN(readers_of_shared, 1, 128);
    RUN(readers_of_global, 1, 128);
    RUN(named_producer, 1, 64);
    RUN(named_for_all, 1, 64);
    RUN(named_back, 1, 96);
    RUN(named_back_all, 1, 64);
    RUN(barrier_elsewhere, 1, 64);
    RUN(barrier_of_halves, 1, 64);
    RUN(barrier_of_rounds, 1, 64);
    RUN(barrier_in_function, 1, 64);
    RUN(barrier_in_branch, 1, 64);
    RUN(barrier_after_exit, 1, 64);
}
