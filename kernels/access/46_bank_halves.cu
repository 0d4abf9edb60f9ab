// Doubles through shared memory, split into two arrays of their halves.
//
// Idea       Each half is an access of 4 bytes, side by side with the neighbour's.
// Predicted  H200, 65536 elements: 4096 shared stores and 4096 loads of one pass each: as many passes as the double in
//            one piece, in twice the instructions. 1.x: 2 passes a warp and access, 4 for the double instead of 8.
// Measured   Seed 004, section 4.4.3.1: no conflicts, and "slower on the next generation", which the counts confirm.
//            H200, bankDoubleSplit of tests/truth/ladder.cu, one warp: two loads of one pass each.
// Held back  Since 2.0 by the second instruction.
#include "access/thread.cuh"

extern "C" __global__ void access_bank_halves(word *__restrict__ out, const word *__restrict__ in, long long n,
                                              int step) {
    __shared__ int low[BLOCK], high[BLOCK];
    const word own = load_own(in, n);
    const double value = __hiloint2double((int)(3 * own), (int)own);
    (void)step;
    low[threadIdx.x] = __double2loint(value);
    high[threadIdx.x] = __double2hiint(value);
    __syncthreads();
    const double other = __hiloint2double(high[threadIdx.x ^ 1], low[threadIdx.x ^ 1]);
    store_own(out, n, (word)__double2loint(other) + 2 * (word)__double2hiint(other));
}
