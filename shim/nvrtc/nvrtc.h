// NVRTC's interface (nvrtc.h of CUDA 13.0), and ours behind it, by clang: the same calls under names of our own.
#ifndef HW_SHIM_NVRTC_H
#define HW_SHIM_NVRTC_H

#include <stddef.h>

typedef struct nvrtc_program *nvrtcProgram;

typedef enum nvrtcResult {
#define HW_RESULT(name, number) name = number,
#include "shim/nvrtc/results.def"
#undef HW_RESULT
} nvrtcResult;

#define HW_CALL(name, ours, parameters, arguments) int ours parameters;
#include "shim/nvrtc/calls.def"
#undef HW_CALL

// options as the program gave them; PTX comes of any architecture. Says on stderr where there is no clang, or
// what only NVIDIA's can do.
int hw_own_compile(nvrtcProgram program, int count, const char *const *options);
const char *hw_own_error_string(int result);

#endif
