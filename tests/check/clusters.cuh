// Order between blocks of a cluster: its barrier, and mbarriers that others reach. A cluster has two blocks.
#pragma once
#include "phases.cuh"

#define CLUSTER_SYNC() asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory")

__device__ static unsigned rank_in_cluster() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
// Where a word of the block with that rank is, and what it has.
__device__ static unsigned address_at(const void *p, unsigned rank) {
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(p)), "r"(rank));
    return there;
}
#define LOAD_AT(value, address)                                                                                        \
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory")
#define STORE_AT(address, value)                                                                                       \
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory")

// The other block's words, before it is known to have written them.
template <bool Ordered> __global__ void cluster_read(int *out) {
    __shared__ int s[32];
    int value;
    s[threadIdx.x] = threadIdx.x;                   // cluster_read
    if (Ordered) CLUSTER_SYNC();
    LOAD_AT(value, address_at(&s[threadIdx.x], 1 - rank_in_cluster()));    // cluster_read
    CLUSTER_SYNC();
    out[blockIdx.x * 32 + threadIdx.x] = value;
}

// A barrier of the block is none of its cluster.
template <bool Ordered> __global__ void cluster_write(int *out) {
    __shared__ int s[32];
    s[threadIdx.x] = 0;
    CLUSTER_SYNC();
    STORE_AT(address_at(&s[threadIdx.x], 1 - rank_in_cluster()), threadIdx.x);    // cluster_write
    if (Ordered) CLUSTER_SYNC();
    else __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];                   // cluster_write
    CLUSTER_SYNC();
}

// Both blocks add to the first one's words.
template <bool Ordered> __global__ void cluster_sum(int *out) {
    __shared__ int s[32];
    s[threadIdx.x] = 0;
    CLUSTER_SYNC();
    const unsigned there = address_at(&s[threadIdx.x], 0);
    if (Ordered) {
        asm volatile("red.shared::cluster.add.u32 [%0], 1;" ::"r"(there) : "memory");
    } else {
        int value;
        LOAD_AT(value, there);                      // cluster_sum
        STORE_AT(there, value + 1);                 // cluster_sum
    }
    CLUSTER_SYNC();
    out[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];
}

// A word is written again while the other block may still read it.
template <bool Ordered> __global__ void cluster_over_read(int *out) {
    __shared__ int s[32];
    int value;
    s[threadIdx.x] = threadIdx.x;
    CLUSTER_SYNC();
    LOAD_AT(value, address_at(&s[threadIdx.x], 1 - rank_in_cluster()));    // cluster_over_read
    if (Ordered) CLUSTER_SYNC();
    s[threadIdx.x] = value + 1;                     // cluster_over_read
    CLUSTER_SYNC();
    out[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];
}

static void launch_cluster(const void *kernel) {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    void *args[] = {&data};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = dim3(4);
    config.blockDim = dim3(32);
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaLaunchKernelExC(&config, kernel, args);
}

#define RUN_CLUSTER(name)                                                                                              \
    (begin_case(), !is_wanted(#name) ? (void)0                                                                         \
                   : is_ordered      ? launch_cluster((const void *)name<true>)                                        \
                                     : launch_cluster((const void *)name<false>))

static void run_clusters() {
    RUN_CLUSTER(cluster_read);
    RUN_CLUSTER(cluster_write);
    RUN_CLUSTER(cluster_sum);
    RUN_CLUSTER(cluster_over_read);
}
