#include "device/sim.h"
#include "ladder/sweep.h"

#include <inttypes.h>
#include <string.h>

#include "model/time.h"

// ---- One point ------------------------------------------------------------------------------------------------------

static hw_status take_point(const hw_ladder *ladder, const hw_family *family, hw_sweep_point *point, hw_diag *diag) {
    const hw_ladder_row *row = NULL;
    for (size_t i = 0; i < ladder->n_rows; i++)
        if (!ladder->rows[i].rung->is_copy) row = &ladder->rows[i];
    if (!row) return hw_diag_set(diag, HW_USAGE, "%s has no such rung", family->name);
    if (row->status) return hw_diag_set(diag, row->status, "%s: %s", row->rung->name, row->text);
    if (!row->verdict.right)
        return hw_diag_set(diag, HW_FAULT, "%s with %s %" PRIu64 " on %s: %s", row->rung->name, row->rung->swept,
                           point->step, ladder->device->name, row->verdict.text);
    point->gbs = row->gbs;
    if (ladder->device->kind != HW_DEVICE_SIM) return HW_OK;
    point->gbs = row->memory_gbs;
    point->moved = point->gbs > 0 ? hw_model_stream_gbs(ladder->counted_on) / point->gbs : 0;
    return HW_OK;
}

static hw_status run_point(hw_device *device, const hw_sweep_options *options, const hw_rung *rung,
                           hw_sweep_point *point, hw_diag *diag) {
    const hw_family *family = options->family;
    const bool is_sim = hw_device_get_properties(device)->kind == HW_DEVICE_SIM;
    hw_ladder_options ladder_options = {.family = family, .rung = rung->name, .seconds = options->seconds};
    hw_ladder ladder = {0};
    char dtype[16] = {0};
    memcpy(dtype, family->dtypes, strcspn(family->dtypes, " ") % sizeof dtype);
    if (!hw_dtype_find(dtype, &ladder_options.problem.dtype))
        return hw_diag_set(diag, HW_USAGE, "%s has no type", family->name);
    memcpy(ladder_options.problem.size, family->default_sim_size, sizeof ladder_options.problem.size);
    ladder_options.problem.size[0] = is_sim ? family->sweep_sim_size : family->sweep_size;
    ladder_options.problem.size[family->swept_size] = point->step;
    hw_status status = hw_ladder_run(device, NULL, &ladder_options, &ladder, diag);
    if (!status) status = take_point(&ladder, family, point, diag);
    hw_ladder_free(&ladder);
    return status;
}

// ---- Curves ---------------------------------------------------------------------------------------------------------

static hw_status check_sweep(hw_device *const *devices, size_t n_devices, const hw_family *family, hw_diag *diag) {
    if (!family->swept_size || family->sweep_last >= HW_SWEEP_POINTS)
        return hw_diag_set(diag, HW_USAGE, "%s has no size that its rungs are compared over", family->name);
    if (!n_devices || n_devices > HW_SWEEP_DEVICES)
        return hw_diag_set(diag, HW_USAGE, "one to %d GPUs are compared, and not %zu", HW_SWEEP_DEVICES, n_devices);
    for (size_t i = 0; i < n_devices; i++)
        if (hw_device_get_properties(devices[i])->kind == HW_DEVICE_CPU)
            return hw_diag_set(diag, HW_USAGE, "GPUs are compared, and no processor");
    return HW_OK;
}

static hw_status run_curve(hw_device *device, const hw_sweep_options *options, hw_sweep_curve *curve, hw_diag *diag) {
    hw_status status = HW_OK;
    for (uint64_t step = curve->rung->swept_from; step <= options->family->sweep_last && !status; step++) {
        hw_sweep_point *point = &curve->points[curve->n_points++];
        *point = (hw_sweep_point){.step = step};
        status = run_point(device, options, curve->rung, point, diag);
    }
    return status;
}

hw_status hw_sweep_run(hw_device *const *devices, size_t n_devices, const hw_sweep_options *options, hw_sweep *out,
                       hw_diag *diag) {
    const hw_family *family = options->family;
    *out = (hw_sweep){.family = family, .n_devices = n_devices};
    hw_status status = check_sweep(devices, n_devices, family, diag);
    if (status) return status;
    for (size_t r = 0; r < family->n_rungs && out->n_rungs < HW_SWEEP_RUNGS; r++) {
        if (!family->rungs[r].swept) continue;
        out->n_rungs++;
        for (size_t d = 0; d < n_devices; d++) {
            hw_sim *sim = hw_device_sim(devices[d]);
            out->curves[out->n_curves++] = (hw_sweep_curve){.rung = &family->rungs[r],
                                                            .device = hw_device_get_properties(devices[d]),
                                                            .gpu = sim ? hw_sim_gpu(sim) : NULL};
        }
    }
    for (size_t i = 0; i < out->n_curves && !status; i++) {
        hw_sweep_curve *curve = &out->curves[i];
        if (options->progress) options->progress(options->progress_context, i, out->n_curves, curve->rung->name);
        status = run_curve(devices[i % n_devices], options, curve, diag);
    }
    return status;
}
