// Bytes that nobody wrote, and what depends on them. Copying them is none of it.
#pragma once
#include <cstring>

#include "cases.cuh"

// ---- global memory --------------------------------------------------------------------------------------------------

// Memory of a case, which nobody has written; and what comes back to the host.
static int *fresh;
static int answer[64];

template <bool Ordered> __global__ void fresh_branch(int *out, const int *in) {
    const int value = in[threadIdx.x];              // fresh_branch
    if (value > 3) out[threadIdx.x] = 1;            // fresh_branch
}

// Elements that the host has not filled select others.
template <bool Ordered> __global__ void fresh_index(int *out, const int *in) {
    const int i = in[threadIdx.x];                  // fresh_index
    out[threadIdx.x] = out[64 + (i & 63)];          // fresh_index
}

template <bool Ordered> __global__ void fresh_atomic(int *out, int *in) {
    atomicAdd(&in[threadIdx.x % 8], 1);             // fresh_atomic
}

// Bytes of a word that is taken apart: the lowest has been written.
template <bool Ordered> __global__ void fresh_byte(int *out, const int *in) {
    const unsigned word = in[threadIdx.x];          // fresh_byte
    if ((word >> (Ordered ? 0 : 8) & 255) == 9) out[threadIdx.x] = 1;   // fresh_byte
}

// ---- shared memory --------------------------------------------------------------------------------------------------

template <bool Ordered> __global__ void tile_sum(int *out, int n) {
    __shared__ int s[64];
    if (threadIdx.x < n) s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 64; i++) sum += s[i];       // tile_sum
    out[threadIdx.x] = sum;
}

// The halo: what lies outside is guarded, or not.
template <bool Ordered> __global__ void tile_halo(int *out, int n) {
    __shared__ int s[66];
    const int t = threadIdx.x;
    s[t + 1] = out[t];
    if (Ordered && t == 0) s[0] = s[65] = 0;
    __syncthreads();
    if (s[t] + s[t + 2] > n) out[64 + t] = 1;       // tile_halo
}

template <bool Ordered> __global__ void tile_buffers(int *out, int n) {
    __shared__ int s[2][32];
    int sum = 0;
    s[0][threadIdx.x] = out[threadIdx.x];
    for (int step = 0; step < 4; step++) {
        __syncwarp();
        if (Ordered && step < 3) s[(step + 1) % 2][threadIdx.x] = step;
        sum += s[step % 2][31 - threadIdx.x];       // tile_buffers
        __syncwarp();
        if (!Ordered && step == 2) s[1][threadIdx.x] = step;
    }
    out[threadIdx.x] = sum;
}

// Whose index is not written.
template <bool Ordered> __global__ void tile_index(int *out, int n) {
    __shared__ unsigned char s[64];
    if (threadIdx.x < n) s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[64 + threadIdx.x] = out[s[63 - threadIdx.x] % 64];   // tile_index
}

// ---- local memory ---------------------------------------------------------------------------------------------------

template <bool Ordered> __global__ void array_sum(int *out, int n) {
    int a[8];
    for (int i = 0; i < n; i++) a[i] = i;
    int sum = 0;
    for (int i = 0; i < 8; i++) sum += a[i ^ (threadIdx.x & 7)];   // array_sum
    out[threadIdx.x] = sum;
}

template <bool Ordered> __global__ void array_branch(int *out, int n) {
    int a[8];
    for (int i = threadIdx.x % 2; i < n; i++) a[i] = i;
    const int i = threadIdx.x / 2 % 7 + (Ordered ? 1 : 0);
    if (a[i] > 3) out[threadIdx.x] = 1;             // array_branch
}

struct list {
    int items[4];
    int n;
};

static __device__ __noinline__ void push(list *l, int item) { l->items[l->n++ & 3] = item; }   // array_count

template <bool Ordered> __global__ void array_count(int *out, int n) {
    list l;
    if (Ordered) l.n = 0;
    push(&l, n);
    push(&l, n + 1);
    out[threadIdx.x] = l.items[n & 1];
}

static __device__ __noinline__ int pick(const int *a, int i) { return a[i]; }   // array_passed

template <bool Ordered> __global__ void array_passed(int *out, int n) {
    int a[4];
    a[0] = a[1] = n;
    if (Ordered) a[2] = a[3] = 0;
    const int i = pick(a, n & 3);
    out[threadIdx.x] = out[64 + (i & 15)];          // array_passed
}

