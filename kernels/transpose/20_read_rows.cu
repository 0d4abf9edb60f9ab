// The definition, one thread per element: out[col][row] = in[row][col]. Reads along rows, writes along columns.
//
// Idea       None yet. Neighbouring threads read neighbouring elements, and write elements that lie a whole row of out
//            apart.
// Predicted  H200, f32 1024x1024, 32x16 threads: 32768 loads of 4 sectors (131072), 32768 stores of 32 sectors
//            (1048576): each element that is written takes a sector of its own, of which it fills 4 bytes of 32.
//            Occupancy 100%.
// Measured   H200, f32 8192x8192: 963.5 us, 557 GB/s, 14% of the copy. Counters as predicted. Smaller blocks are
//            faster, as a warp's rows then fill sectors: 8x32 threads 282 us (transposeNaiveRow of
//            tests/truth/ladder.cu). Seed 004: 16 transactions where one would do per half-warp on compute capability
//            1.0. NVIDIA's MatrixTranspose.pdf, f32 2048x2048: GTX 280 2.2, M2090 61.5, K20X 92.0 GB/s.
// Held back  By eight times the write traffic between multiprocessors and L2: the time is seven times the copy's.
#include "common/grid.cuh"

#ifndef TILE_COLS
#define TILE_COLS 32
#endif
#ifndef TILE_ROWS
#define TILE_ROWS 16
#endif

extern "C" __global__ void transpose_read_rows(element *__restrict__ out, const element *__restrict__ in, index_t rows,
                                               index_t cols) {
    const index_t row = tile_row() * TILE_ROWS + threadIdx.y;
    const index_t col = tile_col() * TILE_COLS + threadIdx.x;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}
