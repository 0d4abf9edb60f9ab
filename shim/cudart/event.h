// cudaEventElapsedTime under the names that versions of the runtime have for it.
#ifndef HW_SHIM_EVENT_H
#define HW_SHIM_EVENT_H

#include "cuda_runtime_api.h"

cudaError_t hw_event_elapsed(float *milliseconds, cudaEvent_t start, cudaEvent_t end);

#endif
