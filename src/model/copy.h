// How fast a GPU copies memory, which is less than its datasheet's bandwidth.
#ifndef HW_MODEL_COPY_H
#define HW_MODEL_COPY_H

#include "isa/gpu.h"

// 10^9 bytes per second, read and written, of a large array whose accesses are coalesced: as measured (copy.def), else
// 85% of gpu->memory_gbs, between the 71% and 93% of those that were.
double hw_copy_gbs(const hw_gpu *gpu);

#endif
