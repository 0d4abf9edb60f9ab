// Phases of mbarriers: what was done before an arrival is known to those who have waited for its phase.
#pragma once
#include "cases.cuh"

__device__ static unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ static void phase_init(unsigned long long *barrier, int arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}
__device__ static void phase_arrive(unsigned long long *barrier) {
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(shared_address(barrier))
                 : "memory");
}
__device__ static void phase_wait(unsigned long long *barrier, int parity) {
    asm volatile("{ .reg .pred done; AGAIN: mbarrier.test_wait.parity.shared.b64 done, [%0], %1; @!done bra AGAIN; }"
                 ::"r"(shared_address(barrier)), "r"(parity) : "memory");
}

// The barrier of each case: one phase after another, that `arrivals` threads of the block complete.
#define PHASES(arrivals)                                                                                               \
    __shared__ unsigned long long barrier;                                                                             \
    if (threadIdx.x == 0) phase_init(&barrier, arrivals);                                                              \
    __syncthreads()

// Arriving is not waiting.
template <bool Ordered> __global__ void phase_not_waited(int *out) {
    __shared__ int s[64];
    PHASES(64);
    s[threadIdx.x] = threadIdx.x;                   // phase_not_waited
    phase_arrive(&barrier);
    if (Ordered) phase_wait(&barrier, 0);
    out[threadIdx.x] = s[63 - threadIdx.x];         // phase_not_waited
}

// A barrier that is waited for, and another one that is arrived at.
template <bool Ordered> __global__ void phase_of_other(int *out) {
    __shared__ int s[64];
    __shared__ unsigned long long other;
    if (threadIdx.x == 0) phase_init(&other, 64);
    PHASES(64);
    phase_arrive(&other);
    phase_wait(&other, 0);
    s[threadIdx.x] = threadIdx.x;                   // phase_of_other
    phase_arrive(&barrier);
    phase_wait(Ordered ? &barrier : &other, 0);
    out[threadIdx.x] = s[63 - threadIdx.x];         // phase_of_other
}

// Written behind the arrival that was to tell of it.
template <bool Ordered> __global__ void phase_too_early(int *out) {
    __shared__ int s[32];
    PHASES(32);
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        if (Ordered) s[lane] = lane;
        phase_arrive(&barrier);
        if (!Ordered) s[lane] = lane;               // phase_too_early
    } else {
        phase_wait(&barrier, 0);
        out[lane] = s[31 - lane];                   // phase_too_early
    }
}

// A buffer is filled again while others read it: they would have to say that they have done so.
template <bool Ordered> __global__ void phase_over_read(int *out) {
    __shared__ int s[32];
    __shared__ unsigned long long refilled;
    if (threadIdx.x == 0) phase_init(&refilled, 32);
    if (threadIdx.x < 32) s[threadIdx.x] = 0;
    PHASES(Ordered ? 64 : 32);
    const int lane = threadIdx.x % 32;
    if (threadIdx.x >= 32) {
        out[lane] = s[31 - lane];                   // phase_over_read
        if (Ordered) phase_arrive(&barrier);
        phase_wait(&refilled, 0);
        out[32 + lane] = s[31 - lane];
    } else {
        phase_arrive(&barrier);
        phase_wait(&barrier, 0);
        s[lane] = lane;                             // phase_over_read
        phase_arrive(&refilled);
    }
}

static void run_phases() {
    RUN(phase_not_waited, 1, 64);
    RUN(phase_of_other, 1, 64);
    RUN(phase_too_early, 1, 64);
    RUN(phase_over_read, 1, 64);
}
