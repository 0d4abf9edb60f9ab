// Libraries, which are device code that no context is needed for, and their kernels.
#include "runtime/library.h"

#include "base/alloc.h"
#include "shim/cuda/driver.h"
#include "shim/process.h"

static hw_rt_library *library_of(CUlibrary library) { return (hw_rt_library *)library; }
static hw_rt_kernel *kernel_of(CUkernel kernel) { return (hw_rt_kernel *)kernel; }

static hw_rt_status enter_without_context(void) {
    return hw_cuda_is_initialized() ? hw_rt_enter(hw_shim_runtime()) : HW_RT_NOT_INITIALIZED;
}

static hw_rt_status load_code(hw_rt_code *code, const void *image, CUlibrary *library, hw_diag *diag) {
    const hw_rt_status status =
        hw_rt_library_load(hw_shim_runtime(), code, code->name, (hw_rt_library **)library, diag);
    hw_rt_module *module;
    if (!status) {
        if (!hw_rt_library_module(hw_shim_runtime(), library_of(*library), &module)) hw_shim_module_loaded(module);
        if (hw_shim_process_get()->journal) hw_rt_library_ask_registers(hw_shim_runtime(), library_of(*library));
        return status;
    }
    hw_cuda_tell_bad_image(image, status, diag);
    hw_free(code->ptx);
    return status;
}

// From an image in memory, or, where that is NULL, from a file.
static CUresult load_library(CUlibrary *library, const void *image, const char *path, hw_cuda_jit *jit) {
    hw_diag diag = {0};
    hw_rt_code code;
    hw_rt_status status = image ? hw_cuda_read_image(image, &code, &diag) : hw_cuda_read_file(path, &code, &diag);
    if (!status) status = load_code(&code, image, library, &diag);
    hw_cuda_jit_end(jit, &diag);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options, void **values,
                                     unsigned count, CUlibraryOption *library_options, void **library_values,
                                     unsigned library_count) {
    (void)library_options, (void)library_values, (void)library_count;
    hw_cuda_jit jit;
    if (!library || !image) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const hw_rt_status status = enter_without_context();
    if (status) return hw_cuda_return(status);
    hw_cuda_jit_begin(&jit, count, options, values);
    return load_library(library, image, NULL, &jit);
}

HW_EXPORT CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *options, void **values,
                                         unsigned count, CUlibraryOption *library_options, void **library_values,
                                         unsigned library_count) {
    (void)library_options, (void)library_values, (void)library_count;
    hw_cuda_jit jit;
    if (!library || !path) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const hw_rt_status status = enter_without_context();
    if (status) return hw_cuda_return(status);
    hw_cuda_jit_begin(&jit, count, options, values);
    return load_library(library, NULL, path, &jit);
}

HW_EXPORT CUresult cuLibraryUnload(CUlibrary library) {
    return hw_cuda_return(hw_rt_library_unload(hw_shim_runtime(), library_of(library)));
}

HW_EXPORT CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
    if (!kernel || !name) return hw_cuda_return(HW_RT_INVALID_VALUE);
    return hw_cuda_return(
        hw_rt_library_kernel(hw_shim_runtime(), library_of(library), name, (hw_rt_kernel **)kernel));
}

HW_EXPORT CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library) {
    HW_ENTER();
    if (!module) return hw_cuda_return(HW_RT_INVALID_VALUE);
    return hw_cuda_return(hw_rt_library_module(hw_shim_runtime(), library_of(library), (hw_rt_module **)module));
}

HW_EXPORT CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name) {
    CUmodule module;
    const CUresult result = cuLibraryGetModule(&module, library);
    return result ? result : cuModuleGetGlobal_v2(address, bytes, module, name);
}

