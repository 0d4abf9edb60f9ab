// What the rungs have in common: C = A B of row-major matrices without gaps, of float or double.
#pragma once

#include "common/grid.cuh"

#if ELEMENT_BYTES == 4
typedef float real;
#elif ELEMENT_BYTES == 8
typedef double real;
#else
#error ELEMENT_BYTES is 4 or 8
#endif

#define VECTOR (16 / ELEMENT_BYTES)   // elements of a 16-byte word
typedef parts_of<real, VECTOR> chunk;

// 1: the rows of all three matrices begin at multiples of 16 bytes and end at such.
#ifndef WORDS
#define WORDS 0
#endif

__device__ __forceinline__ real element_or_zero(const real *__restrict__ matrix, index_t rows, index_t cols,
                                                index_t row, index_t col) {
    return row < rows && col < cols ? matrix[row * cols + col] : 0;
}

// VECTOR elements of a row; zeros where there are none.
__device__ __forceinline__ void load_chunk(chunk &to, const real *__restrict__ matrix, index_t rows, index_t cols,
                                           index_t row, index_t col) {
    if (WORDS && row < rows && col < cols) {
        to.whole = *(const word_of<16> *)(matrix + row * cols + col);
    } else {
#pragma unroll
        for (int i = 0; i < VECTOR; i++)
            to.parts[i] = WORDS ? (real)0 : element_or_zero(matrix, rows, cols, row, col + i);
    }
}

__device__ __forceinline__ void store_chunk(real *__restrict__ matrix, index_t rows, index_t cols, index_t row,
                                            index_t col, const chunk &from) {
    if constexpr (WORDS) {
        if (row < rows && col < cols) *(word_of<16> *)(matrix + row * cols + col) = from.whole;
    } else {
#pragma unroll
        for (int i = 0; i < VECTOR; i++)
            if (row < rows && col + i < cols) matrix[row * cols + col + i] = from.parts[i];
    }
}
