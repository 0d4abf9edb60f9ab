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

static hw_status copy_one(hw_stream *stream, const hw_plan_copy *copy, void *const *arrays, hw_diag *diag) {
    if (!copy->bytes) return HW_OK;
    return hw_copy(stream, (char *)arrays[copy->to] + copy->offset, (const char *)arrays[copy->from] + copy->offset,
                   copy->bytes, diag);
}

// Of a plan's streams there may be one only.
static hw_stream *stream_of(const hw_plan_streams *streams, uint32_t stream) {
    return streams->streams[stream < streams->n ? stream : 0];
}

static hw_status queue_all(const hw_plan_streams *streams, const hw_plan *plan,
                           hw_kernel *const kernels[HW_PLAN_LAUNCHES], void *const *arrays, hw_diag *diag) {
    hw_status status = HW_OK;
    uint32_t c = 0;
    for (uint32_t i = 0; i <= plan->n_launches && !status; i++) {
        for (; c < plan->n_copies && plan->copies[c].before == i && !status; c++)
            status = copy_one(stream_of(streams, plan->copies[c].stream), &plan->copies[c], arrays, diag);
        const hw_plan_launch *launch = &plan->launches[i];
        if (i < plan->n_launches && !status)
            status = launch_one(stream_of(streams, launch->stream), plan, launch, kernels[i], arrays, diag);
    }
    return status;
}

hw_status hw_plan_launch_all(hw_stream *stream, const hw_plan *plan, hw_kernel *const kernels[HW_PLAN_LAUNCHES],
                             void *const *arrays, hw_diag *diag) {
    return queue_all(&(hw_plan_streams){.streams = {stream}, .n = 1}, plan, kernels, arrays, diag);
}

hw_status hw_plan_launch_apart(const hw_plan_streams *streams, const hw_plan *plan,
                               hw_kernel *const kernels[HW_PLAN_LAUNCHES], void *const *arrays, hw_diag *diag) {
    if (plan->n_streams < 2) return hw_plan_launch_all(streams->streams[0], plan, kernels, arrays, diag);
    hw_status status = hw_event_record(streams->begun, streams->streams[0], diag);
    for (uint32_t s = 1; s < plan->n_streams && !status; s++)
        status = hw_stream_wait(streams->streams[s], streams->begun, diag);
    if (!status) status = queue_all(streams, plan, kernels, arrays, diag);
    for (uint32_t s = 1; s < plan->n_streams && !status; s++) {
        status = hw_event_record(streams->done[s], streams->streams[s], diag);
        if (!status) status = hw_stream_wait(streams->streams[0], streams->done[s], diag);
    }
    return status;
}

hw_status hw_plan_streams_open(hw_stream *stream, hw_plan_streams *out, hw_diag *diag) {
    hw_device *device = hw_stream_device(stream);
    *out = (hw_plan_streams){.streams = {stream}, .n = 1};
    hw_status status = hw_event_create(device, &out->begun, diag);
    for (; out->n < HW_PLAN_STREAMS && !status; out->n++) {
        status = hw_stream_create(device, &out->streams[out->n], diag);
        if (!status) status = hw_event_create(device, &out->done[out->n], diag);
    }
    return status;
}

void hw_plan_streams_close(hw_plan_streams *streams) {
    for (uint32_t i = 1; i < streams->n; i++) {
        hw_stream_destroy(streams->streams[i]);
        hw_event_destroy(streams->done[i]);
    }
    hw_event_destroy(streams->begun);
}

hw_status hw_plan_run(hw_stream *stream, const hw_plan *plan, void *const *arrays, hw_diag *diag) {
    hw_kernel *kernels[HW_PLAN_LAUNCHES];
    hw_status status = hw_plan_kernels(hw_stream_device(stream), plan, kernels, diag);
    return status == HW_OK ? hw_plan_launch_all(stream, plan, kernels, arrays, diag) : status;
}
