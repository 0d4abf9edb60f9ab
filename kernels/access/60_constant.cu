// Reads of constant memory: one address for all lanes, or one for each.
//
// Idea       The constant cache hands out one word at a time, to whoever wants it.
// Predicted  H200, 65536 elements: 2048 constant loads of one pass for one address, of 32 for an address a lane.
//            1.x: 2 passes a warp for one address, half-warps having one each; 32 for an address a lane.
// Measured   Seed 004, section 4.4.4.2: one cycle for a half-warp whose lanes read the same.
// Held back  Different addresses by the cache's one port; a table that lanes look up belongs into shared memory.
#include "access/thread.cuh"

#ifndef BY_LANE
#define BY_LANE 0
#endif

#define ENTRY(k) (word)((k) * 16777619u + 7u)
#define ENTRIES_8(k) ENTRY(k), ENTRY(k + 1), ENTRY(k + 2), ENTRY(k + 3), ENTRY(k + 4), ENTRY(k + 5), ENTRY(k + 6), \
                     ENTRY(k + 7)

__constant__ word table[64] = {ENTRIES_8(0),  ENTRIES_8(8),  ENTRIES_8(16), ENTRIES_8(24),
                               ENTRIES_8(32), ENTRIES_8(40), ENTRIES_8(48), ENTRIES_8(56)};

extern "C" __global__ void access_constant(word *__restrict__ out, const word *__restrict__ in, long long n, int step) {
    (void)step;
    store_own(out, n, load_own(in, n) + table[(BY_LANE ? threadIdx.x : blockIdx.x) % 64]);
}
