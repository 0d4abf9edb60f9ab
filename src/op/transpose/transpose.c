// hw_transpose: which memory the arrays lie in, and who does the work there.
#include <stdio.h>

#include "op/transpose/cpu/transpose.h"
#include "op/common/layout.h"
#include "op/transpose/transpose_gpu.h"
#include "op/transpose/transpose_host.h"

// Is the array in this machine's memory, and the device another one?
static bool is_apart(const hw_device_properties *device, const DLTensor *tensor) {
    const DLDeviceType type = tensor->device.device_type;
    return device->kind != HW_DEVICE_CPU && (type == kDLCPU || type == kDLCUDAHost);
}

// Both arrays lie in memory that the device works on; or (*on_host) both lie in this machine's, and the device is
// another.
static hw_status check_transpose_places(const hw_device_properties *device, const char *caller, const DLTensor *in,
                                        const DLTensor *out, bool *on_host, hw_diag *diag) {
    *on_host = is_apart(device, in);
    hw_status status = *on_host ? HW_OK : hw_layout_check_place(device, in, caller, "in", diag);
    if (status == HW_OK && !is_apart(device, out)) status = hw_layout_check_place(device, out, caller, "out", diag);
    if (status != HW_OK || is_apart(device, out) == *on_host) return status;
    return hw_diag_set(diag, HW_USAGE,
                       "%s: one array is on the device and the other on this machine; copy one of them first", caller);
}

// What is queued on the stream may still write the arrays.
static hw_status transpose_on_cpu(hw_stream *stream, const hw_permutation *p, hw_diag *diag) {
    uint32_t n_threads;
    hw_device *device = hw_stream_device(stream);
    hw_status status = hw_stream_synchronize(stream, diag);
    if (status != HW_OK) return status;
    hw_pool *pool = hw_device_pool(device, &n_threads);
    return p->in_place ? hw_cpu_transpose_in_place(p, pool, n_threads, diag)
                       : hw_cpu_transpose(p, pool, n_threads, diag);
}

static bool are_pinned(const DLTensor *in, const DLTensor *out) {
    return in->device.device_type == kDLCUDAHost && out->device.device_type == kDLCUDAHost;
}

static hw_status transpose_tensors(hw_stream *stream, const DLTensor *in, const int *axes, DLTensor *out,
                                   hw_diag *diag) {
    hw_permutation p;
    bool on_host = false;
    if (!stream) return hw_diag_set(diag, HW_USAGE, "hw_transpose: the stream is NULL");
    hw_status status = hw_permutation_make(in, axes, out, true, &p, diag);
    hw_device *device = hw_stream_device(stream);
    const hw_device_properties *properties = hw_device_get_properties(device);
    if (status == HW_OK) status = check_transpose_places(properties, "hw_transpose", in, out, &on_host, diag);
    if (status != HW_OK || p.elems == 0) return status;
    hw_permutation_merge(&p);
    if (properties->kind == HW_DEVICE_CPU) return transpose_on_cpu(stream, &p, diag);
    if (!on_host) return hw_gpu_transpose(stream, &p, diag);
    if (p.in_place || !hw_host_transpose_fits(&p)) return transpose_on_cpu(stream, &p, diag);
    return hw_host_transpose(stream, &p, are_pinned(in, out), diag);
}

hw_status hw_transpose(hw_stream *stream, const DLTensor *in, const int *axes, DLTensor *out, hw_diag *diag) {
    hw_diag own;
    return hw_diag_tell(diag, &own, transpose_tensors(stream, in, axes, out, hw_diag_begin(&own)));
}

static hw_status explain_transpose(hw_device *device, const DLTensor *in, const int *axes, const DLTensor *out,
                                   char *text, size_t text_bytes, hw_diag *diag) {
    hw_permutation p;
    bool on_host = false;
    if (!device || !text || text_bytes == 0)
        return hw_diag_set(diag, HW_USAGE, "hw_transpose_explain: the device or the place for the text is NULL");
    text[0] = 0;
    hw_status status = hw_permutation_make(in, axes, out, in && out && in->data && out->data, &p, diag);
    const hw_device_properties *properties = hw_device_get_properties(device);
    if (status == HW_OK) status = check_transpose_places(properties, "hw_transpose_explain", in, out, &on_host, diag);
    if (status != HW_OK) return status;
    hw_permutation_merge(&p);
    char shape[512];
    int used = snprintf(text, text_bytes, "merged: %s\n", hw_permutation_format(&p, shape, sizeof shape));
    if (used < 0 || (size_t)used >= text_bytes) return HW_OK;
    bool on_cpu = properties->kind == HW_DEVICE_CPU || (on_host && (p.in_place || !hw_host_transpose_fits(&p)));
    if (on_cpu) hw_cpu_transpose_explain(&p, text + used, text_bytes - (size_t)used);
    else if (on_host)
        hw_host_transpose_explain(device, &p, are_pinned(in, out), text + used, text_bytes - (size_t)used);
    else hw_gpu_transpose_explain(device, &p, text + used, text_bytes - (size_t)used);
    return HW_OK;
}

hw_status hw_transpose_explain(hw_device *device, const DLTensor *in, const int *axes, const DLTensor *out, char *text,
                               size_t text_bytes, hw_diag *diag) {
    hw_diag own;
    return hw_diag_tell(diag, &own, explain_transpose(device, in, axes, out, text, text_bytes, hw_diag_begin(&own)));
}
