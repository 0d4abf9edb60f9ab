// Patterns of the literature, right and broken in one place.
#pragma once
#include "copies.cuh"
#include "messages.cuh"

// The block that comes last adds up what all have left (threadFenceReduction of NVIDIA's samples).
template <bool Ordered> __global__ void last_block(int *out) {
    __shared__ bool is_last;
    int *partial = out + 64, *ticket = out + 128;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x;           // last_block
        if (Ordered) __threadfence();
        is_last = atomicAdd(ticket, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x < gridDim.x) {
        __threadfence();
        atomicAdd(out, partial[threadIdx.x]);       // last_block
    }
}

template <bool Ordered> __global__ void spin_lock(int *out) {
    int *lock = out + 64;
    while (atomicCAS(lock, 0, 1)) {}
    if (Ordered) __threadfence();
    out[0] += blockIdx.x;                           // spin_lock
    if (Ordered) __threadfence();
    atomicExch(lock, 0);
}

// Each block goes on with what the one before it has left.
template <bool Ordered> __global__ void flags_between_blocks(int *out) {
    volatile int *flag = out + 64;
    int value = 0;
    if (blockIdx.x > 0) {
        while (!flag[blockIdx.x - 1]) {}
        __threadfence();
        value = out[blockIdx.x - 1];                // flags_between_blocks
    }
    out[blockIdx.x] = value + 1;                    // flags_between_blocks
    if (Ordered) __threadfence();
    flag[blockIdx.x] = 1;
}

// Block 0 puts work into a queue, the others take what comes next.
template <bool Ordered> __global__ void work_queue(int *out) {
    int *items = out + 64, *head = out + 128, *tail = out + 129;
    enum { ITEMS = 12 };
    if (blockIdx.x == 0) {
        for (int i = 0; i < ITEMS; i++) {
            if (!Ordered) atomicAdd(tail, 1);
            items[i] = i;                           // work_queue
            __threadfence();
            if (Ordered) atomicAdd(tail, 1);
        }
        return;
    }
    for (int i = atomicAdd(head, 1); i < ITEMS; i = atomicAdd(head, 1)) {
        while (atomicAdd(tail, 0) <= i) {}
        __threadfence();
        out[i] = 2 * items[i];                      // work_queue
    }
}

// Blumofe and Leiserson's work stealing: each block puts work into a queue of its own, and takes from those of others.
// An item is read before it is known who gets it.
template <bool Ordered> __global__ void work_stealing(int *out) {
    enum { ITEMS = 4 };
    volatile int *tops = out + 64, *ends = out + 96;
    int *items = out + 128, *own = items + ITEMS * blockIdx.x;
    for (int i = 0; i < ITEMS; i++) {
        own[i] = ITEMS * blockIdx.x + i;            // work_stealing
        if (Ordered) __threadfence();
        ends[blockIdx.x] = i + 1;
    }
    int victim = blockIdx.x;
    for (int empty = 0; empty < 2 * gridDim.x;) {
        victim = (victim + 1) % gridDim.x;
        const int top = tops[victim];
        if (top == ITEMS || victim == blockIdx.x) empty++;
        else if (top < ends[victim]) {
            __threadfence();
            const int item = items[ITEMS * victim + top];    // work_stealing
            if (atomicCAS((int *)&tops[victim], top, top + 1) == top) out[item] = 1;
        }
    }
}

// Who comes first is served first.
template <bool Ordered> __global__ void ticket_lock(int *out) {
    int *next = out + 64;
    volatile int *served = out + 65;
    const int ticket = atomicAdd(next, 1);
    while (*served != ticket) {}
    __threadfence();
    out[0] += blockIdx.x;                           // ticket_lock
    if (Ordered) __threadfence();
    *served = ticket + 1;
}

// Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back": a tile's aggregate first, its
// prefix when those of the tiles before it are known.
template <bool Ordered> __global__ void look_back(int *out) {
    enum { AGGREGATE = 1, PREFIX = 2 };
    int *aggregate = out + 64, *prefix = out + 128, sum = 0;
    volatile int *state = out + 192;
    const int tile = blockIdx.x;
    aggregate[tile] = tile;
    __threadfence();
    state[tile] = AGGREGATE;
    for (int before = tile - 1; before >= 0; before--) {
        int seen;
        while (!(seen = state[before])) {}
        __threadfence();
        sum += seen == PREFIX ? prefix[before] : aggregate[before];    // look_back
        if (seen == PREFIX) break;
    }
    prefix[tile] = sum + tile;                      // look_back
    if (Ordered) __threadfence();
    state[tile] = PREFIX;
}

