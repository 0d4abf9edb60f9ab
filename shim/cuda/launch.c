// Launches. Arguments come one by one, or as a buffer that is laid out as the kernel's parameters are.
#include <string.h>

#include "base/alloc.h"
#include "shim/cuda/graph.h"

// The buffer of `extra`, whose entries come in pairs in any order. False: there is something that is no such entry.
static bool find_buffer(void **extra, char **buffer, size_t *bytes) {
    *buffer = NULL;
    *bytes = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) *buffer = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) *bytes = *(const size_t *)extra[1];
        else return false;
    }
    return *buffer != NULL;
}

hw_rt_status hw_cuda_point_into_buffer(hw_rt_function *function, void **extra, void ***params) {
    hw_runtime *runtime = hw_shim_runtime();
    size_t n = 0, bytes, offset, size;
    char *buffer;
    if (!find_buffer(extra, &buffer, &bytes)) return HW_RT_INVALID_VALUE;
    while (!hw_rt_function_get_param(runtime, function, n, &offset, &size)) {
        if (offset + size > bytes) return HW_RT_INVALID_VALUE;
        n++;
    }
    *params = hw_calloc(n + 1, sizeof **params);
    if (!*params) return HW_RT_NO_MEMORY;
    for (size_t i = 0; i < n; i++) {
        hw_rt_function_get_param(runtime, function, i, &offset, &size);
        (*params)[i] = buffer + offset;
    }
    return HW_RT_SUCCESS;
}

static CUresult launch(CUfunction function, hw_rt_launch_args *args, void **extra) {
    HW_ENTER();
    hw_rt_status status;
    hw_diag diag;
    void **pointers = NULL;
    diag.text[0] = diag.file[0] = '\0';
    diag.line = 0;
    args->function = hw_cuda_function(function, &status);
    if (args->function && args->params && extra) status = HW_RT_INVALID_VALUE;
    if (!status && extra) status = hw_cuda_point_into_buffer(args->function, extra, &pointers);
    if (pointers) args->params = pointers;
    if (!status) status = hw_rt_launch(hw_shim_runtime(), args, &diag);
    hw_free(pointers);
    if (status && diag.text[0]) hw_shim_explain_refusal(&diag);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                  CUstream stream, void **params, void **extra) {
    hw_rt_launch_args args = {.grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z},
                              .dynamic_shared_bytes = shared_bytes, .params = params, .stream = hw_stream_of(stream)};
    return launch(function, &args, extra);
}

HW_EXPORT CUresult cuLaunchKernel_ptsz(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                       CUstream stream, void **params, void **extra) {
    return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                          hw_of_thread(stream), params, extra);
}

HW_EXPORT CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                             unsigned block_x, unsigned block_y, unsigned block_z,
                                             unsigned shared_bytes, CUstream stream, void **params) {
    hw_rt_launch_args args = {.grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z},
                              .dynamic_shared_bytes = shared_bytes, .params = params, .stream = hw_stream_of(stream),
                              .cooperative = true};
    return launch(function, &args, NULL);
}

HW_EXPORT CUresult cuLaunchCooperativeKernel_ptsz(CUfunction function, unsigned grid_x, unsigned grid_y,
                                                  unsigned grid_z, unsigned block_x, unsigned block_y,
                                                  unsigned block_z, unsigned shared_bytes, CUstream stream,
                                                  void **params) {
    return cuLaunchCooperativeKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                                     hw_of_thread(stream), params);
}

static CUresult launch_as_configured(const CUlaunchConfig *config, CUstream stream, CUfunction function, void **params,
                                     void **extra) {
    hw_rt_launch_args args = {.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                              .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                              .dynamic_shared_bytes = config->sharedMemBytes, .params = params,
                              .stream = hw_stream_of(stream)};
    if (config->numAttrs && !config->attrs) return hw_cuda_return(HW_RT_INVALID_VALUE);
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const CUlaunchAttributeValue *value = &config->attrs[i].value;
        if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) args.cooperative = value->cooperative;
        if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            memcpy(args.cluster, &value->clusterDim, sizeof args.cluster);
    }
    return launch(function, &args, extra);
}

HW_EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params, void **extra) {
    if (!config) return hw_cuda_return(HW_RT_INVALID_VALUE);
    return launch_as_configured(config, config->hStream, function, params, extra);
}

HW_EXPORT CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction function, void **params,
                                         void **extra) {
    if (!config) return hw_cuda_return(HW_RT_INVALID_VALUE);
    return launch_as_configured(config, hw_of_thread(config->hStream), function, params, extra);
}

HW_EXPORT CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *user) {
    HW_ENTER();
    if (!function) return hw_cuda_return(HW_RT_INVALID_VALUE);
    return hw_cuda_return(hw_rt_call_host(hw_shim_runtime(), hw_stream_of(stream), function, user));
}

HW_EXPORT CUresult cuLaunchHostFunc_ptsz(CUstream stream, CUhostFn function, void *user) {
    return cuLaunchHostFunc(hw_of_thread(stream), function, user);
}
