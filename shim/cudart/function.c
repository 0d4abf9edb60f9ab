// Functions: handles, attributes, settings.
#include <string.h>

#include "runtime/library.h"
#include "shim/cudart/registry.h"

hw_rt_function *hw_cudart_function(const void *host, hw_rt_status *status) {
    hw_registered_function *found = hw_registry_function(host);
    *status = HW_RT_SUCCESS;
    hw_rt_function *function = found ? found->functions[hw_registry_gpu()] : NULL;
    if (function) return function;
    if (!found && hw_rt_is_kernel(hw_shim_runtime(), host)) {
        *status = hw_rt_kernel_function(hw_shim_runtime(), (hw_rt_kernel *)host, &function);
        return function;
    }
    if (found) hw_registry_complain(found->image);
    *status = found && found->image->has_no_ptx ? HW_RT_NO_IMAGE
              : host && !found                  ? HW_RT_UNKNOWN_FUNCTION
                                                : HW_RT_INVALID_FUNCTION;
    return NULL;
}

HW_EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function) {
    hw_registered_function *found = hw_registry_function(function);
    if (!kernel || !found) return hw_cudart_return(HW_RT_INVALID_FUNCTION);
    *kernel = (cudaKernel_t)found;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *function) {
    HW_ENTER();
    return __cudaGetKernel(kernel, function);
}

HW_EXPORT cudaError_t cudaGetFuncBySymbol(cudaFunction_t *found, const void *symbol) {
    HW_ENTER();
    return __cudaGetKernel((cudaKernel_t *)found, symbol);
}

cudaError_t hw_function_attributes(struct cudaFuncAttributes *out, size_t out_bytes, const void *host) {
    HW_ENTER();
    hw_rt_status status;
    hw_rt_function_info info;
    hw_rt_function *function = hw_cudart_function(host, &status);
    if (function && !out) status = HW_RT_INVALID_VALUE;
    if (!status) status = hw_rt_function_get_info(hw_shim_runtime(), function, &info);
    if (status) return hw_cudart_return(status);
    const struct cudaFuncAttributes all = {
        .sharedSizeBytes = info.sim.static_shared_bytes,
        .constSizeBytes = info.sim.const_bytes,
        .localSizeBytes = info.sim.local_bytes,
        .maxThreadsPerBlock = (int)info.sim.max_threads_per_block,
        .numRegs = (int)info.sim.regs,
        .ptxVersion = info.sim.ptx_version,
        .binaryVersion = info.sim.binary_version,
        .maxDynamicSharedSizeBytes = (int)info.sim.max_dynamic_shared_bytes,
        .preferredShmemCarveout = info.carveout,
    };
    memcpy(out, &all, out_bytes < sizeof all ? out_bytes : sizeof all);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaFuncSetAttribute(const void *host, enum cudaFuncAttribute attr, int value) {
    HW_ENTER();
    hw_rt_status status;
    hw_runtime *runtime = hw_shim_runtime();
    hw_rt_function *function = hw_cudart_function(host, &status);
    if (!function) return hw_cudart_return(status);
    switch (attr) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        return hw_cudart_return(hw_rt_function_set_dynamic_shared(runtime, function, value));
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        return hw_cudart_return(hw_rt_function_set_carveout(runtime, function, value));
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
    case cudaFuncAttributeClusterSchedulingPolicyPreference: return cudaSuccess;
    case cudaFuncAttributeClusterDimMustBeSet:
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        return value <= 1 ? cudaSuccess : hw_cudart_unsupported("cudaFuncSetAttribute for clusters of blocks");
    default: return hw_cudart_return(HW_RT_INVALID_VALUE);
    }
}

HW_EXPORT cudaError_t cudaFuncSetCacheConfig(const void *host, enum cudaFuncCache config) {
    HW_ENTER();
    hw_rt_status status;
    hw_rt_function *function = hw_cudart_function(host, &status);
    if (function) status = hw_rt_function_set_cache_preference(hw_shim_runtime(), function, (unsigned)config);
    return hw_cudart_return(status);
}

HW_EXPORT cudaError_t cudaFuncSetSharedMemConfig(const void *host, enum cudaSharedMemConfig config) {
    HW_ENTER();
    hw_rt_status status;
    if ((unsigned)config >= HW_RT_BANK_PREFERENCES) return hw_cudart_return(HW_RT_INVALID_VALUE);
    hw_rt_function *function = hw_cudart_function(host, &status);
    if (function) status = hw_rt_function_set_bank_preference(hw_shim_runtime(), function, (unsigned)config);
    return hw_cudart_return(status);
}

HW_EXPORT cudaError_t cudaFuncGetName(const char **name, const void *host) {
    HW_ENTER();
    hw_registered_function *found = hw_registry_function(host);
    if (!name || !found) return hw_cudart_return(found ? HW_RT_INVALID_VALUE : HW_RT_INVALID_FUNCTION);
    *name = found->name;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaFuncGetParamInfo(const void *host, size_t index, size_t *offset, size_t *bytes) {
    HW_ENTER();
    hw_rt_status status;
    size_t size;
    hw_rt_function *function = hw_cudart_function(host, &status);
    if (function && !offset) status = HW_RT_INVALID_VALUE;
    if (!status) status = hw_rt_function_get_param(hw_shim_runtime(), function, index, offset, &size);
    if (!status && bytes) *bytes = size;
    return hw_cudart_return(status);
}

HW_EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *host,
                                                                             int blockSize, size_t sharedBytes,
                                                                             unsigned int flags) {
    HW_ENTER();
    (void)flags;
    hw_rt_status status;
    hw_rt_function *function = hw_cudart_function(host, &status);
    if (function && !blocks) status = HW_RT_INVALID_VALUE;
    if (!status) status = hw_rt_resident_blocks(hw_shim_runtime(), function, blockSize, sharedBytes, blocks);
    return hw_cudart_return(status);
}

HW_EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host, int blockSize,
                                                                    size_t sharedBytes) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, blockSize, sharedBytes, 0);
}

// The most that lets so many blocks be resident.
HW_EXPORT cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *sharedBytes, const void *host, int blocks,
                                                                int blockSize) {
    HW_ENTER();
    hw_rt_status status;
    hw_rt_function *function = hw_cudart_function(host, &status);
    if (function && (!sharedBytes || blockSize <= 0)) status = HW_RT_INVALID_VALUE;
    if (!status) status = hw_rt_available_shared(hw_shim_runtime(), function, blocks, sharedBytes);
    return hw_cudart_return(status);
}
