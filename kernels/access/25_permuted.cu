// Neighbouring lanes read each other's word: out[i] = in[i ^ 1].
//
// Idea       The same bytes in the same segment, in another order among the lanes.
// Predicted  H200, 65536 elements: as the copy, 4 sectors an access. 1.0: a load is 32 transactions of 32 bytes, 1024
//            bytes a warp, and a store 128. 1.2 and on: the order does not matter, 128 bytes.
// Measured   Seed 004, section 4.4.2.1: one transaction of 64 bytes a half-warp on 1.2 and on, 16 on 1.0.
// Held back  By nothing since 1.2.
#include "access/thread.cuh"

extern "C" __global__ void access_permuted(word *__restrict__ out, const word *__restrict__ in, long long n, int step) {
    const long long i = own_element(), other = i ^ 1;
    (void)step;
    if (i < n) out[i] = in[other < n ? other : i];
}
