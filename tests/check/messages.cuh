// Order between blocks, and between warps without a barrier: fences, with atomics and volatile or relaxed accesses.
#pragma once
#include <cooperative_groups.h>

#include "cases.cuh"

__device__ static void wait_for(int *flag, int value) {
    while (atomicAdd(flag, 0) != value) {}
}

template <bool Ordered> __global__ void flag_writer_fence(int *out) {
    if (blockIdx.x == 0) {
        out[0] = 1;                                 // flag_writer_fence
        if (Ordered) __threadfence();
        atomicExch(&out[64], 1);
    } else {
        wait_for(&out[64], 1);
        __threadfence();
        out[1] = out[0];                            // flag_writer_fence
    }
}

template <bool Ordered> __global__ void flag_reader_fence(int *out) {
    if (blockIdx.x == 0) {
        out[0] = 1;                                 // flag_reader_fence
        __threadfence();
        atomicExch(&out[64], 1);
    } else {
        wait_for(&out[64], 1);
        if (Ordered) __threadfence();
        out[1] = out[0];                            // flag_reader_fence
    }
}

template <bool Ordered> __global__ void flag_volatile(int *out) {
    volatile int *flag = &out[64];
    if (blockIdx.x == 0) {
        out[0] = 1;                                 // flag_volatile
        if (Ordered) __threadfence();
        *flag = 1;
    } else {
        while (!*flag) {}
        __threadfence();
        out[1] = out[0];                            // flag_volatile
    }
}

// A fence for the block is none for the other one.
template <bool Ordered> __global__ void flag_scope(int *out) {
    if (blockIdx.x == 0) {
        out[0] = 1;                                 // flag_scope
        if (Ordered) __threadfence();
        else __threadfence_block();
        atomicExch(&out[64], 1);
    } else {
        wait_for(&out[64], 1);
        __threadfence();
        out[1] = out[0];                            // flag_scope
    }
}

// Nor does a second, narrower fence take away what the first one gave.
template <bool Ordered> __global__ void flag_two_fences(int *out) {
    if (blockIdx.x == 0) {
        out[0] = 1;                                 // flag_two_fences
        if (Ordered) __threadfence();
        __threadfence_block();
        atomicExch(&out[64], 1);
    } else {
        wait_for(&out[64], 1);
        __threadfence();
        out[1] = out[0];                            // flag_two_fences
    }
}

template <bool Ordered> __global__ void flag_release(int *out) {
    if (blockIdx.x == 0) {
        out[0] = 1;                                 // flag_release
        if (Ordered) asm volatile("st.release.gpu.s32 [%0], 1;" :: "l"(&out[64]) : "memory");
        else asm volatile("st.relaxed.gpu.s32 [%0], 1;" :: "l"(&out[64]) : "memory");
    } else {
        int seen = 0;
        while (!seen) asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(seen) : "l"(&out[64]) : "memory");
        out[1] = out[0];                            // flag_release
    }
}

template <bool Ordered> __global__ void flag_acquire(int *out) {
    if (blockIdx.x == 0) {
        out[0] = 1;                                 // flag_acquire
        asm volatile("st.release.gpu.s32 [%0], 1;" :: "l"(&out[64]) : "memory");
    } else {
        int seen = 0;
        while (!seen) {
            if (Ordered) asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(seen) : "l"(&out[64]) : "memory");
            else asm volatile("ld.relaxed.gpu.s32 %0, [%1];" : "=r"(seen) : "l"(&out[64]) : "memory");
        }
        out[1] = out[0];                            // flag_acquire
    }
}

// Between two warps of a block a fence for the block is enough.
template <bool Ordered> __global__ void flag_in_block(int *out) {
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = 1;                                 // flag_in_block
        if (Ordered) __threadfence_block();
        flag = 1;
    } else if (threadIdx.x == 32) {
        while (!flag) {}
        __threadfence_block();
        out[1] = out[0];                            // flag_in_block
    }
}

// A tells B, B tells C: what A has done comes before what C does.
template <bool Ordered> __global__ void flag_chain(int *out) {
    int *mine = &out[64 + blockIdx.x], *next = mine + 1;
    if (blockIdx.x == 0) out[0] = 1;                // flag_chain
    if (blockIdx.x > 0) wait_for(mine, 1);
    if (blockIdx.x != 1 || Ordered) __threadfence();
    if (blockIdx.x == 2) out[1] = out[0];           // flag_chain
    atomicExch(next, 1);
}

