// Nearest neighbours on a device with kernels.
#ifndef HW_OP_NEAREST_GPU_H
#define HW_OP_NEAREST_GPU_H

#include "device/device.h"
#include "op/nearest/neighbours.h"

// queries.count is not 0; done on return. HW_USAGE for a NaN, and then nothing is written; HW_NO_MEMORY, HW_COMPILE.
hw_status hw_gpu_nearest(hw_stream *stream, const hw_neighbours *problem, hw_diag *diag);

// What it would do, in words.
const char *hw_gpu_nearest_explain(hw_device *device, const hw_neighbours *problem, char *text, size_t text_bytes);

#endif
