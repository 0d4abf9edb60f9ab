// Reads of shared memory in elements of less than a word: char[t], char[4 t] and short[t].
//
// Idea       Several lanes want parts of one word.
// Predicted  H200, 65536 elements: 2048 shared loads of one pass each, whichever: who wants the same word gets it.
//            1.x serves one word to many lanes a pass: char[t] takes 4 passes a half-warp, short[t] 2, char[4 t] one.
// Measured   Seed 004, section 4.4.3.1: char[t] 4-way, char[4 t] without conflicts.
//            H200, bankStride of tests/truth/ladder.cu, one warp, chars: one pass up to 4 apart, 2 from 5 to 8.
// Held back  1.x by broadcasting one word at a time; nothing since 2.0.
#include "access/thread.cuh"

#ifndef PART
#define PART unsigned char
#endif
#ifndef APART
#define APART 1   // elements from lane to lane
#endif

extern "C" __global__ void access_bank_narrow(word *__restrict__ out, const word *__restrict__ in, long long n,
                                              int step) {
    __shared__ word words[BLOCK];
    (void)step;
    words[threadIdx.x] = load_own(in, n);
    __syncthreads();
    store_own(out, n, ((const PART *)words)[threadIdx.x * APART]);
}
