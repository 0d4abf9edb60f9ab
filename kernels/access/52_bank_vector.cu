// Words of 16 bytes through shared memory.
//
// Idea       One instruction moves four words of a lane.
// Predicted  H200, 65536 elements: 2048 shared stores and 2048 loads of 4 passes each, a quarter of the warp in each:
//            512 bytes at 128 a pass, no conflict. 1.x: four requests of 4 bytes, lanes 4 apart meet: 16 passes a
//            half-warp, 32 a warp. 2.x 4 passes; 3.x 2.
// Measured   Not by the seeds.
// Held back  1.x by conflicts, 8 times the passes of its bytes; nothing since 3.0.
#include "access/thread.cuh"

extern "C" __global__ void access_bank_vector(word *__restrict__ out, const word *__restrict__ in, long long n,
                                              int step) {
    __shared__ uint4 shared[BLOCK];
    const word own = load_own(in, n);
    (void)step;
    shared[threadIdx.x] = make_uint4(own, 3 * own, 5 * own, 7 * own);
    __syncthreads();
    const uint4 other = shared[threadIdx.x ^ 1];
    store_own(out, n, other.x + 2 * other.y + 4 * other.z + 8 * other.w);
}
