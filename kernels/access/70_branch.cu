// A branch that odd lanes take, or odd warps.
//
// Idea       A warp whose lanes part runs both ways one after the other; one whose lanes agree runs its own.
// Predicted  H200, 65536 elements: of the 2048 branches by lane every one parts, of those by warp none does; the
//            guards of the ends are two branches more, which never part. Memory as the copy. The same on every GPU.
// Measured   Not by the seeds. H200, branchLane and branchWarp of tests/truth/ladder.cu, 16 square roots or 16 sines a
//            way, 2^26 threads: 593.1 us by lane, 339.8 by warp.
// Held back  By lane: by both ways' instructions.
#include "access/thread.cuh"

#ifndef LANES_APART
#define LANES_APART 1   // lanes that go the same way side by side
#endif

extern "C" __global__ void access_branch(word *__restrict__ out, const word *__restrict__ in, long long n, int step) {
    word value = load_own(in, n);
    (void)step;
    // The empty instructions keep compilers from turning the branch into a selection.
    if (threadIdx.x / LANES_APART % 2) {
        asm volatile("");
        value = 3 * value + 1;
    } else {
        asm volatile("");
        value = value + 7;
    }
    store_own(out, n, value);
}
