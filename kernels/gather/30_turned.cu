// The image, turned: neighbours read neighbours, but along a line that is no row.
//
// Idea       None yet.
// Predicted  H200, 256x256: a warp's 32 lanes are two rows, each along a line through some ten rows of the image: 2048
//            loads of 12 sectors. Without a cache (1.x) each half-warp pays for its own, 19 transactions on 1.3.
// Measured   H200, u32 8192x8192: 255.0 us, 2105 GB/s, 91% of the copy.
// Held back  Rows of memory are the wrong shape for what a block reads.
#include "gather/places.cuh"

extern "C" __global__ void gather_turned(word *__restrict__ out, const word *__restrict__ in, int rows, int cols) {
    const int row = own_row(), col = own_col();
    if (row >= rows || col >= cols) return;
    const int from_row = within(turned_row(row, col, rows, cols), rows);
    out[row * cols + col] = in[from_row * cols + within(turned_col(row, col, rows, cols), cols)];
}
