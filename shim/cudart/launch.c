// Launches.
#include <string.h>

#include "shim/cudart/cudart.h"

static hw_rt_status make_launch(const void *host, hw_rt_launch_args *args) {
    hw_rt_status status = hw_cudart_enter();
    if (status) return status;
    args->function = hw_cudart_function(host, &status);
    if (status) return status;
    hw_diag diag;
    diag.text[0] = diag.file[0] = '\0';
    diag.line = 0;
    status = hw_rt_launch(hw_shim_runtime(), args, &diag);
    if (status && diag.text[0]) hw_shim_explain_refusal(&diag);
    return status;
}

// args: as far as it is more than that.
static cudaError_t launch_with(const void *host, dim3 grid, dim3 block, void **params, size_t shared_bytes,
                               cudaStream_t stream, hw_rt_launch_args args) {
    HW_IN_CALL();
    void *launch_address = hw_cudart_take_launch_address();
    memcpy(args.grid, (uint32_t[]){grid.x, grid.y, grid.z}, sizeof args.grid);
    memcpy(args.block, (uint32_t[]){block.x, block.y, block.z}, sizeof args.block);
    args.dynamic_shared_bytes = shared_bytes;
    args.params = params;
    args.stream = hw_stream_of(stream);
    hw_shim_begin_launch(launch_address);
    const hw_rt_status status = make_launch(host, &args);
    const cudaError_t error = launch_address ? hw_cudart_return_launch(status) : hw_cudart_return(status);
    hw_shim_end_launch();
    return error;
}

static cudaError_t launch_kernel(const void *host, dim3 grid, dim3 block, void **params, size_t shared_bytes,
                                 cudaStream_t stream, bool cooperative) {
    return launch_with(host, grid, block, params, shared_bytes, stream,
                       (hw_rt_launch_args){.cooperative = cooperative});
}

HW_EXPORT cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t sharedBytes,
                                       cudaStream_t stream) {
    return launch_kernel(function, grid, block, args, sharedBytes, stream, false);
}

HW_EXPORT cudaError_t cudaLaunchKernel_ptsz(const void *function, dim3 grid, dim3 block, void **args,
                                            size_t sharedBytes, cudaStream_t stream) {
    return cudaLaunchKernel(function, grid, block, args, sharedBytes, hw_of_thread(stream));
}

// What nvcc 13 calls for <<<>>>: the kernel by its handle.
HW_EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t sharedBytes,
                                         cudaStream_t stream) {
    return launch_kernel(kernel, grid, block, args, sharedBytes, stream, false);
}

HW_EXPORT cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                                              size_t sharedBytes, cudaStream_t stream) {
    return __cudaLaunchKernel(kernel, grid, block, args, sharedBytes, hw_of_thread(stream));
}

HW_EXPORT cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args,
                                                  size_t sharedBytes, cudaStream_t stream) {
    return launch_kernel(function, grid, block, args, sharedBytes, stream, true);
}

HW_EXPORT cudaError_t cudaLaunchCooperativeKernel_ptsz(const void *function, dim3 grid, dim3 block, void **args,
                                                       size_t sharedBytes, cudaStream_t stream) {
    return cudaLaunchCooperativeKernel(function, grid, block, args, sharedBytes, hw_of_thread(stream));
}

HW_EXPORT cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args) {
    if (!config || (config->numAttrs && !config->attrs)) return hw_cudart_return(HW_RT_INVALID_VALUE);
    hw_rt_launch_args more = {.cooperative = false};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttributeValue *value = &config->attrs[i].val;
        if (config->attrs[i].id == cudaLaunchAttributeCooperative) more.cooperative = value->cooperative;
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
            memcpy(more.cluster, &value->clusterDim, sizeof more.cluster);
    }
    return launch_with(function, config->gridDim, config->blockDim, args, config->dynamicSmemBytes, config->stream,
                       more);
}

HW_EXPORT cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *function, void **args) {
    if (!config) return hw_cudart_return(HW_RT_INVALID_VALUE);
    cudaLaunchConfig_t of_thread = *config;
    of_thread.stream = hw_of_thread(config->stream);
    return cudaLaunchKernelExC(&of_thread, function, args);
}
