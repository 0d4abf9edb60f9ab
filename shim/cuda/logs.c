// Logs: what goes wrong is said on stderr, so that there is nothing in them and nobody is called.
#include <stdatomic.h>
#include <stdio.h>

#include "shim/cuda/driver.h"

// Handles are numbers, one for each callback.
HW_EXPORT CUresult cuLogsRegisterCallback(CUlogsCallback callback, void *data, CUlogsCallbackHandle *handle) {
    static atomic_uintptr_t n;
    (void)data;
    if (!callback || !handle) return hw_cuda_return(HW_RT_INVALID_VALUE);
    *handle = (CUlogsCallbackHandle)(atomic_fetch_add(&n, 1) + 1);
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle handle) {
    return hw_cuda_return(handle ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE);
}

HW_EXPORT CUresult cuLogsCurrent(CUlogIterator *at, unsigned flags) {
    if (!at || flags) return hw_cuda_return(HW_RT_INVALID_VALUE);
    *at = 0;
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuLogsDumpToFile(CUlogIterator *at, const char *path, unsigned flags) {
    (void)at;
    FILE *file = path && !flags ? fopen(path, "w") : NULL;
    if (!file) return hw_cuda_return(HW_RT_INVALID_VALUE);
    fclose(file);
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuLogsDumpToMemory(CUlogIterator *at, char *buffer, size_t *bytes, unsigned flags) {
    (void)at;
    if (!buffer || !bytes || flags) return hw_cuda_return(HW_RT_INVALID_VALUE);
    if (*bytes) *buffer = '\0';
    *bytes = 0;
    return CUDA_SUCCESS;
}
