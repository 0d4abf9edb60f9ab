// Kernels of a GPU: loading what NVRTC made, asking about it, launching it.
#include <stdio.h>
#include <string.h>

#include "device/device_cuda.h"

hw_code_wish hw_cuda_code_wish(hw_device *device) {
    return (hw_code_wish){.is_machine_code = true, .newest_nvrtc = hw_cuda_of(device)->driver->version / 1000};
}

hw_status hw_cuda_module_load(hw_device *device, const hw_code *code, const char *name, void **handle, hw_diag *diag) {
    const hw_cuda *cuda = hw_cuda_of(device);
    char log[512] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
    CUmodule module = NULL;
    CUresult result;
    HW_CUDA_CALL(cuda, result, cuModuleLoadDataEx(&module, code->bytes, 2, options, values));
    *handle = module;
    return hw_cuda_status(device, result, diag, "%s does not load%s%.*s", name, log[0] ? ", " : "",
                          (int)strcspn(log, "\n"), log);
}

void hw_cuda_module_unload(hw_device *device, void *handle) {
    const hw_cuda *cuda = hw_cuda_of(device);
    CUresult result;
    HW_CUDA_CALL(cuda, result, cuModuleUnload(handle));
}

static uint32_t attribute(const hw_cuda *cuda, CUfunction function, CUfunction_attribute which) {
    int value = 0;
    CUresult result;
    HW_CUDA_CALL(cuda, result, cuFuncGetAttribute(&value, which, function));
    return result || value < 0 ? 0 : (uint32_t)value;
}

hw_status hw_cuda_kernel_find(hw_device *device, void *module, const char *name, hw_kernel *kernel, hw_diag *diag) {
    const hw_cuda *cuda = hw_cuda_of(device);
    CUfunction function = NULL;
    CUresult result;
    HW_CUDA_CALL(cuda, result, cuModuleGetFunction(&function, module, name));
    if (result) return hw_cuda_status(device, result, diag, "kernel %s is not to be had", name);
    kernel->handle = function;
    kernel->info = (hw_kernel_info){
        .regs = attribute(cuda, function, CU_FUNC_ATTRIBUTE_NUM_REGS),
        .static_shared_bytes = attribute(cuda, function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
        .local_bytes = attribute(cuda, function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
        .max_threads_per_block = attribute(cuda, function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
    };
    return HW_OK;
}

uint32_t hw_cuda_blocks(hw_kernel *kernel, uint32_t block_threads, uint32_t dynamic_shared_bytes) {
    const hw_cuda *cuda = hw_cuda_of(kernel->device);
    int blocks = 0;
    CUresult result;
    if (!block_threads || block_threads > kernel->info.max_threads_per_block) return 0;
    HW_CUDA_CALL(cuda, result, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel->handle, (int)block_threads,
                                                                          dynamic_shared_bytes));
    return result || blocks < 0 ? 0 : (uint32_t)blocks;
}

hw_status hw_cuda_allow_dynamic_shared(hw_kernel *kernel, uint32_t bytes, hw_diag *diag) {
    const hw_cuda *cuda = hw_cuda_of(kernel->device);
    CUresult result;
    HW_CUDA_CALL(cuda, result, cuFuncSetAttribute(kernel->handle, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                  (int)bytes));
    return hw_cuda_status(kernel->device, result, diag, "%s cannot have %u bytes of dynamic shared memory",
                          kernel->name, bytes);
}

static hw_status check_shape(const hw_stream *stream, const hw_kernel_launch *launch, hw_diag *diag) {
    static const char axis[] = "xyz";
    const hw_cuda *cuda = hw_cuda_of(stream->device);
    const hw_kernel *kernel = launch->kernel;
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        if (launch->grid[i] > cuda->max_grid[i])
            return hw_diag_set(diag, HW_USAGE, "%s: %s: grid dimension %c is %u, not 1 to %u", stream->device->name,
                               kernel->name, axis[i], launch->grid[i], cuda->max_grid[i]);
        if (!launch->block[i] || launch->block[i] > cuda->max_block[i])
            return hw_diag_set(diag, HW_USAGE, "%s: %s: block dimension %c is %u, not 1 to %u", stream->device->name,
                               kernel->name, axis[i], launch->block[i], cuda->max_block[i]);
        threads *= launch->block[i];
    }
    if (threads > kernel->info.max_threads_per_block)
        return hw_diag_set(diag, HW_USAGE, "%s: %s takes at most %u threads in a block, not %llu", stream->device->name,
                           kernel->name, kernel->info.max_threads_per_block, (unsigned long long)threads);
    return HW_OK;
}

hw_status hw_cuda_launch(hw_stream *stream, const hw_kernel_launch *launch, hw_diag *diag) {
    const hw_cuda *cuda = hw_cuda_of(stream->device);
    const uint32_t *g = launch->grid, *b = launch->block;
    void **params = (void **)launch->params;
    CUresult result;
    hw_status status = check_shape(stream, launch, diag);
    if (status != HW_OK) return status;
    if (launch->cooperative)
        HW_CUDA_CALL(cuda, result, cuLaunchCooperativeKernel(launch->kernel->handle, g[0], g[1], g[2], b[0], b[1], b[2],
                                                             launch->dynamic_shared_bytes, stream->handle, params));
    else
        HW_CUDA_CALL(cuda, result, cuLaunchKernel(launch->kernel->handle, g[0], g[1], g[2], b[0], b[1], b[2],
                                                  launch->dynamic_shared_bytes, stream->handle, params, NULL));
    return hw_cuda_status(stream->device, result, diag,
                          "%s cannot be launched with %ux%ux%u blocks of %ux%ux%u threads", launch->kernel->name, g[0],
                          g[1], g[2], b[0], b[1], b[2]);
}
