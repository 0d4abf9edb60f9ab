// What other files ask about the version of the runtime that they are linked into.
#ifndef HW_SHIM_VERSION_H
#define HW_SHIM_VERSION_H

#include "cuda_runtime_api.h"

// Of a launch with an impossible grid or block: CUDA 13 gives cudaErrorInvalidValue (measured, 13.0).
cudaError_t hw_version_configuration_error(void);

// Of an address that stands for no kernel: CUDA 13 takes it for a kernel handle, and an invalid one (measured, 13.0).
cudaError_t hw_version_unknown_function_error(void);

#endif
