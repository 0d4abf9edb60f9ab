// Modules: loading and unloading them, what is in them.
#include "base/alloc.h"
#include "shim/cuda/driver.h"

// Loads code, which it frees.
static hw_rt_status load_code(hw_rt_code *code, const void *image, CUmodule *module, hw_diag *diag) {
    const hw_rt_status status = hw_rt_module_load_data(hw_shim_runtime(), code->ptx, code->ptx_bytes + 1, code->name,
                                                       (hw_rt_module **)module, diag);
    if (status) hw_cuda_tell_bad_image(image, status, diag);
    else hw_shim_module_loaded(hw_module_of(*module));
    hw_free(code->ptx);
    return status;
}

HW_EXPORT CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, CUjit_option *options,
                                      void **values) {
    HW_ENTER();
    hw_diag diag = {0};
    hw_cuda_jit jit;
    hw_rt_code code;
    if (!module || !image) return hw_cuda_return(HW_RT_INVALID_VALUE);
    hw_cuda_jit_begin(&jit, count, options, values);
    hw_rt_status status = hw_cuda_read_image(image, &code, &diag);
    if (!status) status = load_code(&code, image, module, &diag);
    hw_cuda_jit_end(&jit, &diag);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuModuleLoadData(CUmodule *module, const void *image) {
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

HW_EXPORT CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

HW_EXPORT CUresult cuModuleLoad(CUmodule *module, const char *path) {
    HW_ENTER();
    hw_diag diag = {0};
    hw_rt_code code;
    if (!module) return hw_cuda_return(HW_RT_INVALID_VALUE);
    hw_rt_status status = hw_cuda_read_file(path, &code, &diag);
    if (!status) status = load_code(&code, NULL, module, &diag);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuModuleUnload(CUmodule module) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_module_unload(hw_shim_runtime(), hw_module_of(module)));
}

HW_EXPORT CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
    HW_ENTER();
    if (!function || !name) return hw_cuda_return(HW_RT_INVALID_VALUE);
    return hw_cuda_return(
        hw_rt_module_function(hw_shim_runtime(), hw_module_of(module), name, (hw_rt_function **)function));
}

HW_EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name) {
    HW_ENTER();
    uint64_t found, size;
    if (!name) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const hw_rt_status status =
        hw_rt_module_variable(hw_shim_runtime(), hw_module_of(module), name, &found, &size);
    if (!status && address) *address = found;
    if (!status && bytes) *bytes = size;
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
    if (!mode) return hw_cuda_return(HW_RT_INVALID_VALUE);
    *mode = CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module) {
    HW_ENTER();
    if (!count) return hw_cuda_return(HW_RT_INVALID_VALUE);
    *count = (unsigned)hw_rt_module_functions(hw_shim_runtime(), hw_module_of(module), NULL, 0);
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned count, CUmodule module) {
    HW_ENTER();
    if (!functions) return hw_cuda_return(HW_RT_INVALID_VALUE);
    hw_rt_module_functions(hw_shim_runtime(), hw_module_of(module), (hw_rt_function **)functions, count);
    return CUDA_SUCCESS;
}
