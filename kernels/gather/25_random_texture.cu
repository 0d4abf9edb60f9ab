// The same words through a texture of plain memory.
//
// Idea       GPUs of 1.x have no other cache of global memory: what a fetch brings along stays for other lanes, where
//            the image is small enough. Since 2.0 a load has caches of its own, since 7.0 it is the same one.
// Predicted  2048 fetches; their sectors are those of the loads. The smaller the image beside the caches, the fewer
//            miss.
// Measured   H200, u32 8192x8192: 1495 us, 359 GB/s: no faster than loads, which the estimate (1.58 times) is wrong
//            about.
// Held back  Places that have nothing in common have no caches to gain by, once the image is larger than they are.
#include "gather/places.cuh"

extern "C" __global__ void gather_random_texture(word *__restrict__ out, cudaTextureObject_t in, int rows, int cols) {
    const int row = own_row(), col = own_col(), i = row * cols + col;
    if (row < rows && col < cols) out[i] = tex1Dfetch<word>(in, random_place(i, rows * cols));
}