HW_EXPORT CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name) {
    // One for all devices: it does not depend on the current context, and there need not be one.
    hw_rt_module *module;
    uint64_t found_address, found_bytes;
    hw_rt_status status = enter_without_context();
    if (!status && !name) status = HW_RT_INVALID_VALUE;
    if (!status) status = hw_rt_library_module(hw_shim_runtime(), library_of(library), &module);
    if (!status) status = hw_rt_module_variable(hw_shim_runtime(), module, name, &found_address, &found_bytes);
    if (!status && address) *address = found_address;
    if (!status && bytes) *bytes = found_bytes;
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library) {
    if (!count) return hw_cuda_return(HW_RT_INVALID_VALUE);
    *count = (unsigned)hw_rt_library_kernels(hw_shim_runtime(), library_of(library), NULL, 0);
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned count, CUlibrary library) {
    if (!kernels) return hw_cuda_return(HW_RT_INVALID_VALUE);
    hw_rt_library_kernels(hw_shim_runtime(), library_of(library), (hw_rt_kernel **)kernels, count);
    return CUDA_SUCCESS;
}

// ---- kernels ----

// Programs give a kernel where a function is asked for, too.
hw_rt_function *hw_cuda_function(CUfunction function, hw_rt_status *status) {
    hw_runtime *runtime = hw_shim_runtime();
    hw_rt_function *found = (hw_rt_function *)function;
    *status = HW_RT_SUCCESS;
    if (hw_rt_is_function(runtime, found)) return found;
    hw_rt_kernel *kernel = (hw_rt_kernel *)function;
    *status = HW_RT_INVALID_HANDLE;
    if (hw_rt_is_kernel(runtime, kernel)) *status = hw_rt_kernel_function(runtime, kernel, &found);
    return *status ? NULL : found;
}

HW_EXPORT CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
    HW_ENTER();
    hw_runtime *runtime = hw_shim_runtime();
    if (!function) return hw_cuda_return(HW_RT_INVALID_VALUE);
    if (!hw_rt_is_kernel(runtime, kernel_of(kernel))) return hw_cuda_return(HW_RT_INVALID_HANDLE);
    return hw_cuda_return(hw_rt_kernel_function(runtime, kernel_of(kernel), (hw_rt_function **)function));
}

HW_EXPORT CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel) {
    if (!library) return hw_cuda_return(HW_RT_INVALID_VALUE);
    if (!hw_rt_is_kernel(hw_shim_runtime(), kernel_of(kernel))) return hw_cuda_return(HW_RT_INVALID_HANDLE);
    *library = (CUlibrary)hw_rt_kernel_library(kernel_of(kernel));
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuKernelGetName(const char **name, CUkernel kernel) {
    if (!name) return hw_cuda_return(HW_RT_INVALID_VALUE);
    if (!hw_rt_is_kernel(hw_shim_runtime(), kernel_of(kernel))) return hw_cuda_return(HW_RT_INVALID_HANDLE);
    *name = hw_rt_kernel_name(kernel_of(kernel));
    return CUDA_SUCCESS;
}

// What is known of a kernel is known of its function, which need not be in a current context.
static CUresult find_function(CUkernel kernel, CUdevice device, CUfunction *function) {
    hw_rt_status status = enter_without_context();
    if (!status) status = hw_rt_check_device(hw_shim_runtime(), device);
    if (!status) *function = (CUfunction)hw_cuda_function((CUfunction)kernel, &status);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device) {
    CUfunction function;
    const CUresult result = find_function(kernel, device, &function);
    return result ? result : hw_cuda_get_attribute(value, attribute, (hw_rt_function *)function);
}

HW_EXPORT CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device) {
    CUfunction function;
    const CUresult result = find_function(kernel, device, &function);
    return result ? result : hw_cuda_set_attribute(attribute, value, (hw_rt_function *)function);
}

HW_EXPORT CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device) {
    CUfunction function;
    const CUresult result = find_function(kernel, device, &function);
    if (result) return result;
    return hw_cuda_return(hw_rt_function_set_cache_preference(hw_shim_runtime(), (hw_rt_function *)function,
                                                              (unsigned)config));
}

HW_EXPORT CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes) {
    CUfunction function;
    size_t size;
    const CUresult result = find_function(kernel, 0, &function);
    if (result) return result;
    if (!offset) return hw_cuda_return(HW_RT_INVALID_VALUE);
    return hw_cuda_return(hw_rt_function_get_param(hw_shim_runtime(), (hw_rt_function *)function, index, offset,
                                                   bytes ? bytes : &size));
}
