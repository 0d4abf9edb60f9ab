// The least of each block's 512 elements, and what the clock of its multiprocessor says that it took.
//
// Idea       clock() before and after: blocks run side by side and in any order, so each has a time of its own.
// Predicted  H200, 65536 elements: 128 blocks, 2048 loads of 4 sectors; shared accesses take one pass each.
//            The clock of a simulated GPU counts the instructions of the block; it is no time.
//            8800 GTX: 256 threads and 2 KiB let a multiprocessor hold 3 blocks, so that 64 blocks on 16 of them are
//            two waves.
// Measured   Seed 004, section 4.2.1, 8800 GTX: 1, 8, 16, 32, 64 blocks take 3096, 3232, 3364, 4615, 9981 clocks in
//            all. It subtracts clocks of different multiprocessors, which do not run in step; here each block
//            has its own. H200, timedReduction of tests/truth/ladder.cu: 5.5 us for 1 to 32 blocks, 6.3 for 1056.
// Held back  By the barriers of a tree that half of the threads leave at every level.
#include "access/thread.cuh"

extern "C" __global__ void access_timed(word *__restrict__ out, const word *__restrict__ in, long long n, int step,
                                        unsigned long long *__restrict__ clocks) {
    __shared__ word least[2 * BLOCK];
    const unsigned long long start = clock64();
    const long long first = (long long)blockIdx.x * (2 * BLOCK) + threadIdx.x;
    (void)step;
    least[threadIdx.x] = first < n ? in[first] : ~0u;
    least[threadIdx.x + BLOCK] = first + BLOCK < n ? in[first + BLOCK] : ~0u;
    for (int half = BLOCK; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            const word other = least[threadIdx.x + half];
            if (other < least[threadIdx.x]) least[threadIdx.x] = other;
        }
    }
    if (threadIdx.x == 0) out[blockIdx.x] = least[0];
    __syncthreads();
    if (threadIdx.x == 0) clocks[blockIdx.x] = clock64() - start;
}
