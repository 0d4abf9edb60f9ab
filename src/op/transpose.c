// hw_transpose: which memory the arrays lie in, and who does the work there.
#include <stdio.h>
#include <string.h>

#include "op/cpu/transpose.h"
#include "op/transpose_gpu.h"
#include "op/transpose_host.h"

// Where an array lies, as seen from a device.
typedef enum place { PLACE_DEVICE, PLACE_HOST, PLACE_ELSEWHERE } place;

static place place_of(const hw_device_properties *device, DLDevice dl) {
    bool is_host = dl.device_type == kDLCPU || dl.device_type == kDLCUDAHost;
    if (device->kind == HW_DEVICE_CPU) return is_host || dl.device_type == kDLCUDAManaged ? PLACE_DEVICE : PLACE_ELSEWHERE;
    if (is_host) return PLACE_HOST;
    if (device->kind == HW_DEVICE_CUDA && dl.device_type == kDLCUDAManaged) return PLACE_DEVICE;
    return dl.device_type == device->dl.device_type && dl.device_id == device->dl.device_id ? PLACE_DEVICE
                                                                                            : PLACE_ELSEWHERE;
}

static hw_status check_places(const hw_device_properties *device, const DLTensor *in, const DLTensor *out, place *where,
                              hw_diag *diag) {
    place from = place_of(device, in->device), to = place_of(device, out->device);
    const char *wrong = from == PLACE_ELSEWHERE ? "in" : to == PLACE_ELSEWHERE ? "out" : NULL;
    if (wrong)
        return hw_diag_set(diag, HW_USAGE,
                           "hw_transpose: %s is on a device of DLPack type %d, number %d; the stream's device is %s (type %d, "
                           "number %d)", wrong, (int)(*wrong == 'i' ? in : out)->device.device_type,
                           (*wrong == 'i' ? in : out)->device.device_id, device->name, (int)device->dl.device_type,
                           device->dl.device_id);
    if (from != to)
        return hw_diag_set(diag, HW_USAGE,
                           "hw_transpose: one array is on the device and the other on this machine; copy one of them first");
    *where = from;
    return HW_OK;
}

// What is queued on the stream may still write the arrays.
static hw_status run_on_cpu(hw_stream *stream, const hw_permutation *p, hw_diag *diag) {
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

hw_status hw_transpose(hw_stream *stream, const DLTensor *in, const int *axes, DLTensor *out, hw_diag *diag) {
    hw_permutation p;
    place where = PLACE_DEVICE;
    if (!stream) return hw_diag_set(diag, HW_USAGE, "hw_transpose: the stream is NULL");
    hw_status status = hw_permutation_make(in, axes, out, true, &p, diag);
    hw_device *device = hw_stream_device(stream);
    if (status == HW_OK) status = check_places(hw_device_get_properties(device), in, out, &where, diag);
    if (status != HW_OK || p.elems == 0) return status;
    hw_permutation_merge(&p);
    if (hw_device_get_properties(device)->kind == HW_DEVICE_CPU) return run_on_cpu(stream, &p, diag);
    if (where == PLACE_DEVICE) return hw_gpu_transpose(stream, &p, diag);
    if (p.in_place || !hw_host_transpose_fits(&p)) return run_on_cpu(stream, &p, diag);
    return hw_host_transpose(stream, &p, are_pinned(in, out), diag);
}

hw_status hw_transpose_explain(hw_device *device, const DLTensor *in, const int *axes, const DLTensor *out, char *text,
                               size_t text_bytes, hw_diag *diag) {
    hw_permutation p;
    place where = PLACE_DEVICE;
    if (!device || !text || text_bytes == 0)
        return hw_diag_set(diag, HW_USAGE, "hw_transpose_explain: the device or the place for the text is NULL");
    text[0] = 0;
    hw_status status = hw_permutation_make(in, axes, out, in && out && in->data && out->data, &p, diag);
    if (status == HW_OK) status = check_places(hw_device_get_properties(device), in, out, &where, diag);
    if (status != HW_OK) return status;
    hw_permutation_merge(&p);
    char shape[512];
    int used = snprintf(text, text_bytes, "merged: %s\n", hw_permutation_format(&p, shape, sizeof shape));
    if (used < 0 || (size_t)used >= text_bytes) return HW_OK;
    bool on_cpu = hw_device_get_properties(device)->kind == HW_DEVICE_CPU ||
                  (where == PLACE_HOST && (p.in_place || !hw_host_transpose_fits(&p)));
    if (on_cpu) hw_cpu_transpose_explain(&p, text + used, text_bytes - (size_t)used);
    else if (where == PLACE_HOST)
        hw_host_transpose_explain(device, &p, are_pinned(in, out), text + used, text_bytes - (size_t)used);
    else hw_gpu_transpose_explain(device, &p, false, text + used, text_bytes - (size_t)used);
    return HW_OK;
}
