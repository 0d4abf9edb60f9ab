// Memory pools: settings only. What cudaMallocAsync gives out comes from where cudaMalloc's does.
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "shim/shim.h"

struct CUmemPoolHandle_st {
    _Atomic uint64_t attributes[16];
};

static struct CUmemPoolHandle_st default_pool;
static _Atomic(cudaMemPool_t) current_pool;

static cudaMemPool_t the_default(void) {
    if (!hw_handle_is(HW_HANDLE_POOL, &default_pool)) hw_handle_add(HW_HANDLE_POOL, &default_pool);
    return &default_pool;
}

HW_EXPORT cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
    HW_ENTER();
    if (device) return hw_shim_return(cudaErrorInvalidDevice);
    if (!pool) return hw_shim_return(cudaErrorInvalidValue);
    *pool = the_default();
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
    cudaError_t error = cudaDeviceGetDefaultMemPool(pool, device);
    cudaMemPool_t current = atomic_load(&current_pool);
    if (!error && current) *pool = current;
    return error;
}

HW_EXPORT cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    HW_ENTER();
    the_default();
    if (device) return hw_shim_return(cudaErrorInvalidDevice);
    if (!hw_handle_is(HW_HANDLE_POOL, pool)) return hw_shim_return(cudaErrorInvalidValue);
    atomic_store(&current_pool, pool);
    return cudaSuccess;
}

// properties differ between versions and none of them matters here.
HW_EXPORT cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties) {
    HW_ENTER();
    if (!pool || !properties) return hw_shim_return(cudaErrorInvalidValue);
    struct CUmemPoolHandle_st *made = hw_calloc(1, sizeof *made);
    if (!made || !hw_handle_add(HW_HANDLE_POOL, made)) {
        hw_free(made);
        return hw_shim_return(cudaErrorMemoryAllocation);
    }
    *pool = made;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    HW_ENTER();
    if (pool == &default_pool || !hw_handle_remove(HW_HANDLE_POOL, pool)) return hw_shim_return(cudaErrorInvalidValue);
    cudaMemPool_t current = pool;
    atomic_compare_exchange_strong(&current_pool, &current, NULL);
    hw_free(pool);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytesToKeep) {
    HW_ENTER();
    (void)bytesToKeep;
    return hw_shim_return(hw_handle_is(HW_HANDLE_POOL, pool) ? cudaSuccess : cudaErrorInvalidValue);
}

static bool is_flag(enum cudaMemPoolAttr attr) { return attr <= cudaMemPoolReuseAllowInternalDependencies; }

HW_EXPORT cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value) {
    HW_ENTER();
    if (!hw_handle_is(HW_HANDLE_POOL, pool) || !value || (unsigned)attr > cudaMemPoolAttrUsedMemHigh || !attr)
        return hw_shim_return(cudaErrorInvalidValue);
    uint64_t wide = 0;
    memcpy(&wide, value, is_flag(attr) ? sizeof(int) : sizeof wide);
    atomic_store(&pool->attributes[attr], wide);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value) {
    HW_ENTER();
    if (!hw_handle_is(HW_HANDLE_POOL, pool) || !value || (unsigned)attr > cudaMemPoolAttrUsedMemHigh || !attr)
        return hw_shim_return(cudaErrorInvalidValue);
    uint64_t limit, wide = atomic_load(&pool->attributes[attr]);
    if (attr == cudaMemPoolAttrUsedMemCurrent || attr == cudaMemPoolAttrReservedMemCurrent)
        hw_mem_usage(hw_sim_mem(hw_shim_sim()), &limit, &wide);
    memcpy(value, &wide, is_flag(attr) ? sizeof(int) : sizeof wide);
    return cudaSuccess;
}
