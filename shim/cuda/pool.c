// Memory pools: settings and accounts. What cuMemAllocAsync gives out comes from where cuMemAlloc's does.
#include <string.h>

#include "runtime/virtual.h"
#include "shim/cuda/driver.h"

_Static_assert((int)CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES == HW_RT_POOL_FLAGS &&
               (int)CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT == HW_RT_POOL_RESERVED_NOW &&
               (int)CU_MEMPOOL_ATTR_USED_MEM_CURRENT == HW_RT_POOL_USED_NOW,
               "the runtime numbers attributes as CUDA does");

// Of calls that no context is needed for; `answer` is where to.
static hw_rt_status ask_device(const void *answer, CUdevice device) {
    if (!hw_cuda_is_initialized()) return HW_RT_NOT_INITIALIZED;
    return answer ? hw_rt_check_device(hw_shim_runtime(), device) : HW_RT_INVALID_VALUE;
}

HW_EXPORT CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
    const hw_rt_status status = ask_device(pool, device);
    if (!status) *pool = (CUmemoryPool)hw_rt_default_pool(hw_cuda_gpu(device));
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
    const hw_rt_status status = ask_device(pool, device);
    if (!status) *pool = (CUmemoryPool)hw_rt_current_pool(hw_cuda_gpu(device));
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
    hw_rt_status status = ask_device(pool, device);
    if (!status) status = hw_rt_set_current_pool(hw_cuda_gpu(device), hw_pool_of(pool));
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
    hw_rt_status status = ask_device(pool, 0);
    const bool is_known = properties && properties->allocType == CU_MEM_ALLOCATION_TYPE_PINNED;
    if (!status && !is_known) status = HW_RT_INVALID_VALUE;
    if (!status && (unsigned)properties->handleTypes > CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return hw_cuda_unsupported("cuMemPoolCreate of memory for other processes but by file descriptors");
    const bool is_on_device = is_known && properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE;
    hw_runtime *of = is_on_device ? hw_cuda_gpu(properties->location.id) : hw_shim_runtime();
    if (!status && !of) status = HW_RT_INVALID_VALUE;
    if (!status)
        status = hw_rt_pool_create(of, properties->handleTypes != CU_MEM_HANDLE_TYPE_NONE,
                                   (hw_rt_pool **)pool);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuMemPoolExportToShareableHandle(void *handle, CUmemoryPool pool, CUmemAllocationHandleType type,
                                                    unsigned long long flags) {
    if (!handle || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return hw_cuda_return(HW_RT_INVALID_VALUE);
    return hw_cuda_return(hw_rt_pool_export(hw_shim_runtime(), hw_pool_of(pool), handle));
}

HW_EXPORT CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *pool, void *handle, CUmemAllocationHandleType type,
                                                      unsigned long long flags) {
    if (!pool || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return hw_cuda_return(HW_RT_INVALID_VALUE);
    return hw_cuda_return(hw_rt_pool_import(hw_shim_runtime(), (int)(intptr_t)handle, (hw_rt_pool **)pool));
}

HW_EXPORT CUresult cuMemPoolDestroy(CUmemoryPool pool) {
    return hw_cuda_return(hw_rt_pool_destroy(hw_shim_runtime(), hw_pool_of(pool)));
}

static hw_rt_status check_pool(CUmemoryPool pool) {
    return hw_rt_is_pool(hw_shim_runtime(), hw_pool_of(pool)) ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE;
}

HW_EXPORT CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t kept_bytes) {
    return hw_cuda_return(hw_rt_pool_trim(hw_shim_runtime(), hw_pool_of(pool), kept_bytes));
}

HW_EXPORT CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count) {
    hw_rt_status status = check_pool(pool);
    if (!status && !map) status = HW_RT_INVALID_VALUE;
    for (size_t i = 0; !status && i < count; i++)
        if (map[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE)
            status = hw_rt_pool_set_access(hw_shim_runtime(), hw_pool_of(pool), map[i].location.id,
                                           (hw_rt_access)map[i].flags);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location) {
    hw_rt_status status = check_pool(pool);
    if (!status && (!flags || !location)) status = HW_RT_INVALID_VALUE;
    hw_rt_access access;
    if (!status) status = hw_rt_pool_get_access(hw_shim_runtime(), hw_pool_of(pool), location->id, &access);
    if (!status) *flags = (CUmemAccess_flags)access;
    return hw_cuda_return(status);
}

static size_t value_bytes(CUmemPool_attribute attribute) {
    return (unsigned)attribute <= HW_RT_POOL_FLAGS ? sizeof(int) : sizeof(uint64_t);
}

HW_EXPORT CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
    uint64_t wide = 0;
    if (!value || (unsigned)attribute > HW_RT_POOL_LAST) return hw_cuda_return(HW_RT_INVALID_VALUE);
    memcpy(&wide, value, value_bytes(attribute));
    return hw_cuda_return(hw_rt_pool_set(hw_shim_runtime(), hw_pool_of(pool), (unsigned)attribute, wide));
}

HW_EXPORT CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
    uint64_t wide;
    if (!value) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const hw_rt_status status = hw_rt_pool_get(hw_shim_runtime(), hw_pool_of(pool), (unsigned)attribute, &wide);
    if (!status) memcpy(value, &wide, value_bytes(attribute));
    return hw_cuda_return(status);
}
