// Reads of shared memory, the lanes `stride` words apart.
//
// Idea       Word w lies in bank w modulo the number of banks. Lanes that meet in a bank wait for each other.
// Predicted  H200, 65536 elements, stride 2: 8192 shared stores of one pass each, 2048 shared loads of 2 passes each;
//            gcd(stride, 32) passes. 1.x: gcd(stride, 16) for each half-warp, 4 passes a warp at stride 2.
//            3.x: banks of 8 bytes, stride 2 takes one pass. Any odd stride takes one everywhere.
// Measured   Seed 004, section 4.4.3.1: an odd stride has no conflicts on 1.x.
//            H200, bankStride of tests/truth/ladder.cu, one warp, strides 0 to 33: passes as predicted.
// Held back  By the banks; a row of one word more (17, 33) makes the stride of a column odd.
#include "access/thread.cuh"

#define WORDS 1024   // a warp's lanes at stride 32 all have words of their own; a power of two keeps the banks

extern "C" __global__ void access_bank_stride(word *__restrict__ out, const word *__restrict__ in, long long n,
                                              int step) {
    __shared__ word words[WORDS];
    const word own = load_own(in, n);
#pragma unroll
    for (int at = 0; at < WORDS; at += BLOCK) words[at + threadIdx.x] = own;
    __syncthreads();
    store_own(out, n, words[threadIdx.x * step % WORDS]);
}
