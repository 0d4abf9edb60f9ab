// Two tiles side by side for each block: every thread has two loads in flight.
//
// Idea       The memory is kept busy by what is asked for and not yet there. A thread that asks twice before it waits
//            doubles that, and halves the barriers per element. The two tiles lie in one array of twice the columns,
//            padded as before.
// Predicted  H200, f32 1024x1024, 32x16 threads, tile 64x16, PAD 2: 32768 loads and 32768 stores of 4 sectors each;
//            32768 shared stores and 32768 shared loads of one pass each. Occupancy 100%.
// Measured   H200, f32 8192x8192: 176.6 us, 3041 GB/s, 76% of the copy, 1.57 times as fast as one padded tile and the
//            largest gain since the first step. Counters as predicted. Seed 000: the best of its versions on a K40.
// Held back  Two loads in flight, 16 KiB for a multiprocessor, are still few for a GPU with this much bandwidth; and a
//            warp writes only 64 bytes of a row of out at a time.
#ifndef BLOCK_COLS
#define BLOCK_COLS 32
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 16
#endif
#ifndef PAD
#define PAD 2
#endif
#ifndef TILE_COLS
#define TILE_COLS (2 * BLOCK_COLS)
#endif
#ifndef TILE_ROWS
#define TILE_ROWS BLOCK_ROWS
#endif
#include "common/tile.cuh"

extern "C" __global__ void transpose_two_tiles(element *__restrict__ out, const element *__restrict__ in, index_t rows,
                                               index_t cols) {
    __shared__ tile_array tile;
    const index_t first_row = tile_row() * TILE_ROWS, first_col = tile_col() * TILE_COLS;
    load_tile(tile, in, rows, cols, first_row, first_col);
    __syncthreads();
    store_turned(out, tile, rows, cols, first_row, first_col);
}
