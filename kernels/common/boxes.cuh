// Boxes of an array counted along several axes by one index: what the kernels that the host specialises share.
#pragma once

#if INDEX_BITS == 64
typedef long long offset_t;
#else
typedef int offset_t;
#endif

// The number along a grid axis is a remainder by `count`; multiplier and shift divide by it (quotient()).
struct grid_axis {
    unsigned count, multiplier, shift;
    unsigned box, extent;               // elements that a block takes of the axis it cuts; elements of that axis
    offset_t in_step, out_step;         // from block to block, in elements
};

// x / d for x below 2^31, with the multiplier and shift that the host computed for d (Granlund and Montgomery,
// "Division by invariant integers using multiplication", 1994, figure 4.1).
__device__ inline unsigned quotient(unsigned x, unsigned multiplier, unsigned shift) {
    return (__umulhi(x, multiplier) + x) >> shift;
}

// The numbers of block `index` along the grid's axes, of which the first varies fastest.
template <int axes>
__device__ void number_along_grid(unsigned index, const grid_axis *grid, unsigned *numbers) {
#pragma unroll
    for (int a = 0; a < axes; a++) {
        const unsigned next = a < axes - 1 ? quotient(index, grid[a].multiplier, grid[a].shift) : 0;
        numbers[a] = index - next * grid[a].count;
        index = next;
    }
}

// Moves the arrays' pointers to where the block begins, along the axes from `first` on. Steps can go backwards: numbers
// are below 2^31, and must not make the product unsigned.
template <int first, int axes, typename element>
__device__ void step_along_grid(const grid_axis *grid, const unsigned *numbers, const element *&in, element *&out) {
#pragma unroll
    for (int a = first; a < axes; a++) {
        in += (offset_t)numbers[a] * grid[a].in_step;
        out += (offset_t)numbers[a] * grid[a].out_step;
    }
}
