// What the kernels of the access patterns share: which element a thread has, and its value.
#pragma once

#define BLOCK 256   // threads of every block; a G80 takes no more than 512

typedef unsigned int word;

// The thread's element, one each, in order.
static __device__ __forceinline__ long long own_element() { return (long long)blockIdx.x * BLOCK + threadIdx.x; }

// Elements behind the end are 0, so that every thread of a block has one and no barrier stands inside of a condition.
static __device__ __forceinline__ word load_own(const word *in, long long n) {
    const long long i = own_element();
    return i < n ? in[i] : 0;
}

static __device__ __forceinline__ void store_own(word *out, long long n, word value) {
    const long long i = own_element();
    if (i < n) out[i] = value;
}
