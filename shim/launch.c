// Launches. A kernel has finished when the call returns; its fault shows in the next call.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "registers.h"
#include "version.h"

static cudaError_t error_of(hw_sim_refusal refusal) {
    switch (refusal) {
    case HW_REFUSED_CONFIGURATION: return hw_version_configuration_error();
    case HW_REFUSED_RESOURCES: return cudaErrorLaunchOutOfResources;
    case HW_REFUSED_COOPERATIVE: return cudaErrorCooperativeLaunchTooLarge;
    default: return cudaErrorInvalidValue;
    }
}

// Has this place been told of already? Places are kept once each (site.c).
static bool is_known(const void *site, const char *text) {
    enum { MOST = 64 };
    static struct { const void *site; char text[160]; } known[MOST];
    static unsigned n_known;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    bool found = false;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < n_known && !found; i++)
        found = known[i].site == site && strncmp(known[i].text, text, sizeof known[i].text - 1) == 0;
    if (!found && n_known < MOST) {
        known[n_known].site = site;
        snprintf(known[n_known].text, sizeof known[0].text, "%.*s", (int)sizeof known[0].text - 1, text);
        n_known++;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

// Programs often overlook the error of a launch, so it is said aloud: once for each place and reason, and not for ever
// to one that tries on.
static void explain(const hw_diag *diag, void *launch_address) {
    enum { MOST = 20 };
    static atomic_int n_explained;
    const void *site = launch_address ? hw_shim_site_of(launch_address) : hw_shim_site();
    if (is_known(site, diag->text)) return;
    int before = atomic_fetch_add(&n_explained, 1);
    if (before == MOST) fprintf(stderr, "halfwarp: further launches that are refused are not shown\n");
    if (before >= MOST) return;
    char place[512], text[sizeof *diag + 32];
    bool known = hw_shim_describe_site(site, place, sizeof place);
    fprintf(stderr, "halfwarp: %s%slaunch refused: %s\n", known ? place : "", known ? ": " : "",
            hw_diag_format(diag, text, sizeof text));
}

static cudaError_t launch(const void *function, dim3 grid, dim3 block, void **params, size_t shared_bytes,
                          cudaStream_t stream, bool cooperative) {
    void *launch_address = hw_shim_take_launch_address();
    HW_ENTER();
    hw_registered_function *registered = hw_registry_function(function);
    if (!registered)
        return hw_shim_return(function ? hw_version_unknown_function_error() : cudaErrorInvalidDeviceFunction);
    if (!registered->function) {
        hw_registry_complain(registered->image);
        return hw_shim_return(registered->image->has_no_ptx ? cudaErrorNoKernelImageForDevice
                                                            : cudaErrorInvalidDeviceFunction);
    }
    if (!hw_stream_is_valid(stream)) return hw_shim_return(cudaErrorInvalidResourceHandle);
    hw_sim_function_info info;
    hw_sim_get_function_info(registered->function, &info);
    for (uint32_t i = 0; i < info.n_params; i++)
        if (!params || !params[i]) return hw_shim_return(cudaErrorInvalidValue);
    // An estimate of registers is no reason to refuse a launch; what ptxas says is.
    uint64_t threads = (uint64_t)block.x * block.y * block.z;
    if (info.regs_estimated && (cooperative || threads * info.regs > hw_shim_gpu()->arch->regs_per_block))
        hw_registers_ask(registered->image);
    const hw_sim_launch_args args = {
        .function = registered->function,
        .grid = {grid.x, grid.y, grid.z},
        .block = {block.x, block.y, block.z},
        .dynamic_shared_bytes = shared_bytes < UINT32_MAX ? (uint32_t)shared_bytes : UINT32_MAX,
        .params = params,
        .cooperative = cooperative,
        .bank_bytes = hw_shim_bank_bytes(registered->shared_config),
        .stream = hw_address(stream),
    };
    hw_sim_refusal refusal;
    hw_fault fault;
    hw_diag diag = {0};
    hw_status status = hw_sim_launch(hw_shim_sim(), &args, &refusal, &fault, &diag);
    if (status == HW_FAULT || status == HW_DEADLOCK) {
        hw_shim_report_fault(&fault);
        return cudaSuccess;
    }
    if (status) explain(&diag, launch_address);
    return hw_shim_return(status == HW_USAGE ? error_of(refusal) : hw_shim_error_of(status));
}

HW_EXPORT cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t sharedBytes,
                                       cudaStream_t stream) {
    return launch(function, grid, block, args, sharedBytes, stream, false);
}
HW_ALIAS(cudaLaunchKernel_ptsz, cudaLaunchKernel);

// What nvcc 13 calls for <<<>>>: the kernel by its handle.
HW_EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t sharedBytes,
                                         cudaStream_t stream) {
    return launch(kernel, grid, block, args, sharedBytes, stream, false);
}
HW_ALIAS(__cudaLaunchKernel_ptsz, __cudaLaunchKernel);

HW_EXPORT cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args,
                                                  size_t sharedBytes, cudaStream_t stream) {
    return launch(function, grid, block, args, sharedBytes, stream, true);
}
HW_ALIAS(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel);

HW_EXPORT cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args) {
    if (!config || (config->numAttrs && !config->attrs)) return hw_shim_return(cudaErrorInvalidValue);
    bool cooperative = false;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttributeValue *value = &config->attrs[i].val;
        if (config->attrs[i].id == cudaLaunchAttributeCooperative) cooperative = value->cooperative;
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension &&
            (value->clusterDim.x > 1 || value->clusterDim.y > 1 || value->clusterDim.z > 1))
            return hw_shim_unsupported("cudaLaunchKernelExC with clusters of blocks");
    }
    return launch(function, config->gridDim, config->blockDim, args, config->dynamicSmemBytes, config->stream,
                  cooperative);
}
HW_ALIAS(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC);
