// Device code as compiled programs hold it in memory.
#ifndef HW_SHIM_CONTAINER_H
#define HW_SHIM_CONTAINER_H

#include "runtime/module.h"

// Bytes from an address to the end of the program's segment that it lies in: a container's own sizes are not trusted.
// A GiB where it is in no segment.
size_t hw_shim_readable_bytes(const void *data);

// Is this the struct that nvcc and clang put around a program's fat binary?
bool hw_shim_is_wrapper(const void *data);
// The PTX in it for a GPU of capability cc; of several files' code, which the driver would link, all as one. As
// hw_rt_unpack. HW_RT_INVALID_PTX: it is no wrapper.
hw_rt_status hw_shim_unpack(const void *wrapper, int cc, hw_rt_code *out, hw_diag *diag);

// The container of code that is no part of a whole, with machine code as well, and as much as can be read; NULL.
const void *hw_shim_container(const void *wrapper, size_t *readable_bytes);

#endif
