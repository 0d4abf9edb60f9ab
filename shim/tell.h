// Tells observers of the simulation (event/host.h) what the program asks of the GPU. Each costs a test where nobody
// wants to know.
#ifndef HW_SHIM_TELL_H
#define HW_SHIM_TELL_H

#include "shim.h"

// Regions as hw_copy_rows gets them.
void hw_shim_tell_copy(const hw_region *to, const hw_region *from, size_t width, size_t height, size_t depth,
                       enum cudaMemcpyKind kind, cudaStream_t stream);
void hw_shim_tell_set(const hw_region *to, int value, size_t width, size_t height, size_t depth, cudaStream_t stream);
// What a stream or an event, NULL where there is none, has been asked for.
void hw_shim_tell_order(hw_host_action action, const void *stream, const void *event);

// Of a copy whose call has come back when it was done: between two places of the device it need not be. Returns error.
cudaError_t hw_shim_waited(cudaError_t error, enum cudaMemcpyKind kind);

#endif
