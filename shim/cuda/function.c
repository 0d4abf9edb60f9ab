// Functions: attributes and settings.
#include "shim/cuda/driver.h"

CUresult hw_cuda_get_attribute(int *value, CUfunction_attribute attribute, hw_rt_function *function) {
    hw_rt_function_info info;
    if (!value) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const hw_rt_status status = hw_rt_function_get_info(hw_shim_runtime(), function, &info);
    if (status) return hw_cuda_return(status);
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = (int)info.sim.max_threads_per_block; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)info.sim.static_shared_bytes; break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = (int)info.sim.const_bytes; break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)info.sim.local_bytes; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = (int)info.sim.regs; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = info.sim.ptx_version; break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = info.sim.binary_version; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = (int)info.sim.max_dynamic_shared_bytes; break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = info.carveout; break;
    default:
        if ((unsigned)attribute > CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)
            return hw_cuda_return(HW_RT_INVALID_VALUE);
        *value = 0;   // of clusters, and of caches that ptxas was told to use
    }
    return CUDA_SUCCESS;
}

CUresult hw_cuda_set_attribute(CUfunction_attribute attribute, int value, hw_rt_function *function) {
    hw_runtime *runtime = hw_shim_runtime();
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        return hw_cuda_return(hw_rt_function_set_dynamic_shared(runtime, function, value));
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        return hw_cuda_return(hw_rt_function_set_carveout(runtime, function, value));
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        return value <= 1 ? CUDA_SUCCESS : hw_cuda_unsupported("cuFuncSetAttribute for clusters of blocks");
    default: return hw_cuda_return(HW_RT_INVALID_VALUE);
    }
}

HW_EXPORT CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
    HW_ENTER();
    hw_rt_status status;
    hw_rt_function *found = hw_cuda_function(function, &status);
    return found ? hw_cuda_get_attribute(value, attribute, found) : hw_cuda_return(status);
}

HW_EXPORT CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
    HW_ENTER();
    hw_rt_status status;
    hw_rt_function *found = hw_cuda_function(function, &status);
    return found ? hw_cuda_set_attribute(attribute, value, found) : hw_cuda_return(status);
}

// PyCUDA says it before each launch, and says it again with the launch.
HW_EXPORT CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z) {
    HW_ENTER();
    hw_rt_status status;
    if (hw_cuda_function(function, &status) && (x < 1 || y < 1 || z < 1)) status = HW_RT_INVALID_VALUE;
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
    HW_ENTER();
    hw_rt_status status;
    hw_rt_function *found = hw_cuda_function(function, &status);
    if (found) status = hw_rt_function_set_cache_preference(hw_shim_runtime(), found, (unsigned)config);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config) {
    HW_ENTER();
    hw_rt_status status;
    hw_rt_function *found = hw_cuda_function(function, &status);
    if (found) status = hw_rt_function_set_bank_preference(hw_shim_runtime(), found, (unsigned)config);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuFuncGetModule(CUmodule *module, CUfunction function) {
    HW_ENTER();
    hw_rt_status status;
    hw_rt_function *found = hw_cuda_function(function, &status);
    if (!module || !found) return hw_cuda_return(found ? HW_RT_INVALID_VALUE : status);
    *module = (CUmodule)hw_rt_function_module(hw_shim_runtime(), found);
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuFuncGetName(const char **name, CUfunction function) {
    HW_ENTER();
    hw_rt_status status;
    hw_rt_function *found = hw_cuda_function(function, &status);
    if (!name || !found) return hw_cuda_return(found ? HW_RT_INVALID_VALUE : status);
    return hw_cuda_return(hw_rt_function_get_name(hw_shim_runtime(), found, name));
}

HW_EXPORT CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes) {
    HW_ENTER();
    hw_rt_status status;
    size_t size;
    hw_rt_function *found = hw_cuda_function(function, &status);
    if (!offset || !found) return hw_cuda_return(found ? HW_RT_INVALID_VALUE : status);
    return hw_cuda_return(hw_rt_function_get_param(hw_shim_runtime(), found, index, offset, bytes ? bytes : &size));
}

// All of a module is loaded with it.
HW_EXPORT CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function) {
    HW_ENTER();
    hw_rt_status status;
    const hw_rt_function *found = hw_cuda_function(function, &status);
    if (!state || !found) return hw_cuda_return(found ? HW_RT_INVALID_VALUE : status);
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuFuncLoad(CUfunction function) {
    HW_ENTER();
    hw_rt_status status;
    hw_cuda_function(function, &status);
    return hw_cuda_return(status);
}
