// The same through a texture of plain memory.
//
// Idea       The texture cache keeps what a row of lanes has brought along for the next rows of the block.
// Predicted  Sectors as before. GTX 280, 512x512: half of them miss, since a block's rows share them.
// Measured   H200, u32 8192x8192: 280.3 us, 1915 GB/s, 83% of the copy.
// Held back  A sector is 8 words of one row, of which a line across the rows wants one or two.
#include "gather/places.cuh"

extern "C" __global__ void gather_turned_texture(word *__restrict__ out, cudaTextureObject_t in, int rows, int cols) {
    const int row = own_row(), col = own_col();
    if (row >= rows || col >= cols) return;
    const int from_row = within(turned_row(row, col, rows, cols), rows);
    out[row * cols + col] = tex1Dfetch<word>(in, from_row * cols + within(turned_col(row, col, rows, cols), cols));
}
