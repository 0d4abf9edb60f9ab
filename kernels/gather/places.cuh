// What the kernels of the gathers share: which element a thread has, and which word of the image is gathered for it.
#pragma once

#define BLOCK_COLS 16
#define BLOCK_ROWS 16

typedef unsigned int word;

static __device__ __forceinline__ int own_col() { return (int)(blockIdx.x * BLOCK_COLS + threadIdx.x); }
static __device__ __forceinline__ int own_row() { return (int)(blockIdx.y * BLOCK_ROWS + threadIdx.y); }

// One of n places, as if drawn from a hat: multiplications and shifts of which each bit depends on all others.
static __device__ __forceinline__ int random_place(int i, int n) {
    unsigned int h = (unsigned int)i * 0x9e3779b1u;
    h = (h ^ h >> 15) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return (int)__umulhi(h ^ h >> 16, (unsigned int)n);
}

// The image turned about its middle, by the angle of the triangle of 3, 4 and 5, so that whole numbers do: a step to
// the right is 4/5 of one, and 3/5 of one down. Places outside of the image are for who asks to bring back.
static __device__ __forceinline__ int fifth_of(int x) {   // rounded down
    const int fifths = 1 << 20;
    return (int)((unsigned int)(x + 5 * fifths) / 5) - fifths;
}
static __device__ __forceinline__ int turned_col(int row, int col, int rows, int cols) {
    return cols / 2 + fifth_of(4 * (col - cols / 2) - 3 * (row - rows / 2));
}
static __device__ __forceinline__ int turned_row(int row, int col, int rows, int cols) {
    return rows / 2 + fifth_of(3 * (col - cols / 2) + 4 * (row - rows / 2));
}

// The nearest of 0 to n - 1.
static __device__ __forceinline__ int within(int x, int n) { return x < 0 ? 0 : x < n ? x : n - 1; }
