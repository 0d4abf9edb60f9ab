// Plans: built in a fixed piece of memory, carried out on a stream.
#include "op/common/plan.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/integers.h"

uint32_t hw_plan_text(hw_plan *plan, const char *format, ...) {
    uint32_t at = plan->used;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(plan->bytes + at, sizeof plan->bytes - at, format, args);
    va_end(args);
    assert(length >= 0 && (size_t)length < sizeof plan->bytes - at);
    plan->used = at + (uint32_t)length + 1;
    return at;
}

uint32_t hw_plan_value(hw_plan *plan, const void *value, size_t bytes) {
    enum { ALIGNMENT = 16 };   // the most that a kernel's parameter can ask for
    uint32_t at = (uint32_t)hw_align_up(plan->used, ALIGNMENT);
    assert(at + bytes <= sizeof plan->bytes);
    memcpy(plan->bytes + at, value, bytes);
    plan->used = at + (uint32_t)bytes;
    return at;
}

void hw_plan_define(hw_plan *plan, hw_plan_launch *launch, const char *name, long long value) {
    assert(launch->n_defines < HW_PLAN_DEFINES);
    launch->defines[launch->n_defines++] = hw_plan_text(plan, "%s=%lld", name, value);
}

void hw_plan_define_list(hw_plan *plan, hw_plan_launch *launch, const char *name, const int32_t *values, uint32_t n) {
    assert(launch->n_defines < HW_PLAN_DEFINES);
    uint32_t at = hw_plan_text(plan, "%s=", name);
    for (uint32_t i = 0; i < n; i++) {
        plan->used--;   // goes on where the text so far ended
        hw_plan_text(plan, "%s%d", i ? "," : "", values[i]);
    }
    launch->defines[launch->n_defines++] = at;
}

void hw_plan_divisor(uint32_t d, uint32_t *multiplier, uint32_t *shift) {
    *shift = 0;
    while (((uint64_t)1 << *shift) < d) ++*shift;
    *multiplier = (uint32_t)((((uint64_t)1 << 32) * (((uint64_t)1 << *shift) - d)) / d + 1);
}

uint32_t hw_plan_shared_most(const hw_device_properties *device, uint32_t param_bytes) {
    enum { CONFIGURATION_BYTES = 16 };
    const uint32_t taken = device->cc < 20 ? CONFIGURATION_BYTES + param_bytes : 0;
    return taken < device->shared_bytes ? device->shared_bytes - taken : 0;
}

uint32_t hw_plan_static_shared_most(const hw_device_properties *device, uint32_t param_bytes) {
    enum { STATIC_BYTES = 48 << 10 };
    const uint32_t most = hw_plan_shared_most(device, param_bytes);
    return most < STATIC_BYTES ? most : STATIC_BYTES;
}

uint32_t hw_plan_grid_most(const hw_device_properties *device) { return device->cc < 30 ? 65535 : INT32_MAX; }

hw_status hw_plan_kernels(hw_device *device, const hw_plan *plan, hw_kernel *kernels[HW_PLAN_LAUNCHES], hw_diag *diag) {
    for (uint32_t i = 0; i < plan->n_launches; i++) {
        const hw_plan_launch *launch = &plan->launches[i];
        const char *defines[HW_PLAN_DEFINES];
        for (uint32_t d = 0; d < launch->n_defines; d++) defines[d] = plan->bytes + launch->defines[d];
        const hw_kernel_request request = {launch->file, launch->function, defines, launch->n_defines};
        hw_status status = hw_device_kernel(device, &request, &kernels[i], diag);
        if (status != HW_OK) return status;
    }
    return HW_OK;
}

static hw_status launch_one(hw_stream *stream, const hw_plan *plan, const hw_plan_launch *from, hw_kernel *kernel,
                            void *const *arrays, hw_diag *diag) {
    hw_kernel_launch launch = {.kernel = kernel, .dynamic_shared_bytes = from->dynamic_shared_bytes,
                               .cooperative = from->cooperative};
    void *params[HW_PLAN_PARAMS];
    memcpy(launch.grid, from->grid, sizeof launch.grid);
    memcpy(launch.block, from->block, sizeof launch.block);
    for (uint32_t i = 0; i < from->n_params; i++) {
        const hw_plan_param *param = &from->params[i];
        params[i] = param->array >= 0 ? (void *)&arrays[param->array] : (void *)(plan->bytes + param->offset);
    }
    launch.params = params;
    return hw_stream_launch(stream, &launch, diag);
}

hw_status hw_plan_launch_all(hw_stream *stream, const hw_plan *plan, hw_kernel *const kernels[HW_PLAN_LAUNCHES],
                             void *const *arrays, hw_diag *diag) {
    hw_status status = HW_OK;
    for (uint32_t i = 0; i < plan->n_launches && status == HW_OK; i++)
        status = launch_one(stream, plan, &plan->launches[i], kernels[i], arrays, diag);
    return status;
}

hw_status hw_plan_run(hw_stream *stream, const hw_plan *plan, void *const *arrays, hw_diag *diag) {
    hw_kernel *kernels[HW_PLAN_LAUNCHES];
    hw_status status = hw_plan_kernels(hw_stream_device(stream), plan, kernels, diag);
    return status == HW_OK ? hw_plan_launch_all(stream, plan, kernels, arrays, diag) : status;
}
