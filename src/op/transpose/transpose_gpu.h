// The permutation on a device that runs kernels: a real GPU or a simulated one.
#ifndef HW_OP_TRANSPOSE_GPU_H
#define HW_OP_TRANSPOSE_GPU_H

#include "device/device.h"
#include "op/transpose/permutation.h"
#include "op/transpose/transpose_plan.h"

// Queues the permutation on the stream. p is merged, its pointers are the device's. In place a permutation may need
// scratch memory of the stream, up to the array's size. HW_NO_MEMORY, HW_COMPILE, HW_NOT_FOUND (compiler).
hw_status hw_gpu_transpose(hw_stream *stream, const hw_permutation *p, hw_diag *diag);

// Adds to a failure's sentence that out may hold a part of the result, once. Returns status.
hw_status hw_transpose_in_part(hw_status status, hw_diag *diag);

// What it would do, a line per step.
const char *hw_gpu_transpose_explain(hw_device *device, const hw_permutation *p, char *text,
                                     size_t text_bytes);

#endif
