// hw_reduce: which device does the work, and by what.
#include <stdio.h>

#include "op/reduce/cpu/reduce.h"
#include "op/reduce/exact_plan.h"
#include "op/common/layout.h"
#include "op/reduce/reduce_gpu.h"

static hw_status check_reduce_places(const hw_device_properties *device, const DLTensor *in, const DLTensor *out,
                                     hw_diag *diag) {
    hw_status status = hw_layout_check_place(device, in, "hw_reduce", "in", diag);
    return status == HW_OK && out ? hw_layout_check_place(device, out, "hw_reduce", "out", diag) : status;
}

static hw_status reduce_tensors(hw_stream *stream, hw_reduction reduction, const DLTensor *in, const int *axes,
                                int n_axes, uint32_t flags, DLTensor *out, hw_diag *diag) {
    hw_reduction_form form;
    if (!stream) return hw_diag_set(diag, HW_USAGE, "hw_reduce: the stream is NULL");
    const hw_device_properties *device = hw_device_get_properties(hw_stream_device(stream));
    hw_status status = hw_reduction_make(reduction, in, axes, n_axes, flags, out, true, &form, diag);
    if (status == HW_OK) status = check_reduce_places(device, in, out, diag);
    if (status != HW_OK || form.outputs == 0) return status;
    if (device->kind == HW_DEVICE_CPU) {
        uint32_t n_threads;
        hw_pool *pool = hw_device_pool(hw_stream_device(stream), &n_threads);
        return hw_cpu_reduce(&form, pool, n_threads, diag);
    }
    if (flags & HW_REDUCE_EXACT && form.terms) return hw_gpu_reduce_exact(stream, &form, diag);
    return hw_gpu_reduce(stream, &form, diag);
}

hw_status hw_reduce(hw_stream *stream, hw_reduction reduction, const DLTensor *in, const int *axes, int n_axes,
                    uint32_t flags, DLTensor *out, hw_diag *diag) {
    hw_diag own;
    return hw_diag_tell(diag, &own,
                        reduce_tensors(stream, reduction, in, axes, n_axes, flags, out, hw_diag_begin(&own)));
}

static hw_status explain_reduce(hw_device *device, hw_reduction reduction, const DLTensor *in, const int *axes,
                                int n_axes, uint32_t flags, char *text, size_t text_bytes, hw_diag *diag) {
    hw_reduction_form form;
    if (!device || !text || text_bytes == 0)
        return hw_diag_set(diag, HW_USAGE, "hw_reduce_explain: the device or the place for the text is NULL");
    text[0] = 0;
    const hw_device_properties *properties = hw_device_get_properties(device);
    hw_status status = hw_reduction_make(reduction, in, axes, n_axes, flags, NULL, false, &form, diag);
    if (status == HW_OK) status = check_reduce_places(properties, in, NULL, diag);
    if (status != HW_OK) return status;
    char shape[512];
    int used = snprintf(text, text_bytes, "merged: %s\n", hw_reduction_format(&form, shape, sizeof shape));
    if (used < 0 || (size_t)used >= text_bytes) return HW_OK;
    text += used;
    text_bytes -= (size_t)used;
    if (properties->kind == HW_DEVICE_CPU) hw_cpu_reduce_explain(&form, text, text_bytes);
    else if (flags & HW_REDUCE_EXACT && form.outputs && form.terms)
        hw_gpu_reduce_exact_explain(device, &form, text, text_bytes);
    else hw_gpu_reduce_explain(device, &form, text, text_bytes);
    return HW_OK;
}

hw_status hw_reduce_explain(hw_device *device, hw_reduction reduction, const DLTensor *in, const int *axes, int n_axes,
                            uint32_t flags, char *text, size_t text_bytes, hw_diag *diag) {
    hw_diag own;
    return hw_diag_tell(diag, &own, explain_reduce(device, reduction, in, axes, n_axes, flags, text, text_bytes,
                                                   hw_diag_begin(&own)));
}
