// Launches. A kernel has finished when the call returns; its fault shows in the next call.
//
// As measured on an H200 (CUDA 13.0): a kernel that faults leaves the launch itself successful; from then on every call
// that needs the context returns the fault's error. Configuration errors are returned by the launch and leave nothing.
#include "runtime/capture.h"
#include "runtime/device.h"
#include "runtime/function.h"
#include "runtime/tell.h"

static hw_rt_status status_of_refusal(hw_sim_refusal refusal) {
    switch (refusal) {
    case HW_REFUSED_CONFIGURATION: return HW_RT_INVALID_CONFIGURATION;
    case HW_REFUSED_RESOURCES: return HW_RT_OUT_OF_RESOURCES;
    case HW_REFUSED_CLUSTER: return HW_RT_INVALID_CLUSTER;
    case HW_REFUSED_COOPERATIVE: return HW_RT_TOO_LARGE_TO_COOPERATE;
    default: return HW_RT_INVALID_VALUE;
    }
}

static hw_rt_status status_of_fault(const hw_fault *fault) {
    switch (fault->kind) {
    case HW_FAULT_ADDRESS: return HW_RT_ILLEGAL_ADDRESS;
    case HW_FAULT_MISALIGNED: return HW_RT_MISALIGNED;
    case HW_FAULT_STACK: return HW_RT_ILLEGAL_ADDRESS;   // as measured for recursion too deep
    case HW_FAULT_ASSERT: return HW_RT_ASSERTION;
    case HW_FAULT_INVALID_CALL: return HW_RT_INVALID_PC;
    case HW_FAULT_DEADLOCK: return HW_RT_TIMEOUT;
    case HW_FAULT_NO_MEMORY: return HW_RT_NO_MEMORY;
    default: return HW_RT_LAUNCH_FAILED;
    }
}

hw_rt_status hw_rt_launch(hw_runtime *runtime, const hw_rt_launch_args *args, hw_diag *diag) {
    HW_RT_ENTER(runtime);
    hw_rt_function *function = args->function;
    hw_rt_status captured;
    if (!hw_rt_is_function(runtime, function) || !hw_rt_is_stream(runtime, args->stream)) return HW_RT_INVALID_HANDLE;
    if (hw_rt_of_stream(runtime, args->stream) != runtime) return HW_RT_INVALID_HANDLE;   // another GPU's
    const hw_rt_work work = {.kind = HW_RT_NODE_KERNEL, .kernel = {*args, args->function}};
    if (hw_rt_capture_work(runtime, args->stream, &work, NULL, &captured)) return captured;
    hw_rt_status prepared = hw_rt_function_prepare(runtime, function);
    if (prepared) return prepared;
    hw_sim_function_info info;
    hw_sim_get_function_info(function->sim, &info);
    for (uint32_t i = 0; i < info.n_params; i++)
        if (!args->params || !args->params[i]) return HW_RT_INVALID_VALUE;
    // An estimate of registers is no reason to refuse a launch; what ptxas says is.
    uint64_t threads = (uint64_t)args->block[0] * args->block[1] * args->block[2];
    if (info.regs_estimated && (args->cooperative || threads * info.regs > hw_rt_gpu(runtime)->arch->regs_per_block))
        hw_rt_module_ask_registers(runtime, function->module);
    size_t shared_bytes = args->dynamic_shared_bytes;
    const hw_sim_launch_args sim_args = {
        .function = function->sim,
        .grid = {args->grid[0], args->grid[1], args->grid[2]},
        .block = {args->block[0], args->block[1], args->block[2]},
        .dynamic_shared_bytes = shared_bytes < UINT32_MAX ? (uint32_t)shared_bytes : UINT32_MAX,
        .params = args->params,
        .cooperative = args->cooperative,
        .bank_bytes = hw_rt_bank_bytes(runtime, function->bank_preference),
        .stream = hw_rt_stream_name(args->stream),
        .cluster = {args->cluster[0], args->cluster[1], args->cluster[2]},
    };
    hw_sim_refusal refusal;
    hw_fault fault;
    hw_status status = hw_sim_launch(hw_rt_sim(runtime), &sim_args, &refusal, &fault, diag);
    if (status == HW_FAULT || status == HW_DEADLOCK) {
        if (fault.texture) hw_rt_tell_no_texture(runtime, &fault);
        if (runtime->options.faulted) runtime->options.faulted(runtime->options.context, &fault);
        hw_rt_set_sticky(runtime, status_of_fault(&fault));
        return HW_RT_SUCCESS;
    }
    if (status == HW_UNSUPPORTED && runtime->options.refused) {
        runtime->options.refused(runtime->options.context, diag, HW_RT_NOT_SUPPORTED);
        diag->text[0] = '\0';
    }
    if (status == HW_USAGE) hw_rt_tell_refused_launch(runtime, info.name, diag);
    return status == HW_USAGE ? status_of_refusal(refusal) : hw_rt_status_of(status);
}
