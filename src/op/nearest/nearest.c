// hw_nearest: the arguments, and who does the work.
#include <stdio.h>

#include "base/text.h"
#include "device/device.h"
#include "op/common/layout.h"
#include "op/nearest/nearest_check.h"
#include "op/nearest/nearest_gpu.h"

static hw_status check_nearest_places(const hw_device_properties *device, const char *caller, const DLTensor *points,
                                      const DLTensor *queries, const DLTensor *indices,
                                      const DLTensor *squared_distances, hw_diag *diag) {
    const DLTensor *const tensors[] = {points, queries, indices, squared_distances};
    static const char *const names[] = {"points", "queries", "indices", "squared_distances"};
    hw_status status = HW_OK;
    for (int i = 0; i < 4 && status == HW_OK; i++)
        if (tensors[i]) status = hw_layout_check_place(device, tensors[i], caller, names[i], diag);
    return status;
}

static hw_status find_nearest_tensors(hw_stream *stream, const DLTensor *points, const DLTensor *queries,
                                      const hw_nearest_options *options, DLTensor *indices, DLTensor *squared_distances,
                                      hw_diag *diag) {
    hw_neighbours problem;
    if (!stream) return hw_diag_set(diag, HW_USAGE, "hw_nearest: the stream is NULL");
    hw_device *device = hw_stream_device(stream);
    const hw_device_properties *properties = hw_device_get_properties(device);
    hw_status status = hw_neighbours_make(points, queries, options, indices, squared_distances, true, &problem, diag);
    if (status == HW_OK)
        status = check_nearest_places(properties, "hw_nearest", points, queries, indices, squared_distances, diag);
    if (status != HW_OK || problem.queries.count == 0) return status;
    if (properties->kind != HW_DEVICE_CPU) return hw_gpu_nearest(stream, &problem, diag);
    // What is queued on the stream may still write the arrays.
    status = hw_stream_synchronize(stream, diag);
    if (status != HW_OK) return status;
    uint32_t n_threads;
    hw_pool *pool = hw_device_pool(device, &n_threads);
    return hw_cpu_nearest(&problem, pool, n_threads, diag);
}

hw_status hw_nearest(hw_stream *stream, const DLTensor *points, const DLTensor *queries,
                     const hw_nearest_options *options, DLTensor *indices, DLTensor *squared_distances, hw_diag *diag) {
    hw_diag own;
    return hw_diag_tell(diag, &own, find_nearest_tensors(stream, points, queries, options, indices, squared_distances,
                                                         hw_diag_begin(&own)));
}

static hw_status explain_nearest(hw_device *device, const DLTensor *points, const DLTensor *queries,
                                 const hw_nearest_options *options, char *text, size_t text_bytes, hw_diag *diag) {
    hw_neighbours problem;
    if (!device || !text || text_bytes == 0)
        return hw_diag_set(diag, HW_USAGE, "hw_nearest_explain: the device or the place for the text is NULL");
    text[0] = 0;
    const hw_device_properties *properties = hw_device_get_properties(device);
    hw_status status = hw_neighbours_make(points, queries, options, NULL, NULL, false, &problem, diag);
    if (status == HW_OK)
        status = check_nearest_places(properties, "hw_nearest_explain", points, queries, NULL, NULL, diag);
    if (status != HW_OK) return status;
    int used = snprintf(text, text_bytes, "%llu quer%s, %llu point%s of %u coordinate%s (%s), %u neighbour%s%s\n",
                        (unsigned long long)problem.queries.count, problem.queries.count == 1 ? "y" : "ies",
                        (unsigned long long)problem.points.count, hw_text_plural(problem.points.count), problem.dims,
                        hw_text_plural(problem.dims), problem.is_f64 ? "f64" : "f32", problem.k,
                        hw_text_plural(problem.k), problem.self ? ", none its own" : "");
    if (used < 0 || (size_t)used >= text_bytes || problem.queries.count == 0) return HW_OK;
    if (properties->kind == HW_DEVICE_CPU) hw_cpu_nearest_explain(&problem, text + used, text_bytes - (size_t)used);
    else hw_gpu_nearest_explain(device, &problem, text + used, text_bytes - (size_t)used);
    return HW_OK;
}

hw_status hw_nearest_explain(hw_device *device, const DLTensor *points, const DLTensor *queries,
                             const hw_nearest_options *options, char *text, size_t text_bytes, hw_diag *diag) {
    hw_diag own;
    return hw_diag_tell(diag, &own,
                        explain_nearest(device, points, queries, options, text, text_bytes, hw_diag_begin(&own)));
}
