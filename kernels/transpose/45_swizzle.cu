// No unused memory: the columns of each row change places, by the exclusive or with the row's number.
//
// Idea       Element (row, col) of the tile lies in column col ^ row. Along a row this is the same set of columns in
//            another order; down a column the 32 elements lie in 32 different columns, hence banks. The tile needs its
//            power of two and no more, and the rule is right for elements of every size: elements that share a bank's
//            word, or take several, come in aligned groups, and ^ keeps those together.
// Predicted  H200, f32 1024x1024, 32x32 threads: 32768 loads and 32768 stores of 4 sectors each; 32768 shared stores
//            and 32768 shared loads of one pass each. Occupancy 100%, in 2 blocks per multiprocessor.
// Measured   H200, f32 8192x8192: 312.3 us, 1719 GB/s, 43% of the copy; the padded 32x16 tile takes 277.7 us. As fast
//            as padding with as many threads (307 us each for the seeds' kernels, transposeSwizzle and transposeSmem
//            pad1 32x32 of tests/truth/ladder.cu). Counters as predicted.
// Held back  As before: one element per thread. And its block is the large one of the square tile again, of which a
//            multiprocessor holds two: what the padded tile is faster by.
#include "common/grid.cuh"

#ifndef TILE_COLS
#define TILE_COLS 32
#endif
#define TILE TILE_COLS   // square, and a power of two: ^ must not leave the tile
#if TILE & (TILE - 1)
#error the side of a swizzled tile is a power of two
#endif

extern "C" __global__ void transpose_swizzle(element *__restrict__ out, const element *__restrict__ in, index_t rows,
                                             index_t cols) {
    __shared__ element tile[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const index_t row = tile_row() * TILE + y, col = tile_col() * TILE + x;
    if (row < rows && col < cols) tile[y][x ^ y] = in[row * cols + col];
    __syncthreads();
    // Element (x, y) of the tile: row x, column y.
    const index_t out_row = tile_col() * TILE + y, out_col = tile_row() * TILE + x;
    if (out_row < cols && out_col < rows) out[out_row * rows + out_col] = tile[x][y ^ x];
}
