// Arrays of any strides: where the elements of a number lie, and how words of them are loaded.
#pragma once

#include "reduce/fold.cuh"

// A number along an axis is a remainder by `count`; multiplier and shift divide by it where 32 bits hold all numbers.
struct axis {
    unsigned long long count;
    unsigned multiplier, shift;
    long long step, other_step;   // in elements: of in; of out for kept axes, of the index for reduced ones
};

// x / d for x below 2^31 (Granlund and Montgomery, "Division by invariant integers using multiplication", 1994, figure
// 4.1).
__device__ __forceinline__ unsigned over(unsigned x, const axis &d) { return (__umulhi(x,
                                                                                       d.multiplier) + x) >> d.shift; }
__device__ __forceinline__ unsigned long long over(unsigned long long x, const axis &d) { return x / d.count; }

// Adds to both the steps of `index`, counted along n axes of which the last varies fastest.
template <int n, typename counter>
__device__ __forceinline__ void walk(const axis *axes, counter index, long long &offset, long long &other_offset) {
#pragma unroll
    for (int k = n - 1; k >= 0; k--) {
        const counter next = k ? over(index, axes[k]) : 0, number = index - next * (counter)axes[k].count;
        offset += (long long)number * axes[k].step;
        other_offset += (long long)number * axes[k].other_step;
        index = next;
    }
}

// READ_ONCE 1: words of 16 bytes are kept out of L1, which they would only pass through. An H200 gives them up sooner
// in L2 as well: of arrays that L2 holds, less is still there for who reads them next.
#ifndef READ_ONCE
#define READ_ONCE 1
#endif

template <typename part, int n>
__device__ __forceinline__ void load_word(parts_of<part, n> &to, const word_of<sizeof(part) * n> *from) {
    to.whole = *from;
}
#if READ_ONCE && __CUDA_ARCH__ >= 700 && !defined(__clang__)   // whose vectors have no members of these names
template <typename part>
__device__ __forceinline__ void load_word(parts_of<part, 16 / sizeof(part)> &to, const word_of<16> *from) {
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to.whole.x), "=r"(to.whole.y), "=r"(to.whole.z), "=r"(to.whole.w) : "l"(from));
}
#endif
