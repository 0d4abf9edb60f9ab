// Threads that do not come to an end: `stuck CASE` has the hazard of the case, `stuck CASE clean` has none. Lines that
// are marked with the case's name are where its threads stand.
#include <cstdio>
#include <cstring>

#define BAR_SYNC(barrier, threads) asm volatile("bar.sync " #barrier ", " #threads ";" ::: "memory")
enum { ALL_LANES = 0xffffffff };

// ---- for ever -------------------------------------------------------------------------------------------------------

// A barrier for more threads than come.
template <bool Ordered> __global__ void too_few(int *out) {
    out[threadIdx.x] = 0;
    if (Ordered) BAR_SYNC(1, 64);
    else BAR_SYNC(1, 96);                           // too_few
    out[threadIdx.x] = 1;
}

// Two warps go to two barriers in two orders.
template <bool Ordered> __global__ void crossed(int *out) {
    if (threadIdx.x < 32) {
        BAR_SYNC(1, 64);                            // crossed
        BAR_SYNC(2, 64);
    } else if (Ordered) {
        BAR_SYNC(1, 64);
        BAR_SYNC(2, 64);
    } else {
        BAR_SYNC(2, 64);                            // crossed
        BAR_SYNC(1, 64);
    }
    out[threadIdx.x] = 1;
}

// Half of a warp waits for the other half by name, and that one for the block.
template <bool Ordered> __global__ void half_warp(int *out) {
    if (threadIdx.x % 32 < 16) __syncwarp(Ordered ? 0xffff : ALL_LANES); // half_warp
    __syncthreads();                                // half_warp
    out[threadIdx.x] = 1;
}

template <bool Ordered> __global__ void shuffle_in_branch(int *out) {
    int value = threadIdx.x;
    if (Ordered || threadIdx.x % 32 < 8)
        value = __shfl_sync(ALL_LANES, value, 0);   // shuffle_in_branch
    __syncthreads();                                // shuffle_in_branch
    out[threadIdx.x] = value;
}

// ---- going round ----------------------------------------------------------------------------------------------------

// A flag that nobody sets.
template <bool Ordered> __global__ void no_flag(int *out) {
    volatile int *flag = out + 128;
    if (threadIdx.x == 32 && Ordered) *flag = 1;
    if (threadIdx.x < 32)
        while (!*flag) {}                           // no_flag
    out[threadIdx.x] = 1;
}

// A lock that whoever has it does not give back.
template <bool Ordered> __global__ void kept_lock(int *out) {
    if (threadIdx.x % 32) return;
    while (atomicCAS(out + 128, 0, 1)) {}           // kept_lock
    out[threadIdx.x] = 1;
    __threadfence();
    if (Ordered) atomicExch(out + 128, 0);
}

// A barrier of the grid, of which one block knows nothing.
template <bool Ordered> __global__ void grid_of_some(int *out) {
    if (!Ordered && blockIdx.x == 1) return;
    if (threadIdx.x == 0) {
        atomicAdd(out + 128, 1);
        while (atomicAdd(out + 128, 0) < gridDim.x) {} // grid_of_some
    }
    __syncthreads();                                // grid_of_some
    if (threadIdx.x == 0) out[blockIdx.x] = 1;
}

// Two blocks, each of which waits for the other before it says that it is there.
template <bool Ordered> __global__ void both_wait(int *out) {
    volatile int *flags = out + 128;
    if (Ordered) flags[blockIdx.x] = 1;
    while (!flags[1 - blockIdx.x]) {}               // both_wait
    flags[blockIdx.x] = 1;
}

// ---------------------------------------------------------------------------------------------------------------------

#define CASE(name, grid, block)                                                                                        \
    if (!strcmp(argv[1], #name)) is_ordered ? name<true><<<grid, block>>>(data) : name<false><<<grid, block>>>(data)

int main(int argc, char **argv) {
    const bool is_ordered = argc > 2;
    int *data;
    if (argc < 2) return 2;
    cudaMalloc(&data, 4096);
    cudaMemset(data, 0, 4096);
    CASE(too_few, 1, 64);
    CASE(crossed, 1, 64);
    CASE(half_warp, 1, 64);
    CASE(shuffle_in_branch, 1, 64);
    CASE(no_flag, 1, 64);
    CASE(kept_lock, 1, 64);
    CASE(grid_of_some, 3, 64);
    CASE(both_wait, 2, 1);
    const cudaError_t error = cudaDeviceSynchronize();
    puts(error ? cudaGetErrorString(error) : "done");
    return error != 0;
}
