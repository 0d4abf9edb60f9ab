// Order in a warp. Since compute capability 7.0 its lanes have none of themselves.
#pragma once
#include "cases.cuh"

enum { ALL_LANES = 0xffffffff };

template <bool Ordered> __global__ void lanes_read(int *out) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;                   // lanes_read
    if (Ordered) __syncwarp();
    out[threadIdx.x] = s[31 - threadIdx.x];         // lanes_read
}

template <bool Ordered> __global__ void lanes_write(int *out) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    __syncwarp();
    const int other = s[31 - threadIdx.x];          // lanes_write
    if (Ordered) __syncwarp();
    s[threadIdx.x] = other;                         // lanes_write
    __syncwarp();
    out[threadIdx.x] = s[threadIdx.x];
}

// Each half of the warp meets for itself.
template <bool Ordered> __global__ void lanes_of_mask(int *out) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;                   // lanes_of_mask
    __syncwarp(threadIdx.x < 16 ? 0xffff : 0xffff0000);
    out[threadIdx.x] = s[threadIdx.x ^ (Ordered ? 1 : 16)];   // lanes_of_mask
}

template <bool Ordered> __global__ void lanes_shuffle(int *out) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;                   // lanes_shuffle
    const int got = Ordered ? __shfl_xor_sync(ALL_LANES, threadIdx.x, 1) : 0;
    out[threadIdx.x] = got + s[threadIdx.x ^ 1];    // lanes_shuffle
}

template <bool Ordered> __global__ void lanes_vote(int *out) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;                   // lanes_vote
    const int got = Ordered ? __ballot_sync(ALL_LANES, out[threadIdx.x] > 3) : 0;
    out[threadIdx.x] = got + s[threadIdx.x ^ 1];    // lanes_vote
}

template <bool Ordered> __global__ void lanes_global(int *out) {
    if (threadIdx.x == 7) out[32] = 5;              // lanes_global
    if (Ordered) __syncwarp();
    out[threadIdx.x] = out[32];                     // lanes_global
}

// The neighbour's word is read first, one's own last: the write has to wait for the neighbour all the same.
template <bool Ordered> __global__ void lanes_stencil(int *out) {
    __shared__ int s[33];
    s[threadIdx.x + 1] = threadIdx.x;
    if (threadIdx.x == 0) s[0] = 0;
    __syncwarp();
    const int before = s[threadIdx.x];              // lanes_stencil
    const int own = s[threadIdx.x + 1];
    if (Ordered) __syncwarp();
    s[threadIdx.x + 1] = before + own;              // lanes_stencil
    __syncwarp();
    out[threadIdx.x] = s[threadIdx.x + 1];
}

// Four lanes write the bytes of a word that the first of them reads.
template <bool Ordered> __global__ void lanes_of_bytes(int *out) {
    __shared__ __align__(4) char s[32];
    const int first = threadIdx.x / 4 * 4;
    s[threadIdx.x] = threadIdx.x;                   // lanes_of_bytes
    if (Ordered) __syncwarp(0xfu << first);
    if (threadIdx.x == first) out[first] = *(int *)&s[first];   // lanes_of_bytes
}

// Four lanes read one word, which the first of them then changes.
template <bool Ordered> __global__ void lanes_of_word(int *out) {
    __shared__ int s[8];
    const int group = threadIdx.x / 4, first = 4 * group;
    if (threadIdx.x < 8) s[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = s[group];                    // lanes_of_word
    if (Ordered) __syncwarp(0xfu << first);
    if (threadIdx.x == first) s[group] = out[64];   // lanes_of_word
    __syncwarp();
    out[32 + threadIdx.x] = s[group];
}

// Lanes that go different ways, and meet only where they are told to.
template <bool Ordered> __global__ void lanes_branch(int *out) {
    __shared__ int s[16];
    const int lane = threadIdx.x % 16;
    if (threadIdx.x < 16) s[lane] = lane;           // lanes_branch
    if (Ordered) __syncwarp();
    if (threadIdx.x >= 16) out[lane] = s[lane];     // lanes_branch
}

// Lanes that the mask does not name.
template <bool Ordered> __global__ void stranger_shuffle(int *out) {
    const unsigned half = threadIdx.x < 16 ? 0xffff : 0xffff0000;
    out[threadIdx.x] = __shfl_xor_sync(Ordered ? half : 0xffff, threadIdx.x, 1); // stranger_shuffle
}

template <bool Ordered> __global__ void stranger_vote(int *out) {
    if (threadIdx.x >= 8) return;
    out[threadIdx.x] = __ballot_sync(Ordered ? 0xff : 0x7f, threadIdx.x & 1); // stranger_vote
}

template <bool Ordered> __global__ void stranger_meets(int *out) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    __syncwarp(Ordered ? ALL_LANES : ALL_LANES << 1); // stranger_meets
    if (threadIdx.x > 1) out[threadIdx.x] = s[threadIdx.x - 1];
}

template <bool Ordered> __global__ void stranger_match(int *out) {
    const unsigned own = Ordered ? 1u << threadIdx.x : 1;
    out[threadIdx.x] = __match_any_sync(own, out[threadIdx.x]); // stranger_match
}

static void run_warps() {
    RUN(stranger_shuffle, 1, 32);
    RUN(stranger_vote, 1, 32);
    RUN(stranger_meets, 1, 32);
    RUN(stranger_match, 1, 32);
    RUN(lanes_read, 1, 32);
    RUN(lanes_write, 1, 32);
    RUN(lanes_of_mask, 1, 32);
    RUN(lanes_shuffle, 1, 32);
    RUN(lanes_vote, 1, 32);
    RUN(lanes_global, 1, 32);
    RUN(lanes_stencil, 1, 32);
    RUN(lanes_of_bytes, 1, 32);
    RUN(lanes_of_word, 1, 32);
    RUN(lanes_branch, 1, 32);
}