// A tile is copied while the one before it is used.
template <bool Ordered> __global__ void double_buffer(int *out) {
    __shared__ int s[2][64];
    const int t = threadIdx.x, TILES = 5;
    int sum = 0;
    COPY_4(&s[0][t], &out[t]);
    COMMIT();
    for (int i = 0; i < TILES; i++) {
        if (i + 1 < TILES) COPY_4(&s[(i + 1) % 2][t], &out[64 * (i + 1) + t]);    // double_buffer
        COMMIT();
        WAIT_GROUPS(1);
        __syncthreads();
        sum += s[i % 2][63 - t];                    // double_buffer
        if (Ordered) __syncthreads();
    }
    out[1024 + t] = sum;
}

// Two tiles are under way while a third one is used: one group may go on, not two.
template <bool Ordered> __global__ void stages(int *out) {
    enum { STAGES = 3, TILES = 7 };
    __shared__ int s[STAGES][64];
    const int t = threadIdx.x;
    int sum = 0;
    for (int i = 0; i < STAGES - 1; i++) {
        COPY_4(&s[i][t], &out[64 * i + t]);         // stages
        COMMIT();
    }
    for (int i = 0; i < TILES; i++) {
        if (Ordered) WAIT_GROUPS(1);
        else WAIT_GROUPS(2);
        __syncthreads();
        sum += s[i % STAGES][63 - t];               // stages
        const int next = i + STAGES - 1;
        if (next < TILES) COPY_4(&s[next % STAGES][t], &out[64 * next + t]);    // stages
        COMMIT();
    }
    out[1024 + t] = sum;
}

template <bool Ordered> __global__ void warp_reduction(int *out) {
    __shared__ int s[32];
    const int t = threadIdx.x;
    s[t] = t;                                       // warp_reduction
    if (Ordered) __syncwarp();
    for (int half = 16; half; half /= 2) {
        if (t < half) s[t] += s[t + half];          // warp_reduction
        if (Ordered) __syncwarp();
    }
    if (t == 0) out[0] = s[0];
}

// As it was written before __syncwarp(): accesses that are volatile are no data race. That newer GPUs do not promise
// the steps which the sum needs is another matter.
template <bool Ordered, typename Word> __device__ void reduce_by_steps(Word *s, int t) {
    if (t < 8) s[t] = s[t] + s[t + 8];              // warp_volatile
    if (t < 4) s[t] = s[t] + s[t + 4];              // warp_volatile
    if (t < 2) s[t] = s[t] + s[t + 2];              // warp_volatile
    if (t < 1) s[t] = s[t] + s[t + 1];              // warp_volatile
}
template <bool Ordered> __global__ void warp_volatile(int *out) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    __syncwarp();
    if (Ordered) reduce_by_steps<Ordered, volatile int>(s, threadIdx.x);
    else reduce_by_steps<Ordered, int>(s, threadIdx.x);
    __syncwarp();
    if (threadIdx.x == 0) out[0] = s[0];
}

template <bool Ordered> __global__ void histogram(int *out) {
    __shared__ int bins[8];
    if (threadIdx.x < 8) bins[threadIdx.x] = 0;
    __syncthreads();
    const int bin = threadIdx.x * 5 % 8;
    if (Ordered) atomicAdd(&bins[bin], 1);
    else bins[bin]++;                               // histogram
    __syncthreads();
    if (threadIdx.x < 8) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

template <bool Ordered> __global__ void stencil(int *out) {
    const int i = threadIdx.x + 1;
    const int sum = out[i - 1] + out[i] + out[i + 1];    // stencil
    if (Ordered) __syncthreads();
    out[i] = sum;                                   // stencil
}

// Of many blocks in place never right; from one array into another it is.
template <bool Ordered> __global__ void stencil_of_blocks(int *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int *to = Ordered ? out + 512 : out;
    const int sum = out[i - 1] + out[i] + out[i + 1];    // stencil_of_blocks
    __syncthreads();
    to[i] = sum;                                    // stencil_of_blocks
}

static void run_patterns() {
    RUN(last_block, 4, 64);
    RUN(spin_lock, 4, 1);
    RUN(flags_between_blocks, 4, 1);
    RUN(work_queue, 3, 1);
    RUN(work_stealing, 3, 1);
    RUN(ticket_lock, 4, 1);
    RUN(look_back, 5, 1);
    RUN(double_buffer, 1, 64);
    RUN(stages, 1, 64);
    RUN(warp_reduction, 1, 32);
    RUN(warp_volatile, 1, 32);
    RUN(histogram, 1, 64);
    RUN(stencil, 1, 64);
    RUN(stencil_of_blocks, 3, 64);
}
