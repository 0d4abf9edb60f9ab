// cutil's later spelling (CUDA 2.1 to 4): functions in place of macros. The rest is cutil.h's.
#ifndef HALFWARP_CUTIL_INLINE_H
#define HALFWARP_CUTIL_INLINE_H

#include "cutil.h"

#define cutilSafeCallNoSync(call) CUDA_SAFE_CALL_NO_SYNC(call)
#define cutilSafeCall(call) CUDA_SAFE_CALL_NO_SYNC(call)
#define cutilSafeThreadSync() CUDA_SAFE_CALL_NO_SYNC(cudaDeviceSynchronize())
#define cutilSafeMalloc(memory) halfwarp_cut_require((memory) != NULL, #memory, __FILE__, __LINE__)
#define cutilCheckError(call) CUT_SAFE_CALL(call)
#define cutilCondition(holds) CUT_CONDITION(holds)
#define cutilCheckMsg(message) CUT_CHECK_ERROR(message)
#define cutilExit(argc, argv) exit(EXIT_SUCCESS)

static inline void cutilDeviceInit(int argc, char **argv) { halfwarp_cut_choose(argc, argv); }
static inline void cutilChooseCudaDevice(int argc, char **argv) { halfwarp_cut_choose(argc, argv); }

// The GPU of the most multiprocessors times clock; the first of several.
static inline int cutGetMaxGflopsDeviceId(void) {
    int count = 0, best = 0;
    double most = -1;
    cutilSafeCall(cudaGetDeviceCount(&count));
    for (int i = 0; i < count; i++) {
        int multiprocessors = 0, khz = 0;
        cutilSafeCall(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, i));
        cutilSafeCall(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, i));
        if ((double)multiprocessors * khz <= most) continue;
        most = (double)multiprocessors * khz;
        best = i;
    }
    return best;
}

#endif