// ---- registers ------------------------------------------------------------------------------------------------------

// Compilers leave no such register, since they may choose its value. Only threads below n write it.
#define WRITE_SOME(value, n)                                                                                           \
    asm volatile("{ .reg .pred p; .reg .u32 r; setp.lt.s32 p, %1, %2; @p mov.u32 r, %1; mov.u32 %0, r; }"              \
                 : "=r"(value) : "r"((int)threadIdx.x), "r"(n))

template <bool Ordered> __global__ void register_branch(int *out, int n) {
    int value;
    WRITE_SOME(value, n);
    if (value > 7) out[threadIdx.x] = n;            // register_branch
}

template <bool Ordered> __global__ void register_index(int *out, int n) {
    int value;
    WRITE_SOME(value, n);
    out[64 + threadIdx.x] = out[value & 31];        // register_index
}

template <bool Ordered> __global__ void register_atomic(int *out, int n) {
    int value;
    WRITE_SOME(value, n);
    atomicMax(&out[0], value);                      // register_atomic
}

template <bool Ordered> __global__ void register_lane(int *out, int n) {
    int value;
    WRITE_SOME(value, n);
    const int other = __shfl_xor_sync(0xffffffff, value, 1);
    if (other == 5) out[threadIdx.x] = 1;           // register_lane
}

// ---- copies to the host ---------------------------------------------------------------------------------------------

template <bool Ordered> __global__ void back_computed(int *out, const int *in) {
    out[threadIdx.x] = 2 * in[threadIdx.x];         // back_computed
}

template <bool Ordered> __global__ void back_whole(int *out, int n) {
    __shared__ int s[64];
    if (threadIdx.x < n) s[threadIdx.x] = n;
    out[threadIdx.x] = s[threadIdx.x];              // back_whole
}

// Padding and what is not used come along with what is.
struct padded {
    char letter;
    int number;
    short rest;
};

static __global__ void copy_padding(padded *out) {
    padded p, *mine = &out[threadIdx.x];
    p.letter = 'a' + threadIdx.x;
    p.number = threadIdx.x;
    if (threadIdx.x % 2) p.rest = 5;
    *mine = p;
    out[32 + threadIdx.x] = *mine;
}

