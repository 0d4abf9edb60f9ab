// The copy moved by some elements: out[i + offset] = in[i + offset].
//
// Idea       The lanes still lie side by side, but the warp's run of words does not begin where a segment does.
// Predicted  H200, 65536 elements, offset 2: 2048 loads and 2048 stores of 5 sectors each; of 4 when the offset is a
//            multiple of 8. The neighbouring warp asks for the fifth as well, so that it comes from the memory once.
//            1.0: 128 bytes a warp when the offset is a multiple of 16, else 32 transactions of 32 bytes, 1024 bytes.
//            1.3: 128 bytes at multiples of 16, 192 at 8 and 24 (a half-warp's 128, the other's 32 and 32), 224
//            elsewhere (128, and 64 and 32). 2.x: two lines of 128 bytes a load, one at multiples of 32.
// Measured   Seed 004, figure 4-7: FX 5600 60 GB/s at 0 and 16, else 6.6; GTX 280 120 and 66.
//            H200, offsetCopy of tests/truth/ladder.cu, 2^26 floats: 204.7 us at 0, 211.2 at 8, 212.1 at 16, 212.8 at
//            1, 212.9 at 17: 4% at most. Sectors as predicted.
// Held back  1.0 by its strict order, 1.3 by the part of its segments that nobody wants, later GPUs by nothing.
#include "access/thread.cuh"

extern "C" __global__ void access_offset(word *__restrict__ out, const word *__restrict__ in, long long n, int step) {
    const long long i = own_element();
    if (i < n) out[i + step] = in[i + step];
}
