// Settings of the current context: waiting, limits, caches, banks, peers.
#include "shim/cuda/driver.h"

_Static_assert((int)CU_LIMIT_MALLOC_HEAP_SIZE == HW_RT_LIMIT_HEAP &&
               (int)CU_LIMIT_PERSISTING_L2_CACHE_SIZE == HW_RT_LIMIT_L2_KEPT &&
               (int)CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE == HW_RT_BANKS_OF_8,
               "the runtime numbers these as CUDA does");

HW_EXPORT CUresult cuCtxSynchronize(void) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_synchronize(hw_shim_runtime()));
}

HW_EXPORT CUresult cuCtxSynchronize_v2(CUcontext context) {
    if (!context) return cuCtxSynchronize();
    HW_IN_CALL();
    if (!hw_cuda_is_context(context)) return hw_cuda_return(HW_RT_INVALID_CONTEXT);
    return hw_cuda_return(hw_rt_synchronize(hw_shim_runtime()));
}

HW_EXPORT CUresult cuCtxGetCacheConfig(CUfunc_cache *config) {
    HW_ENTER();
    if (!config) return hw_cuda_return(HW_RT_INVALID_VALUE);
    *config = (CUfunc_cache)hw_rt_cache_preference(hw_shim_runtime());
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_set_cache_preference(hw_shim_runtime(), (unsigned)config));
}

HW_EXPORT CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config) {
    HW_ENTER();
    if (!config) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const bool is_wide = hw_rt_bank_bytes(hw_shim_runtime(), HW_RT_BANKS_DEFAULT) == 8;
    *config = is_wide ? CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE : CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_set_bank_preference(hw_shim_runtime(), (unsigned)config));
}

// No context is one within a graphics interface's (CIG); cuBLAS asks.
HW_EXPORT CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
    HW_ENTER();
    if (value && (limit == CU_LIMIT_CIG_ENABLED || limit == CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED)) {
        *value = 0;
        return CUDA_SUCCESS;
    }
    return hw_cuda_return(value ? hw_rt_get_limit(hw_shim_runtime(), (unsigned)limit, value) : HW_RT_INVALID_VALUE);
}

HW_EXPORT CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_set_limit(hw_shim_runtime(), (unsigned)limit, value));
}

HW_EXPORT CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    HW_ENTER();
    if (least) *least = HW_RT_LEAST_PRIORITY;
    if (greatest) *greatest = HW_RT_GREATEST_PRIORITY;
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuCtxResetPersistingL2Cache(void) {
    HW_ENTER();
    return CUDA_SUCCESS;
}

// Contexts of one device are no peers.
HW_EXPORT CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
    HW_ENTER();
    if (flags) return hw_cuda_return(HW_RT_INVALID_VALUE);
    if (!hw_cuda_is_context(peer)) return hw_cuda_return(HW_RT_INVALID_CONTEXT);
    return hw_cuda_return(hw_rt_enable_peer(hw_shim_runtime(), hw_cuda_device_of(peer)));
}

HW_EXPORT CUresult cuCtxDisablePeerAccess(CUcontext peer) {
    HW_ENTER();
    if (!hw_cuda_is_context(peer)) return hw_cuda_return(HW_RT_INVALID_CONTEXT);
    return hw_cuda_return(hw_rt_disable_peer(hw_shim_runtime(), hw_cuda_device_of(peer)));
}
