// Copies of rows of memory, cp.async.bulk: waited for at an mbarrier or by groups; and the fence before them. Thread 0
// copies, of blocks of 64.
#pragma once
#include "clusters.cuh"

enum { ROW = 256 };
// As macros, so that the copy's line is the kernel's.
#define COPY_ROW_IN(to, from, bar)                                                                                     \
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%3], %2;"                                              \
                 " cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"            \
                 ::"r"(shared_address(to)), "l"(from), "r"((int)ROW), "r"(shared_address(bar)) : "memory")
#define COPY_ROW_OUT(to, from)                                                                                         \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; cp.async.bulk.commit_group;"             \
                 ::"l"(to), "r"(shared_address(from)), "r"((int)ROW) : "memory")
#define COPY_ROW_ACROSS(to, from, bar)                                                                                 \
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"        \
                 ::"r"(to), "r"(shared_address(from)), "r"((int)ROW), "r"(bar) : "memory")
#define FENCE_PROXY() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define WAIT_ROWS() asm volatile("cp.async.bulk.wait_group 0;" ::: "memory")
#define WAIT_ROWS_READ() asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory")

// A barrier of the block does not wait for it.
template <bool Ordered> __global__ void row_not_asked(int *out) {
    __shared__ __align__(16) int s[64];
    PHASES(1);
    if (threadIdx.x == 0) COPY_ROW_IN(s, out, &barrier);    // row_not_asked
    if (Ordered) phase_wait(&barrier, 0);
    __syncthreads();
    out[64 + threadIdx.x] = s[threadIdx.x];             // row_not_asked
    phase_wait(&barrier, 0);
}

// The next row is asked for while others still read the last one.
template <bool Ordered> __global__ void row_over_read(int *out) {
    __shared__ __align__(16) int s[64];
    __shared__ unsigned long long second;
    if (threadIdx.x == 0) phase_init(&second, 1);
    PHASES(1);
    if (threadIdx.x == 0) COPY_ROW_IN(s, out, &barrier);
    phase_wait(&barrier, 0);
    out[128 + threadIdx.x] = s[63 - threadIdx.x];       // row_over_read
    if (Ordered) __syncthreads();
    if (threadIdx.x == 0) COPY_ROW_IN(s, out + 64, &second);    // row_over_read
    phase_wait(&second, 0);
    out[192 + threadIdx.x] = s[63 - threadIdx.x];
}

// What copies see of memory is another way than that of ordinary writes.
template <bool Ordered> __global__ void row_no_fence(int *out) {
    __shared__ __align__(16) int s[64];
    s[threadIdx.x] = threadIdx.x;                       // row_no_fence
    if (Ordered) FENCE_PROXY();
    __syncthreads();
    if (threadIdx.x == 0) COPY_ROW_OUT(out, s);         // row_no_fence
    if (threadIdx.x == 0) WAIT_ROWS();
}

template <bool Ordered> __global__ void row_written_again(int *out) {
    __shared__ __align__(16) int s[64];
    for (int round = 0; round < 2; round++) {
        s[threadIdx.x] = round + threadIdx.x;           // row_written_again
        FENCE_PROXY();
        __syncthreads();
        if (threadIdx.x == 0) COPY_ROW_OUT(out + 64 * round, s);    // row_written_again
        if (threadIdx.x == 0 && Ordered) WAIT_ROWS_READ();
        __syncthreads();
    }
}

// That the source has been read says nothing of where it goes.
template <bool Ordered> __global__ void row_out_read(int *out) {
    __shared__ __align__(16) int s[64];
    s[threadIdx.x] = threadIdx.x;
    FENCE_PROXY();
    __syncthreads();
    if (threadIdx.x == 0) COPY_ROW_OUT(out, s);         // row_out_read
    if (threadIdx.x == 0 && Ordered) WAIT_ROWS();
    else if (threadIdx.x == 0) WAIT_ROWS_READ();
    __syncthreads();
    out[64 + threadIdx.x] = out[threadIdx.x];           // row_out_read
}

// From each block of a cluster into the other one's memory, which asks its own mbarrier.
template <bool Ordered> __global__ void row_across(int *out) {
    __shared__ __align__(16) int s[64], there[64];
    s[threadIdx.x] = s[32 + threadIdx.x] = threadIdx.x;
    FENCE_PROXY();
    PHASES(1);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)),
                     "r"((int)ROW) : "memory");
    CLUSTER_SYNC();
    const unsigned to = address_at(there, 1 - rank_in_cluster()), its = address_at(&barrier, 1 - rank_in_cluster());
    if (threadIdx.x == 0) COPY_ROW_ACROSS(to, s, its);  // row_across
    if (Ordered) phase_wait(&barrier, 0);
    out[blockIdx.x * 32 + threadIdx.x] = there[threadIdx.x];    // row_across
    phase_wait(&barrier, 0);
    CLUSTER_SYNC();
}

// What has no place is not copied, and whoever waits for it goes on.
template <bool Ordered> __global__ void row_past_end(int *out) {
    __shared__ __align__(16) int s[64];
    PHASES(1);
    if (threadIdx.x == 0) COPY_ROW_IN(s, out + (Ordered ? 0 : 1 << 28), &barrier);    // row_past_end
    phase_wait(&barrier, 0);
}

static void run_rows() {
    RUN(row_past_end, 1, 64);
    RUN(row_not_asked, 1, 64);
    RUN(row_over_read, 1, 64);
    RUN(row_no_fence, 1, 64);
    RUN(row_written_again, 1, 64);
    RUN(row_out_read, 1, 64);
    RUN_CLUSTER(row_across);
}
