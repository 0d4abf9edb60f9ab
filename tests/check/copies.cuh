// Asynchronous copies into shared memory: their bytes are there for who has waited, and for others behind a barrier.
#pragma once
#include "cases.cuh"

// As macros, so that the copy's line is the kernel's.
#define COPY_4(to, from)                                                                                               \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"                                                           \
                 :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory")
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT_GROUPS(spared) asm volatile("cp.async.wait_group %0;" :: "n"(spared) : "memory")
#define WAIT_ALL() asm volatile("cp.async.wait_all;" ::: "memory")

template <bool Ordered> __global__ void copy_own(int *out) {
    __shared__ int s[64];
    COPY_4(&s[threadIdx.x], &out[threadIdx.x]);     // copy_own
    if (Ordered) WAIT_ALL();
    out[64 + threadIdx.x] = s[threadIdx.x];         // copy_own
}

template <bool Ordered> __global__ void copy_others(int *out) {
    __shared__ int s[64];
    COPY_4(&s[threadIdx.x], &out[threadIdx.x]);     // copy_others
    WAIT_ALL();
    if (Ordered) __syncthreads();
    out[64 + threadIdx.x] = s[63 - threadIdx.x];    // copy_others
}

// A barrier does not wait for copies.
template <bool Ordered> __global__ void copy_barrier(int *out) {
    __shared__ int s[64];
    COPY_4(&s[threadIdx.x], &out[threadIdx.x]);     // copy_barrier
    if (Ordered) WAIT_ALL();
    __syncthreads();
    out[64 + threadIdx.x] = s[63 - threadIdx.x];    // copy_barrier
}

template <bool Ordered> __global__ void copy_groups(int *out) {
    __shared__ int s[2][32];
    COPY_4(&s[0][threadIdx.x], &out[threadIdx.x]);
    COMMIT();
    COPY_4(&s[1][threadIdx.x], &out[32 + threadIdx.x]);    // copy_groups
    COMMIT();
    WAIT_GROUPS(1);
    out[64 + threadIdx.x] = s[0][threadIdx.x];
    if (Ordered) WAIT_GROUPS(0);
    out[96 + threadIdx.x] = s[1][threadIdx.x];      // copy_groups
}

template <bool Ordered> __global__ void copy_over_read(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[64 + threadIdx.x] = s[63 - threadIdx.x];    // copy_over_read
    if (Ordered) __syncthreads();
    COPY_4(&s[threadIdx.x], &out[threadIdx.x]);     // copy_over_read
    WAIT_ALL();
    __syncthreads();
    out[128 + threadIdx.x] = s[threadIdx.x];
}

// Two copies into one place: which of them stays, nothing says.
template <bool Ordered> __global__ void copy_over_copy(int *out) {
    __shared__ int s[32];
    COPY_4(&s[threadIdx.x], &out[threadIdx.x]);     // copy_over_copy
    if (Ordered) WAIT_ALL();
    COPY_4(&s[threadIdx.x], &out[32 + threadIdx.x]);    // copy_over_copy
    WAIT_ALL();
    out[64 + threadIdx.x] = s[threadIdx.x];
}

static void run_copies() {
    RUN(copy_own, 1, 64);
    RUN(copy_others, 1, 64);
    RUN(copy_barrier, 1, 64);
    RUN(copy_groups, 1, 32);
    RUN(copy_over_read, 1, 64);
    RUN(copy_over_copy, 1, 32);
}
