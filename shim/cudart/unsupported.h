// For calls that are not supported. Apart from shim.h, because unsupported.c must not see the real signatures.
#ifndef HW_SHIM_UNSUPPORTED_H
#define HW_SHIM_UNSUPPORTED_H

#include "driver_types.h"

#define HW_EXPORT __attribute__((visibility("default")))

// cudaErrorNotSupported; the call's name goes to stderr the first time, and to the halfwarp command.
cudaError_t hw_shim_unsupported(const char *call);

#endif
