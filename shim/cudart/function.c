// Functions: handles, attributes, settings.
#include <string.h>

#include "shim/cudart/registers.h"
#include "shim/cudart/version.h"

// The function, loaded; NULL with the error that says why not.
static hw_registered_function *loaded(const void *function, cudaError_t *error) {
    hw_registered_function *found = hw_registry_function(function);
    *error = cudaSuccess;
    if (found && found->function) return found;
    if (found) hw_registry_complain(found->image);
    *error = found && found->image->has_no_ptx ? cudaErrorNoKernelImageForDevice
             : function && !found              ? hw_version_unknown_function_error()
                                               : cudaErrorInvalidDeviceFunction;
    return NULL;
}

HW_EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function) {
    hw_registered_function *found = hw_registry_function(function);
    if (!kernel || !found) return hw_shim_return(cudaErrorInvalidDeviceFunction);
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

cudaError_t hw_function_attributes(struct cudaFuncAttributes *out, size_t out_bytes, const void *function) {
    HW_ENTER();
    cudaError_t error;
    hw_registered_function *found = loaded(function, &error);
    if (!found) return hw_shim_return(error);
    if (!out) return hw_shim_return(cudaErrorInvalidValue);
    hw_registers_ask(found->image);
    hw_sim_function_info info;
    hw_sim_get_function_info(found->function, &info);
    const struct cudaFuncAttributes all = {
        .sharedSizeBytes = info.static_shared_bytes,
        .constSizeBytes = info.const_bytes,
        .localSizeBytes = info.local_bytes,
        .maxThreadsPerBlock = (int)info.max_threads_per_block,
        .numRegs = (int)info.regs,
        .ptxVersion = info.ptx_version,
        .binaryVersion = info.binary_version,
        .maxDynamicSharedSizeBytes = (int)info.max_dynamic_shared_bytes,
        .preferredShmemCarveout = found->carveout,
    };
    memcpy(out, &all, out_bytes < sizeof all ? out_bytes : sizeof all);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attr, int value) {
    HW_ENTER();
    cudaError_t error;
    hw_registered_function *found = loaded(function, &error);
    if (!found) return hw_shim_return(error);
    switch (attr) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0) return hw_shim_return(cudaErrorInvalidValue);
        return hw_shim_return(hw_shim_error_of(
            hw_sim_set_max_dynamic_shared(hw_shim_sim(), found->function, (uint32_t)value, NULL)));
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100) return hw_shim_return(cudaErrorInvalidValue);
        found->carveout = value;
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
    case cudaFuncAttributeClusterSchedulingPolicyPreference: return cudaSuccess;
    case cudaFuncAttributeClusterDimMustBeSet:
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        return value <= 1 ? cudaSuccess : hw_shim_unsupported("cudaFuncSetAttribute for clusters of blocks");
    default: return hw_shim_return(cudaErrorInvalidValue);
    }
}

HW_EXPORT cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config) {
    HW_ENTER();
    cudaError_t error;
    hw_registered_function *found = loaded(function, &error);
    if (found) found->cache_config = config;
    return hw_shim_return(error);
}

HW_EXPORT cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config) {
    HW_ENTER();
    cudaError_t error;
    if ((unsigned)config > cudaSharedMemBankSizeEightByte) return hw_shim_return(cudaErrorInvalidValue);
    hw_registered_function *found = loaded(function, &error);
    if (found) found->shared_config = config;
    return hw_shim_return(error);
}

HW_EXPORT cudaError_t cudaFuncGetName(const char **name, const void *function) {
    HW_ENTER();
    hw_registered_function *found = hw_registry_function(function);
    if (!name || !found) return hw_shim_return(found ? cudaErrorInvalidValue : cudaErrorInvalidDeviceFunction);
    *name = found->name;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *bytes) {
    HW_ENTER();
    cudaError_t error;
    hw_registered_function *found = loaded(function, &error);
    if (!found) return hw_shim_return(error);
    hw_sim_function_info info;
    hw_sim_get_function_info(found->function, &info);
    if (!offset || index >= info.n_params) return hw_shim_return(cudaErrorInvalidValue);
    uint32_t at, size;
    hw_sim_get_param(found->function, (uint32_t)index, &at, &size);
    *offset = at;
    if (bytes) *bytes = size;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                                             int blockSize, size_t sharedBytes,
                                                                             unsigned int flags) {
    HW_ENTER();
    (void)flags;
    cudaError_t error;
    hw_registered_function *found = loaded(function, &error);
    if (!found) return hw_shim_return(error);
    if (!blocks || blockSize <= 0) return hw_shim_return(cudaErrorInvalidValue);
    hw_registers_ask(found->image);
    *blocks = 0;
    hw_sim_function_info info;
    hw_sim_get_function_info(found->function, &info);
    bool fits = sharedBytes <= info.max_dynamic_shared_bytes;
    if (fits && (uint32_t)blockSize <= hw_shim_gpu()->arch->max_threads_per_block)
        *blocks = (int)hw_sim_blocks_per_sm(hw_shim_sim(), found->function, (uint32_t)blockSize, (uint32_t)sharedBytes);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int blockSize,
                                                                    size_t sharedBytes) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, blockSize, sharedBytes, 0);
}

// The most that lets so many blocks be resident.
HW_EXPORT cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *sharedBytes, const void *function, int blocks,
                                                                int blockSize) {
    HW_ENTER();
    cudaError_t error;
    hw_registered_function *found = loaded(function, &error);
    if (!found) return hw_shim_return(error);
    if (!sharedBytes || blocks <= 0 || blockSize <= 0) return hw_shim_return(cudaErrorInvalidValue);
    const hw_arch *arch = hw_shim_gpu()->arch;
    hw_sim_function_info info;
    hw_sim_get_function_info(found->function, &info);
    uint32_t unit = arch->smem_unit_bytes ? arch->smem_unit_bytes : 1;
    uint32_t each = arch->smem_per_sm_bytes / (uint32_t)blocks / unit * unit, taken = arch->smem_reserved_bytes;
    uint32_t most = arch->smem_optin_bytes ? arch->smem_optin_bytes : arch->smem_per_block_bytes;
    each = each > taken ? each - taken : 0;
    if (each > most) each = most;
    each = each > info.static_shared_bytes ? each - info.static_shared_bytes : 0;
    *sharedBytes = each < info.max_dynamic_shared_bytes ? each : info.max_dynamic_shared_bytes;
    return cudaSuccess;
}
