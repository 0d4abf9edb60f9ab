// Doubles through shared memory, as they are.
//
// Idea       A lane's 8 bytes lie in two banks of 4 bytes.
// Predicted  H200, 65536 elements: 2048 shared stores and 2048 loads of 2 passes each, half a warp in each, which is
//            what their bytes need. 1.x: the two words are asked for one after the other, and lanes 8 apart meet in a
//            bank: 4 passes a half-warp, 8 a warp. 2.x 2 passes; 3.x one, its banks have 8 bytes.
// Measured   Seed 004, section 4.4.3.1: 2-way conflicts, in two requests.
//            H200, bankStride of tests/truth/ladder.cu, one warp: 2 passes, no conflict.
// Held back  1.x by the conflicts (46_bank_halves.cu); nothing since.
#include "access/thread.cuh"

extern "C" __global__ void access_bank_double(word *__restrict__ out, const word *__restrict__ in, long long n,
                                              int step) {
    __shared__ double shared[BLOCK];
    const word own = load_own(in, n);
    (void)step;
    shared[threadIdx.x] = __hiloint2double((int)(3 * own), (int)own);
    __syncthreads();
    const double other = shared[threadIdx.x ^ 1];
    store_own(out, n, (word)__double2loint(other) + 2 * (word)__double2hiint(other));
}
