// Memory and events between processes.
#include "runtime/virtual.h"
#include "shim/cudart/cudart.h"
#include "shim/sharing.h"

_Static_assert(sizeof(hw_rt_shared_name) == sizeof(cudaIpcMemHandle_t) &&
               sizeof(hw_rt_shared_name) == sizeof(cudaIpcEventHandle_t) &&
               sizeof(hw_rt_shared_name) == sizeof(struct cudaMemPoolPtrExportData), "names fill what CUDA gives them");

static cudaError_t open_shared(void **pointer, hw_rt_shared_kind kind, const void *name) {
    uint64_t address;
    const hw_rt_status status = hw_shim_open_shared(name, kind, pointer ? &address : NULL);
    if (!status) *pointer = (void *)(uintptr_t)address;
    return hw_cudart_return(status);
}

HW_EXPORT cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *pointer) {
    HW_ENTER();
    return hw_cudart_return(hw_shim_share(hw_address(pointer), HW_RT_SHARED_MEMORY, handle));
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
    return hw_cudart_return(hw_shim_share_event(hw_event_of(event), handle));
}

HW_EXPORT cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle) {
    HW_ENTER();
    return hw_cudart_return(hw_shim_open_event(&handle, (hw_rt_event **)event));
}

// ---- pools ----

HW_EXPORT cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *data, void *pointer) {
    HW_ENTER();
    return hw_cudart_return(hw_shim_share(hw_address(pointer), HW_RT_SHARED_OF_POOL, data));
}

HW_EXPORT cudaError_t cudaMemPoolImportPointer(void **pointer, cudaMemPool_t pool,
                                               struct cudaMemPoolPtrExportData *data) {
    HW_ENTER();
    if (!hw_rt_is_pool(hw_shim_runtime(), hw_pool_of(pool))) return hw_cudart_return(HW_RT_INVALID_VALUE);
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
            status = hw_rt_pool_set_access(hw_shim_runtime(), hw_pool_of(pool), wanted[i].location.id,
                                           (hw_rt_access)wanted[i].flags);
    return hw_cudart_return(status);
}

HW_EXPORT cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                           struct cudaMemLocation *location) {
    HW_ENTER();
    hw_rt_access access;
    hw_rt_status status = flags && location ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE;
    if (!status) status = hw_rt_pool_get_access(hw_shim_runtime(), hw_pool_of(pool), location->id, &access);
    if (!status) *flags = (enum cudaMemAccessFlags)access;
    return hw_cudart_return(status);
}