// Nothing of A's comes to C where B's fence is for its block alone.
template <bool Ordered> __global__ void flag_narrow_chain(int *out) {
    int *mine = &out[64 + blockIdx.x], *next = mine + 1;
    if (blockIdx.x == 0) out[0] = 1;                // flag_narrow_chain
    if (blockIdx.x > 0) wait_for(mine, 1);
    if (blockIdx.x != 1 || Ordered) __threadfence();
    else __threadfence_block();
    if (blockIdx.x == 2) out[1] = out[0];           // flag_narrow_chain
    atomicExch(next, 1);
}

// Two warps that have met at a barrier of theirs, one of which speaks for both.
template <bool Ordered> __global__ void flag_for_pair(int *out) {
    if (blockIdx.x == 0) {
        if (threadIdx.x >= 64) return;
        out[threadIdx.x] = threadIdx.x;             // flag_for_pair
        if (Ordered) asm volatile("bar.sync 1, 64;" ::: "memory");
        if (threadIdx.x > 0) return;
        __threadfence();
        atomicExch(&out[64], 1);
    } else if (threadIdx.x == 0) {
        wait_for(&out[64], 1);
        __threadfence();
        out[128] = out[40];                         // flag_for_pair
    }
}

// What the lanes of a half warp did before they met is told by the one that speaks for them.
template <bool Ordered> __global__ void flag_for_tile(int *out) {
    if (blockIdx.x == 0) {
        out[threadIdx.x] = threadIdx.x;             // flag_for_tile
        if (Ordered) __syncwarp(threadIdx.x < 16 ? 0xffff : 0xffff0000);
        if (threadIdx.x % 16) return;
        __threadfence();
        atomicExch(&out[64 + threadIdx.x / 16], 1);
    } else {
        if (threadIdx.x >= 16) return;
        wait_for(&out[64], 1);
        __threadfence();
        out[128 + threadIdx.x] = out[15 - threadIdx.x];   // flag_for_tile
    }
}

// A lane that speaks for its warp does so when the others have done their part,
template <bool Ordered> __global__ void flag_for_warp(int *out) {
    if (blockIdx.x == 0) {
        out[threadIdx.x] = threadIdx.x;             // flag_for_warp
        if (Ordered) __syncwarp();
        if (threadIdx.x > 0) return;
        __threadfence();
        atomicExch(&out[64], 1);
    } else {
        if (threadIdx.x == 0) wait_for(&out[64], 1);
        __threadfence();
        __syncwarp();
        out[128 + threadIdx.x] = out[threadIdx.x];  // flag_for_warp
    }
}

// and one that waits for it is waited for by the others.
template <bool Ordered> __global__ void wait_for_warp(int *out) {
    if (blockIdx.x == 0) {
        out[threadIdx.x] = threadIdx.x;             // wait_for_warp
        __syncwarp();
        if (threadIdx.x > 0) return;
        __threadfence();
        atomicExch(&out[64], 1);
    } else {
        if (threadIdx.x == 0) {
            wait_for(&out[64], 1);
            __threadfence();
        }
        if (Ordered) __syncwarp();
        out[128 + threadIdx.x] = out[threadIdx.x];  // wait_for_warp
    }
}

// Atomics are a race with what is none, and where their scope leaves the other thread out.
template <bool Ordered> __global__ void atomic_and_plain(int *out) {
    if (Ordered || blockIdx.x == 0) atomicAdd(&out[0], 1);    // atomic_and_plain
    else out[0] += 1;                               // atomic_and_plain
}

template <bool Ordered> __global__ void atomic_scope(int *out) {
    if (Ordered) atomicAdd(&out[0], 1);
    else atomicAdd_block(&out[0], 1);               // atomic_scope
}

// ---- all blocks of a cooperative launch ----------------------------------------------------------------------------

template <bool Ordered> __device__ void sync_grid() {
    if (Ordered) cooperative_groups::this_grid().sync();
    else __syncthreads();
}

