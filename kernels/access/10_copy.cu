// The bound: lane k of a warp reads and writes word k of an aligned run of 128 bytes.
//
// Idea       None: what every other rung is compared with, out[i] = in[i].
// Predicted  H200, 65536 elements: 2048 loads and 2048 stores of 4 sectors each; nothing in shared memory.
//            1.0 and 1.3: two transactions of 64 bytes a warp, 128 bytes. 2.x: one line of 128 bytes a load.
// Measured   Seed 004, section 4.4.2.3: about 60 GB/s on a Quadro FX 5600, 120 on a GTX 280. NVIDIA's
//            MatrixTranspose.pdf: 96.9 on a GTX 280, 125.2 on a Tesla M2090, 147.6 on a K20X, 2048x2048 floats.
//            H200, such a kernel (offsetCopy 0 of tests/truth/ladder.cu), 2^26 floats: 204.7 us, 2623 GB/s.
// Held back  By the memory; and on an H200 by one load of 4 bytes in flight for each thread.
#include "access/thread.cuh"

extern "C" __global__ void access_copy(word *__restrict__ out, const word *__restrict__ in, long long n, int step) {
    const long long i = own_element();
    (void)step;
    if (i < n) out[i] = in[i];
}
