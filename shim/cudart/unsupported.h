// For calls that are not supported. Apart from cudart.h, because unsupported.c must not see the real signatures.
#ifndef HW_SHIM_CUDART_UNSUPPORTED_H
#define HW_SHIM_CUDART_UNSUPPORTED_H

#include "driver_types.h"

// cudaErrorNotSupported; the call's name goes to stderr the first time, and to the halfwarp command.
cudaError_t hw_cudart_unsupported(const char *call);

#endif
