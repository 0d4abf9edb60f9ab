// A copy of every stride-th element: out[i * stride] = in[i * stride].
//
// Idea       Of all that is moved one word in `stride` is wanted, until every lane has a transaction of its own.
// Predicted  H200, 65536 elements, stride 2: 2048 loads and 2048 stores of 8 sectors each; 4 times the stride up to 8,
//            32 from there on. 1.0: 32 transactions of 32 bytes for every stride but 1.
//            1.3, transactions and bytes a warp: stride 1 2, 128; 2 2, 256; 4 4, 512; 8 8, 1024; 16 16, 2048; 32 32,
//            1024, as a transaction with one lane shrinks to 32 bytes. 2.x: as many lines of 128 bytes as the stride.
// Measured   Seed 004, figure 4-9, which shows curves without numbers.
//            H200, strideCopy of tests/truth/ladder.cu, 2^22 floats: 15.0, 26.5, 48.9, 94.5, 131.9, 199.4 us at strides
//            1, 2, 4, 8, 16, 32. Sectors as predicted; beyond 8 the memory's own pieces, larger than sectors, tell.
// Held back  By words that nobody wants. Through shared memory they can be read once and used, as the tiles of the
//            transposes do.
#include "access/thread.cuh"

extern "C" __global__ void access_stride(word *__restrict__ out, const word *__restrict__ in, long long n, int step) {
    const long long i = own_element();
    if (i < n) out[i * step] = in[i * step];
}
