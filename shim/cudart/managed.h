// Prefetching and advice, whose signatures differ between versions of the runtime (version.c).
#ifndef HW_SHIM_MANAGED_H
#define HW_SHIM_MANAGED_H

#include "cuda_runtime_api.h"

cudaError_t hw_managed_prefetch(const void *pointer, size_t bytes, struct cudaMemLocation location,
                                cudaStream_t stream);
cudaError_t hw_managed_advise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                              struct cudaMemLocation location);

#endif
