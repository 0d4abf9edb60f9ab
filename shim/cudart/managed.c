// Managed memory is host memory, so moving it ahead of time and advice about it are checked and then change nothing.
#include "shim/cudart/managed.h"

#include <string.h>

#include "shim/cudart/cudart.h"

static bool is_managed(const void *pointer, size_t bytes) {
    return hw_rt_is_managed(hw_shim_runtime(), hw_address(pointer), bytes);
}

static bool is_place(struct cudaMemLocation location) {
    return location.type != cudaMemLocationTypeDevice || !hw_rt_check_device(hw_shim_runtime(), location.id);
}

cudaError_t hw_managed_prefetch(const void *pointer, size_t bytes, struct cudaMemLocation location,
                                cudaStream_t stream) {
    hw_rt_stream_info info;
    HW_ENTER();
    if (hw_rt_stream_get_info(hw_shim_runtime(), hw_stream_of(stream), &info))
        return hw_cudart_return(HW_RT_INVALID_HANDLE);
    if (!is_place(location)) return hw_cudart_return(HW_RT_INVALID_DEVICE);
    return hw_cudart_return(is_managed(pointer, bytes) ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE);
}

cudaError_t hw_managed_advise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                              struct cudaMemLocation location) {
    HW_ENTER();
    const bool names_place = advice >= cudaMemAdviseSetPreferredLocation;
    if (names_place && !is_place(location)) return hw_cudart_return(HW_RT_INVALID_DEVICE);
    bool known = advice >= cudaMemAdviseSetReadMostly && advice <= cudaMemAdviseUnsetAccessedBy;
    return hw_cudart_return(known && is_managed(pointer, bytes) ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE);
}

HW_EXPORT cudaError_t cudaMemRangeGetAttribute(void *data, size_t dataBytes, enum cudaMemRangeAttribute attr,
                                               const void *pointer, size_t bytes) {
    HW_ENTER();
    if (!data || !is_managed(pointer, bytes) || dataBytes < sizeof(int)) return hw_cudart_return(HW_RT_INVALID_VALUE);
    int value = attr == cudaMemRangeAttributeReadMostly ? 0 : cudaInvalidDeviceId;
    for (size_t i = 0; i + sizeof value <= dataBytes; i += sizeof value) memcpy((char *)data + i, &value, sizeof value);
    return cudaSuccess;
}
