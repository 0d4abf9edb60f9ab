// A tile of a matrix in shared memory: filled along the rows of one matrix, emptied along the rows of another.
//
// A block has BLOCK_COLS x BLOCK_ROWS threads and a tile of TILE_COLS x TILE_ROWS elements, multiples of these: each
// thread moves (TILE_COLS / BLOCK_COLS) * (TILE_ROWS / BLOCK_ROWS) elements. Each row of the tile is followed by PAD
// elements that are never used: they shift the next row to other banks. The file that includes this one says the sizes.
#ifndef HALFWARP_TILE_CUH
#define HALFWARP_TILE_CUH

#include "common/grid.cuh"

#ifndef PAD
#define PAD 0
#endif

#define TILE_PITCH (TILE_COLS + PAD)
#define BLOCK_THREADS (BLOCK_COLS * BLOCK_ROWS)

#if TILE_COLS % BLOCK_COLS || TILE_ROWS % BLOCK_ROWS
#error a tile is a multiple of its block
#endif
#if BLOCK_THREADS % TILE_ROWS
#error the threads of a block read whole columns of the tile
#endif

typedef element tile_array[TILE_ROWS][TILE_PITCH];

// tile = in[first_row ..., first_col ...] of a rows x cols matrix; what lies outside is left as it is. A warp reads
// along a row, and writes along a row of the tile.
__device__ __forceinline__ void load_tile(tile_array tile, const element *__restrict__ in, index_t rows, index_t cols,
                                          index_t first_row, index_t first_col) {
#pragma unroll
    for (int i = 0; i < TILE_ROWS; i += BLOCK_ROWS) {
#pragma unroll
        for (int j = 0; j < TILE_COLS; j += BLOCK_COLS) {
            int tile_row = threadIdx.y + i, tile_col = threadIdx.x + j;
            index_t row = first_row + tile_row, col = first_col + tile_col;
            if (row < rows && col < cols) tile[tile_row][tile_col] = in[row * cols + col];
        }
    }
}

// The way back: out[first_row ..., first_col ...] = tile. Every thread reads what it wrote.
__device__ __forceinline__ void store_tile(element *__restrict__ out, tile_array tile, index_t rows, index_t cols,
                                           index_t first_row, index_t first_col) {
#pragma unroll
    for (int i = 0; i < TILE_ROWS; i += BLOCK_ROWS) {
#pragma unroll
        for (int j = 0; j < TILE_COLS; j += BLOCK_COLS) {
            int tile_row = threadIdx.y + i, tile_col = threadIdx.x + j;
            index_t row = first_row + tile_row, col = first_col + tile_col;
            if (row < rows && col < cols) out[row * cols + col] = tile[tile_row][tile_col];
        }
    }
}

// out = the tile, turned. first_row and first_col are the tile's place in the matrix that it came from (rows x cols);
// out is cols x rows. The threads of the block are counted through and go down the tile's columns, TILE_ROWS threads to
// each, so a warp writes along a row of out whatever the shape of the block.
__device__ __forceinline__ void store_turned(element *__restrict__ out, tile_array tile, index_t rows, index_t cols,
                                             index_t first_row, index_t first_col) {
    const int thread = threadIdx.y * BLOCK_COLS + threadIdx.x;
    const int tile_row = thread % TILE_ROWS;
#pragma unroll
    for (int j = 0; j < TILE_COLS; j += BLOCK_THREADS / TILE_ROWS) {
        int tile_col = thread / TILE_ROWS + j;
        index_t out_row = first_col + tile_col, out_col = first_row + tile_row;
        if (out_row < cols && out_col < rows) out[out_row * rows + out_col] = tile[tile_row][tile_col];
    }
}

#endif