template <bool Ordered> __global__ void grid_read(int *out) {
    const int i = blockIdx.x * 32 + threadIdx.x;
    out[i] = i;                                     // grid_read
    sync_grid<Ordered>();
    out[128 + i] = out[127 - i];                    // grid_read
}

template <bool Ordered> __global__ void grid_write(int *out) {
    const int i = blockIdx.x * 32 + threadIdx.x;
    const int other = out[127 - i];                 // grid_write
    sync_grid<Ordered>();
    out[i] = other;                                 // grid_write
}

// Two writers of one place.
template <bool Ordered> __global__ void grid_write_twice(int *out) {
    const int i = blockIdx.x * 32 + threadIdx.x;
    out[i] = 1;                                     // grid_write_twice
    sync_grid<Ordered>();
    out[127 - i] = 2;                               // grid_write_twice
}

// One block clears what all blocks add to.
template <bool Ordered> __global__ void grid_clear(int *out) {
    if (blockIdx.x == 0 && threadIdx.x == 0) out[0] = 0;    // grid_clear
    sync_grid<Ordered>();
    if (threadIdx.x == 0) atomicAdd(&out[0], 1);    // grid_clear
}

#define RUN_GRID(name, grid, block)                                                                                    \
    (begin_case(), cudaLaunchCooperativeKernel(is_ordered ? (void *)name<true> : (void *)name<false>, grid, block,     \
                                               arguments, 0, 0))

// Flags side by side, of which the reader has waited for another one.
template <bool Ordered> __global__ void flag_beside(int *out) {
    const int block = blockIdx.x;
    if (block == 0) out[0] = 1;                     // flag_beside
    __threadfence();
    if (block < 2) atomicExch(&out[64 + block], 1);
    if (block < 2) return;
    if (Ordered) wait_for(&out[64], 1);
    wait_for(&out[65], 1);
    __threadfence();
    out[1] = out[0];                                // flag_beside
}

// Three blocks read; the last one, which writes, has waited for one of the others, and for both.
template <bool Ordered> __global__ void readers_of_blocks(int *out) {
    const int block = blockIdx.x;
    out[1 + block] = out[0];                        // readers_of_blocks
    __threadfence();
    if (block < 2) atomicExch(&out[64 + block], 1);
    if (block < 2) return;
    if (Ordered) wait_for(&out[64], 1);
    wait_for(&out[65], 1);
    __threadfence();
    out[0] = 1;                                     // readers_of_blocks
}

// The same with forty of them, of whom the writer has waited for all but the first one, and for all.
template <bool Ordered> __global__ void forty_readers(int *out) {
    const int block = blockIdx.x, last = gridDim.x - 1;
    if (block < last) out[1 + block] = out[0];      // forty_readers
    __threadfence();
    if (block < last) atomicExch(&out[64 + block], 1);
    if (block < last) return;
    for (int other = Ordered ? 0 : 1; other < last; other++) wait_for(&out[64 + other], 1);
    __threadfence();
    out[0] = 1;                                     // forty_readers
}

static void run_messages() {
    void *arguments[] = {&data};
    RUN(flag_writer_fence, 2, 1);
    RUN(flag_reader_fence, 2, 1);
    RUN(flag_volatile, 2, 1);
    RUN(flag_scope, 2, 1);
    RUN(flag_two_fences, 2, 1);
    RUN(flag_release, 2, 1);
    RUN(flag_acquire, 2, 1);
    RUN(flag_in_block, 1, 64);
    RUN(flag_beside, 3, 1);
    RUN(readers_of_blocks, 3, 1);
    RUN(forty_readers, 41, 1);
    RUN(flag_chain, 3, 1);
    RUN(flag_narrow_chain, 3, 1);
    RUN(flag_for_pair, 2, 96);
    RUN(flag_for_tile, 2, 32);
    RUN(flag_for_warp, 2, 32);
    RUN(wait_for_warp, 2, 32);
    RUN(atomic_and_plain, 2, 1);
    RUN(atomic_scope, 2, 1);
    RUN_GRID(grid_read, 4, 32);
    RUN_GRID(grid_write, 4, 32);
    RUN_GRID(grid_write_twice, 4, 32);
    RUN_GRID(grid_clear, 4, 32);
}
