// Arrays of any strides: where the elements of a number lie.
#pragma once

#include "reduce/fold.cuh"

// A number along an axis is a remainder by `count`; multiplier and shift divide by it where 32 bits hold all numbers.
struct axis {
    unsigned long long count;
    unsigned multiplier, shift;
    long long step, other_step;   // in elements: of in; of out for kept axes, of the index for reduced ones
};

// x / d for x below 2^31 (Granlund and Montgomery, "Division by invariant integers using multiplication", 1994, figure 4.1).
__device__ __forceinline__ unsigned over(unsigned x, const axis &d) { return (__umulhi(x, d.multiplier) + x) >> d.shift; }
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
