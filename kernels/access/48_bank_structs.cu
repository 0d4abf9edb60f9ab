// Structures in shared memory: of three words, of two, and of a word and a char.
//
// Idea       Members are read one by one, the lanes the structure's size apart.
// Predicted  H200, 65536 elements: three words 6144 loads of one pass each, as 3 is odd. Two words are read as one of 8
//            bytes, 2048 loads of 2 passes; a word and a char 4096 loads of 2 passes each, 8 bytes apart.
//            1.x: three words one pass a half-warp and member; two words and the mixed ones 2, as lanes 8 apart meet.
//            3.x: one pass each.
// Measured   Seed 004, section 4.4.3.1, says so of the first two. Of the third it says 5 bytes apart; it is 8, as the
//            word must be aligned. H200, bankStruct of tests/truth/ladder.cu, one warp: three words 3 loads of one
//            pass, two words one load of 2 passes; a structure with a char that is copied whole one of 2 passes too.
// Held back  The structures of 8 bytes by the banks on 1.x; an array for each member has no conflicts.
#include "access/thread.cuh"

#ifndef MEMBERS
#define MEMBERS 3   // 3: three words, 2: two words, 1: a word and a char
#endif

struct record {
    word x;
#if MEMBERS == 1
    unsigned char y;
#else
    word y;
#endif
#if MEMBERS == 3
    word z;
#endif
};

extern "C" __global__ void access_bank_structs(word *__restrict__ out, const word *__restrict__ in, long long n,
                                               int step) {
    __shared__ record records[BLOCK];
    const word own = load_own(in, n);
    record value;
    (void)step;
    value.x = own;
    value.y = 3 * own;
#if MEMBERS == 3
    value.z = 5 * own;
#endif
    records[threadIdx.x] = value;
    __syncthreads();
    const record other = records[threadIdx.x ^ 1];
    word sum = other.x + 2 * (word)other.y;
#if MEMBERS == 3
    sum += 4 * other.z;
#endif
    store_own(out, n, sum);
}
