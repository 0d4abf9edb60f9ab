// Memory and events between processes.
#include "runtime/sharing.h"
#include "runtime/virtual.h"

#include <string.h>

#include "shim/cudart/cudart.h"

_Static_assert(sizeof(hw_rt_shared_name) == sizeof(cudaIpcMemHandle_t) &&
               sizeof(hw_rt_shared_name) == sizeof(cudaIpcEventHandle_t) &&
               sizeof(hw_rt_shared_name) == sizeof(struct cudaMemPoolPtrExportData), "names fill what CUDA gives them");

static cudaError_t share(const void *pointer, hw_rt_shared_kind kind, void *out) {
    HW_ENTER();
    hw_rt_shared_name name;
    if (!out) return hw_cudart_return(HW_RT_INVALID_VALUE);
    const hw_rt_status status = hw_rt_share(hw_shim_runtime(), hw_address(pointer), kind, &name);
    if (!status) memcpy(out, &name, sizeof name);
    return hw_cudart_return(status);
}

static cudaError_t open_shared(void **pointer, hw_rt_shared_kind kind, const void *bytes) {
    HW_ENTER();
    hw_rt_shared_name name;
    uint64_t made;
    if (!pointer) return hw_cudart_return(HW_RT_INVALID_VALUE);
    memcpy(&name, bytes, sizeof name);
    const hw_rt_status status = hw_rt_shared_open(hw_shim_runtime(), &name, kind, hw_shim_site(), &made);
    if (!status) *pointer = (void *)(uintptr_t)made;
    return hw_cudart_return(status);
}

HW_EXPORT cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *pointer) {
    return share(pointer, HW_RT_SHARED_MEMORY, handle);
}

HW_EXPORT cudaError_t cudaIpcOpenMemHandle(void **pointer, cudaIpcMemHandle_t handle, unsigned int flags) {
    HW_ENTER();
    if (flags != cudaIpcMemLazyEnablePeerAccess) return hw_cudart_return(HW_RT_INVALID_VALUE);
    return open_shared(pointer, HW_RT_SHARED_MEMORY, &handle);
}

HW_EXPORT cudaError_t cudaIpcCloseMemHandle(void *pointer) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_shared_close(hw_shim_runtime(), hw_address(pointer), HW_RT_SHARED_MEMORY));
}

HW_EXPORT cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event) {
    HW_ENTER();
    hw_rt_shared_name name;
    if (!handle) return hw_cudart_return(HW_RT_INVALID_VALUE);
    const hw_rt_status status = hw_rt_event_share(hw_shim_runtime(), hw_event_of(event), &name);
    if (!status) memcpy(handle, &name, sizeof name);
    return hw_cudart_return(status);
}

HW_EXPORT cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle) {
    HW_ENTER();
    hw_rt_shared_name name;
    memcpy(&name, &handle, sizeof name);
    if (!event) return hw_cudart_return(HW_RT_INVALID_VALUE);
    return hw_cudart_return(hw_rt_event_open(hw_shim_runtime(), &name, (hw_rt_event **)event));
}

// ---- pools ----

HW_EXPORT cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *data, void *pointer) {
    return share(pointer, HW_RT_SHARED_OF_POOL, data);
}

HW_EXPORT cudaError_t cudaMemPoolImportPointer(void **pointer, cudaMemPool_t pool,
                                               struct cudaMemPoolPtrExportData *data) {
    HW_ENTER();
    if (!data || !hw_rt_is_pool(hw_shim_runtime(), hw_pool_of(pool))) return hw_cudart_return(HW_RT_INVALID_VALUE);
    return open_shared(pointer, HW_RT_SHARED_OF_POOL, data);
}

HW_EXPORT cudaError_t cudaMemPoolExportToShareableHandle(void *handle, cudaMemPool_t pool,
                                                         enum cudaMemAllocationHandleType type, unsigned int flags) {
    HW_ENTER();
    if (!handle || flags || type != cudaMemHandleTypePosixFileDescriptor) return hw_cudart_return(HW_RT_INVALID_VALUE);
    return hw_cudart_return(hw_rt_pool_export(hw_shim_runtime(), hw_pool_of(pool), handle));
}

HW_EXPORT cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *handle,
                                                           enum cudaMemAllocationHandleType type, unsigned int flags) {
    HW_ENTER();
    if (!pool || flags || type != cudaMemHandleTypePosixFileDescriptor) return hw_cudart_return(HW_RT_INVALID_VALUE);
    return hw_cudart_return(hw_rt_pool_import(hw_shim_runtime(), (int)(intptr_t)handle, (hw_rt_pool **)pool));
}

HW_EXPORT cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *wanted, size_t count) {
    HW_ENTER();
    hw_rt_status status = hw_rt_is_pool(hw_shim_runtime(), hw_pool_of(pool)) && (wanted || !count)
                              ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE;
    for (size_t i = 0; !status && i < count; i++)
        if (wanted[i].location.type == cudaMemLocationTypeDevice)
            status = hw_rt_pool_check_access(wanted[i].location.id, (hw_rt_access)wanted[i].flags);
    return hw_cudart_return(status);
}

HW_EXPORT cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                           struct cudaMemLocation *location) {
    HW_ENTER();
    hw_rt_status status = flags && location && hw_rt_is_pool(hw_shim_runtime(), hw_pool_of(pool))
                              ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE;
    if (!status && hw_rt_check_device(location->id)) status = HW_RT_INVALID_VALUE;
    if (!status) *flags = cudaMemAccessFlagsProtReadWrite;
    return hw_cudart_return(status);
}
