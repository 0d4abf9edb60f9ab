// Memory pools: settings only. What cudaMallocAsync gives out comes from where cudaMalloc's does.
#include <string.h>

#include "shim/cudart/cudart.h"

HW_EXPORT cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
    HW_ENTER();
    hw_runtime *of = hw_rt_gpu_at(hw_shim_runtime(), device);
    if (!of) return hw_cudart_return(HW_RT_INVALID_DEVICE);
    if (!pool) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *pool = (cudaMemPool_t)hw_rt_default_pool(of);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
    cudaError_t error = cudaDeviceGetDefaultMemPool(pool, device);
    if (!error) *pool = (cudaMemPool_t)hw_rt_current_pool(hw_rt_gpu_at(hw_shim_runtime(), device));
    return error;
}

HW_EXPORT cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    HW_ENTER();
    hw_runtime *of = hw_rt_gpu_at(hw_shim_runtime(), device);
    return hw_cudart_return(of ? hw_rt_set_current_pool(of, hw_pool_of(pool)) : HW_RT_INVALID_DEVICE);
}

// properties differ between versions and none of them matters here.
HW_EXPORT cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties) {
    HW_ENTER();
    if (!pool || !properties) return hw_cudart_return(HW_RT_INVALID_VALUE);
    hw_runtime *of = hw_rt_gpu_at(hw_shim_runtime(), properties->location.id);
    if (properties->location.type != cudaMemLocationTypeDevice) of = hw_shim_runtime();
    if (!of) return hw_cudart_return(HW_RT_INVALID_VALUE);
    return hw_cudart_return(hw_rt_pool_create(of, properties->handleTypes != 0, (hw_rt_pool **)pool));
}

HW_EXPORT cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_pool_destroy(hw_shim_runtime(), hw_pool_of(pool)));
}

HW_EXPORT cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytesToKeep) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_pool_trim(hw_shim_runtime(), hw_pool_of(pool), bytesToKeep));
}

_Static_assert((int)cudaMemPoolReuseAllowInternalDependencies == HW_RT_POOL_FLAGS &&
               (int)cudaMemPoolAttrReservedMemCurrent == HW_RT_POOL_RESERVED_NOW &&
               (int)cudaMemPoolAttrUsedMemCurrent == HW_RT_POOL_USED_NOW,
               "the runtime numbers attributes as CUDA does");

static size_t value_bytes(enum cudaMemPoolAttr attr) {
    return (unsigned)attr <= HW_RT_POOL_FLAGS ? sizeof(int) : sizeof(uint64_t);
}

HW_EXPORT cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value) {
    HW_ENTER();
    uint64_t wide = 0;
    if (!value || (unsigned)attr > HW_RT_POOL_LAST) return hw_cudart_return(HW_RT_INVALID_VALUE);
    memcpy(&wide, value, value_bytes(attr));
    return hw_cudart_return(hw_rt_pool_set(hw_shim_runtime(), hw_pool_of(pool), (unsigned)attr, wide));
}

HW_EXPORT cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value) {
    HW_ENTER();
    uint64_t wide;
    if (!value) return hw_cudart_return(HW_RT_INVALID_VALUE);
    hw_rt_status status = hw_rt_pool_get(hw_shim_runtime(), hw_pool_of(pool), (unsigned)attr, &wide);
    if (!status) memcpy(value, &wide, value_bytes(attr));
    return hw_cudart_return(status);
}
