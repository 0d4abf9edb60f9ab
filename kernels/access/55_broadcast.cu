// One word of shared memory for all lanes, or four for a quarter of them each: side by side, or in one bank.
//
// Idea       Who wants the same word is served together.
// Predicted  H200, 65536 elements: 2048 shared loads of one pass each, with one word or with four in four banks;
//            of 4 passes with four words of one bank.
//            1.x: one pass a half-warp for one word; with four of them 4 passes, as a pass broadcasts one word and
//            serves a single lane of every other bank; 4 with four in one bank. 2.0 and on: one, and 4;
//            3.x 2, since words 32 apart can share a row of its banks.
// Measured   Seed 004, section 4.4.3.1: one word takes one pass.
//            H200, bankBroadcast of tests/truth/ladder.cu: as many passes as different words of one bank, 1 to 32.
// Held back  1.x by one broadcast word a pass.
#include "access/thread.cuh"

#ifndef WORDS
#define WORDS 4
#endif
#ifndef APART
#define APART 1   // words from one to the next
#endif

extern "C" __global__ void access_broadcast(word *__restrict__ out, const word *__restrict__ in, long long n,
                                            int step) {
    __shared__ word words[BLOCK];
    (void)step;
    words[threadIdx.x] = load_own(in, n);
    __syncthreads();
    store_own(out, n, words[threadIdx.x % WORDS * APART]);
}
