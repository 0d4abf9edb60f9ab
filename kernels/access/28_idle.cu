// One lane of each half-warp accesses nothing.
//
// Idea       A gap in the run: is it still one transaction?
// Predicted  H200, 65536 elements: as the copy, 4 sectors an access, since each has lanes that want it. 1.0 and 1.3:
//            128 bytes a warp, and nobody gets the word in the gap.
// Measured   Seed 004, figure 4-4: one transaction of 64 bytes a half-warp.
// Held back  By the bytes in the gap, 1 in 16.
#include "access/thread.cuh"

#define IDLE_LANE 5

extern "C" __global__ void access_idle(word *__restrict__ out, const word *__restrict__ in, long long n, int step) {
    const long long i = own_element();
    (void)step;
    if (i < n && i % 16 != IDLE_LANE) out[i] = in[i];
}
