// Functions: what they are, their settings, how many of their blocks are resident.
#include "runtime/function.h"

#include "runtime/device.h"

bool hw_rt_is_function(hw_runtime *runtime, const hw_rt_function *function) {
    return hw_rt_handles_have(&runtime->handles, HW_RT_FUNCTION, function);
}

static hw_rt_status check_function(hw_runtime *runtime, const hw_rt_function *function) {
    HW_RT_ENTER(runtime);
    return hw_rt_is_function(runtime, function) ? HW_RT_SUCCESS : HW_RT_INVALID_HANDLE;
}

hw_rt_status hw_rt_function_prepare(hw_runtime *runtime, const hw_rt_function *function) {
    hw_diag diag = {0};
    hw_rt_status status = hw_rt_status_of(hw_sim_prepare(function->sim, &diag));
    if (status && runtime->options.refused) runtime->options.refused(runtime->options.context, &diag, status);
    return status;
}

hw_rt_status hw_rt_function_get_info(hw_runtime *runtime, hw_rt_function *function, hw_rt_function_info *out) {
    hw_rt_status status = check_function(runtime, function);
    if (!status) status = hw_rt_function_prepare(runtime, function);
    if (status) return status;
    hw_rt_module_ask_registers(runtime, function->module);
    *out = (hw_rt_function_info){.carveout = function->carveout, .module = function->module};
    hw_sim_get_function_info(function->sim, &out->sim);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_function_get_name(hw_runtime *runtime, hw_rt_function *function, const char **name) {
    hw_rt_status status = check_function(runtime, function);
    if (status) return status;
    hw_sim_function_info info;
    hw_sim_get_function_info(function->sim, &info);
    *name = info.name;
    return HW_RT_SUCCESS;
}

hw_rt_module *hw_rt_function_module(hw_runtime *runtime, const hw_rt_function *function) {
    return hw_rt_is_function(runtime, function) ? function->module : NULL;
}

hw_rt_status hw_rt_function_get_param(hw_runtime *runtime, hw_rt_function *function, size_t index, size_t *offset,
                                      size_t *bytes) {
    hw_rt_status status = check_function(runtime, function);
    if (status) return status;
    hw_sim_function_info info;
    hw_sim_get_function_info(function->sim, &info);
    if (index >= info.n_params) return HW_RT_INVALID_VALUE;
    uint32_t at, size;
    hw_sim_get_param(function->sim, (uint32_t)index, &at, &size);
    *offset = at;
    *bytes = size;
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_function_set_dynamic_shared(hw_runtime *runtime, hw_rt_function *function, int bytes) {
    hw_rt_status status = check_function(runtime, function);
    if (status) return status;
    if (bytes < 0) return HW_RT_INVALID_VALUE;
    return hw_rt_status_of(hw_sim_set_max_dynamic_shared(hw_rt_sim(runtime), function->sim, (uint32_t)bytes, NULL));
}

hw_rt_status hw_rt_function_set_carveout(hw_runtime *runtime, hw_rt_function *function, int percent) {
    hw_rt_status status = check_function(runtime, function);
    if (status) return status;
    if (percent < -1 || percent > 100) return HW_RT_INVALID_VALUE;
    function->carveout = percent;
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_function_set_cache_preference(hw_runtime *runtime, hw_rt_function *function, unsigned preference) {
    hw_rt_status status = check_function(runtime, function);
    if (!status) function->cache_preference = (int)preference;
    return status;
}

hw_rt_status hw_rt_function_set_bank_preference(hw_runtime *runtime, hw_rt_function *function, unsigned preference) {
    hw_rt_status status = check_function(runtime, function);
    if (status) return status;
    if (preference >= HW_RT_BANK_PREFERENCES) return HW_RT_INVALID_VALUE;
    function->bank_preference = (int)preference;
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_resident_blocks(hw_runtime *runtime, hw_rt_function *function, int block_threads,
                                   size_t dynamic_shared_bytes, int *blocks) {
    hw_rt_function_info info;
    hw_rt_status status = check_function(runtime, function);
    if (status) return status;
    if (block_threads <= 0) return HW_RT_INVALID_VALUE;
    status = hw_rt_function_get_info(runtime, function, &info);
    if (status) return status;
    bool fits = dynamic_shared_bytes <= info.sim.max_dynamic_shared_bytes &&
                (uint32_t)block_threads <= hw_rt_gpu(runtime)->arch->max_threads_per_block;
    *blocks = !fits ? 0 : (int)hw_sim_blocks_per_sm(hw_rt_sim(runtime), function->sim, (uint32_t)block_threads,
                                                    (uint32_t)dynamic_shared_bytes);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_available_shared(hw_runtime *runtime, hw_rt_function *function, int blocks, size_t *bytes) {
    hw_rt_status status = check_function(runtime, function);
    if (status) return status;
    if (blocks <= 0) return HW_RT_INVALID_VALUE;
    const hw_arch *arch = hw_rt_gpu(runtime)->arch;
    hw_sim_function_info info;
    hw_sim_get_function_info(function->sim, &info);
    uint32_t unit = arch->smem_unit_bytes ? arch->smem_unit_bytes : 1;
    uint32_t each = arch->smem_per_sm_bytes / (uint32_t)blocks / unit * unit, taken = arch->smem_reserved_bytes;
    uint32_t most = arch->smem_optin_bytes ? arch->smem_optin_bytes : arch->smem_per_block_bytes;
    each = each > taken ? each - taken : 0;
    if (each > most) each = most;
    each = each > info.static_shared_bytes ? each - info.static_shared_bytes : 0;
    *bytes = each < info.max_dynamic_shared_bytes ? each : info.max_dynamic_shared_bytes;
    return HW_RT_SUCCESS;
}