static __global__ void select_away(int *out, const int *in, int n) {
    __shared__ int s[32];
    if (threadIdx.x < n) s[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    const int mine = s[threadIdx.x];
    out[threadIdx.x] = threadIdx.x < n ? mine : 0;
    out[32 + threadIdx.x] = threadIdx.x < n && mine > 2;
}

struct flags {
    unsigned a : 3, b : 7, c : 1;
};

static __global__ void bits_of_word(int *out, flags *list) {
    flags f;
    f.a = threadIdx.x & 7;
    f.c = 1;
    list[threadIdx.x] = f;
    const flags g = list[threadIdx.x];
    out[threadIdx.x] = g.a == 3 && g.c ? 1 : 2;
}

// As many lanes as there is work for.
static __global__ void some_of_fresh(int *out, const int *in, int n) {
    if (threadIdx.x < n) out[threadIdx.x] = in[threadIdx.x] + 1;
}

static void run_clean_only() {
    begin_case();
    copy_padding<<<1, 32>>>((padded *)fresh);
    cudaMemcpy(answer, fresh, sizeof answer, cudaMemcpyDeviceToHost);
    select_away<<<1, 32>>>(data, data + 64, 20);
    cudaMemcpy(answer, data, sizeof answer, cudaMemcpyDeviceToHost);
    bits_of_word<<<1, 32>>>(data, (flags *)(fresh + 1024));
    cudaMemcpy(answer, data, sizeof answer, cudaMemcpyDeviceToHost);
    cudaMemset(fresh + 2048, 0, 40);
    some_of_fresh<<<1, 32>>>(fresh + 3072, fresh + 2048, 10);
    cudaMemcpy(answer, fresh + 3072, sizeof answer, cudaMemcpyDeviceToHost);
}

// Memory that nobody has written, unless the case is to be without a hazard.
static int *take_fresh(size_t filled) {
    cudaFree(fresh);
    cudaMalloc(&fresh, DATA_BYTES);
    if (is_ordered) cudaMemset(fresh, 0, filled);
    return fresh;
}

#define RUN_FRESH(name, filled, ...)                                                                                   \
    do {                                                                                                               \
        begin_case();                                                                                                  \
        take_fresh(filled);                                                                                            \
        is_ordered ? name<true><<<1, 64>>>(__VA_ARGS__) : name<false><<<1, 64>>>(__VA_ARGS__);                         \
    } while (0)

static void run_undefined() {
    RUN_FRESH(fresh_branch, 71 * sizeof(int), data, fresh);
    RUN_FRESH(fresh_index, 64 * sizeof(int), data, fresh);
    RUN_FRESH(fresh_atomic, 8 * sizeof(int), data, fresh);
    begin_case();
    take_fresh(0);
    cudaMemset2D(fresh, 4, 0, 1, 64);               // the lowest byte of each word
    is_ordered ? fresh_byte<true><<<1, 64>>>(data, fresh) : fresh_byte<false><<<1, 64>>>(data, fresh);
    const int threads = is_ordered ? 64 : 60;
    begin_case();
    is_ordered ? tile_sum<true><<<1, 64>>>(data, threads) : tile_sum<false><<<1, 64>>>(data, threads);
    cudaMemcpy(answer, data, sizeof answer, cudaMemcpyDeviceToHost);   // tile_sum
    begin_case();
    is_ordered ? tile_halo<true><<<1, 64>>>(data, 5) : tile_halo<false><<<1, 64>>>(data, 5);
    begin_case();
    is_ordered ? tile_buffers<true><<<1, 32>>>(data, 5) : tile_buffers<false><<<1, 32>>>(data, 5);
    cudaMemcpy(answer, data, sizeof answer, cudaMemcpyDeviceToHost);   // tile_buffers
    begin_case();
    is_ordered ? tile_index<true><<<1, 64>>>(data, threads) : tile_index<false><<<1, 64>>>(data, threads);
    begin_case();
    is_ordered ? array_sum<true><<<1, 64>>>(data, 8) : array_sum<false><<<1, 64>>>(data, 7);
    cudaMemcpy(answer, data, sizeof answer, cudaMemcpyDeviceToHost);   // array_sum
    begin_case();
    is_ordered ? array_branch<true><<<1, 64>>>(data, 8) : array_branch<false><<<1, 64>>>(data, 8);
    begin_case();
    is_ordered ? array_count<true><<<1, 64>>>(data, 2) : array_count<false><<<1, 64>>>(data, 2);
    begin_case();
    is_ordered ? array_passed<true><<<1, 64>>>(data, 2) : array_passed<false><<<1, 64>>>(data, 2);
    begin_case();
    is_ordered ? register_branch<true><<<1, 64>>>(data, 64) : register_branch<false><<<1, 64>>>(data, 60);
    begin_case();
    is_ordered ? register_index<true><<<1, 64>>>(data, 64) : register_index<false><<<1, 64>>>(data, 60);
    begin_case();
    is_ordered ? register_atomic<true><<<1, 64>>>(data, 64) : register_atomic<false><<<1, 64>>>(data, 60);
    begin_case();
    is_ordered ? register_lane<true><<<1, 64>>>(data, 64) : register_lane<false><<<1, 64>>>(data, 60);
    RUN_FRESH(back_computed, 64 * sizeof(int), data, fresh);
    cudaMemcpy(answer, data, sizeof answer, cudaMemcpyDeviceToHost);   // back_computed
    begin_case();
    is_ordered ? back_whole<true><<<1, 64>>>(data, 64) : back_whole<false><<<1, 64>>>(data, 60);
    cudaMemcpy(answer, data, sizeof answer, cudaMemcpyDeviceToHost);   // back_whole
    cudaFree(fresh);
    cudaMalloc(&fresh, DATA_BYTES);                 // back_untouched
    if (is_ordered) cudaMemset(fresh, 0, 4);
    cudaMemcpy(answer, fresh, sizeof answer, cudaMemcpyDeviceToHost);   // back_untouched
    cudaFree(fresh);
    cudaMalloc(&fresh, DATA_BYTES);                 // back_rows
    if (is_ordered) cudaMemset2D(fresh, 64, 1, 2, 4);
    cudaMemcpy2D(answer, 16, fresh, 64, 16, 4, cudaMemcpyDeviceToHost);   // back_rows
    if (is_ordered) run_clean_only();
    cudaFree(fresh);
    fresh = nullptr;
}
