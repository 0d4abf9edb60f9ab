// Managed memory is host memory, so moving it ahead of time and advice about it are checked and then change nothing.
#include "shim/cudart/managed.h"

#include <string.h>

#include "shim/shim.h"

static bool is_managed(const void *pointer, size_t bytes) {
    hw_allocation found;
    return bytes && hw_mem_find(hw_sim_mem(hw_shim_sim()), hw_address(pointer), bytes, &found) &&
           (found.kind == HW_ALLOC_MANAGED || found.kind == HW_ALLOC_REGISTERED);
}

cudaError_t hw_managed_prefetch(const void *pointer, size_t bytes, struct cudaMemLocation location,
                                cudaStream_t stream) {
    HW_ENTER();
    if (!hw_stream_is_valid(stream)) return hw_shim_return(cudaErrorInvalidResourceHandle);
    if (location.type == cudaMemLocationTypeDevice && location.id) return hw_shim_return(cudaErrorInvalidDevice);
    return hw_shim_return(is_managed(pointer, bytes) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t hw_managed_advise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                              struct cudaMemLocation location) {
    HW_ENTER();
    bool names_device = advice >= cudaMemAdviseSetPreferredLocation && location.type == cudaMemLocationTypeDevice;
    if (names_device && location.id) return hw_shim_return(cudaErrorInvalidDevice);
    bool known = advice >= cudaMemAdviseSetReadMostly && advice <= cudaMemAdviseUnsetAccessedBy;
    return hw_shim_return(known && is_managed(pointer, bytes) ? cudaSuccess : cudaErrorInvalidValue);
}

HW_EXPORT cudaError_t cudaMemRangeGetAttribute(void *data, size_t dataBytes, enum cudaMemRangeAttribute attr,
                                               const void *pointer, size_t bytes) {
    HW_ENTER();
    if (!data || !is_managed(pointer, bytes) || dataBytes < sizeof(int)) return hw_shim_return(cudaErrorInvalidValue);
    int value = attr == cudaMemRangeAttributeReadMostly ? 0 : cudaInvalidDeviceId;
    for (size_t i = 0; i + sizeof value <= dataBytes; i += sizeof value) memcpy((char *)data + i, &value, sizeof value);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    if (!mode) return hw_shim_return(cudaErrorInvalidValue);
    *mode = cudaStreamCaptureModeGlobal;
    return cudaSuccess;
}
