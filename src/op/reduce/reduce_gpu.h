// The reduction on a device that runs kernels: a real GPU or a simulated one.
#ifndef HW_OP_REDUCE_GPU_H
#define HW_OP_REDUCE_GPU_H

#include "device/device.h"
#include "op/reduce/reduction.h"

// form has outputs, no HW_REDUCE_EXACT, and pointers of the device. In the order of the stream. HW_UNSUPPORTED: more
// outputs than a grid has blocks for; HW_NO_MEMORY, HW_COMPILE, HW_NOT_FOUND (compiler).
hw_status hw_gpu_reduce(hw_stream *stream, const hw_reduction_form *form, hw_diag *diag);

// What it would do, a line per step.
const char *hw_gpu_reduce_explain(hw_device *device, const hw_reduction_form *form, char *text, size_t text_bytes);

#endif
