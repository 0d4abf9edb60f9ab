// Every thread a word from anywhere: out[i] = in[random(i)].
//
// Idea       None yet.
// Predicted  H200, 256x256: 2048 loads of 32 sectors each, one for a lane. 1.2 and 1.3: 32 bytes for each 4.
// Measured   H200, u32 8192x8192: 1492 us, 360 GB/s, 16% of the copy.
// Held back  7/8 of the bytes that come are for nobody, where no cache keeps them for others.
#include "gather/places.cuh"

extern "C" __global__ void gather_random(word *__restrict__ out, const word *__restrict__ in, int rows, int cols) {
    const int row = own_row(), col = own_col(), i = row * cols + col;
    if (row < rows && col < cols) out[i] = in[random_place(i, rows * cols)];
}
