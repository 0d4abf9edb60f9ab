// A square tile moved by a quarter of the threads: each has four rows of it.
//
// Idea       Four loads in flight per thread, and index arithmetic that four elements share. The tile is square again,
//            so a warp reads and writes 32 elements in a row, and the block is small: 256 threads, of which a
//            multiprocessor holds eight blocks that load while others store.
// Predicted  H200, f32 1024x1024, 32x8 threads, tile 32x32, PAD 1: 32768 loads and 32768 stores of 4 sectors each;
//            32768 shared stores and 32768 shared loads of one pass each. Occupancy 100%.
// Measured   H200, f32 8192x8192: 149.2 us, 3598 GB/s, 90% of the copy, 1.18 times as fast as two tiles. 10007x9973:
//            56%. Counters as predicted. In NVIDIA's MatrixTranspose.pdf every version moves its tile in this way.
// Held back  On GPUs before Fermi by the memory's partitions, see the next rung; on an H200 by four bytes per lane and
//            load where 16 are possible: four times the loads and stores, and half of the bytes in flight. Where no two
//            rows are aligned alike, by sectors that two blocks write.
#ifndef BLOCK_COLS
#define BLOCK_COLS 32
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif
#ifndef PAD
#define PAD 1
#endif
#ifndef TILE_COLS
#define TILE_COLS BLOCK_COLS
#endif
#ifndef TILE_ROWS
#define TILE_ROWS (4 * BLOCK_ROWS)
#endif
#include "common/tile.cuh"

extern "C" __global__ void transpose_more_rows(element *__restrict__ out, const element *__restrict__ in, index_t rows,
                                               index_t cols) {
    __shared__ tile_array tile;
    const index_t first_row = tile_row() * TILE_ROWS, first_col = tile_col() * TILE_COLS;
    load_tile(tile, in, rows, cols, first_row, first_col);
    __syncthreads();
    store_turned(out, tile, rows, cols, first_row, first_col);
}
