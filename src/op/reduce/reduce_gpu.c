// The reduction on a device with kernels: one launch, remembered; and what it would do in words.
#include "op/reduce/reduce_gpu.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "op/reduce/reduce_plan.h"

enum { IN, OUT, SCRATCH };   // a plan's arrays
enum { SHAPE = 2 };          // the place of the shape among the parameters: out, in, shape, scratch, zeros

// What a call launches, remembered with the device. Only as much of `shape` is kept as the kernel's structure can need:
// small calls are made of copies like this one.
enum { SHAPE_BYTES = 64, AXIS_BYTES = 32 };   // of its members before the axes, and of an axis, at most
typedef struct prepared {
    hw_kernel *kernel;
    uint64_t scratch_bytes;
    uint32_t blocks, threads;
    _Alignas(16) char shape[SHAPE_BYTES + AXIS_BYTES * (2 * HW_MAX_RANK + 2)];
} prepared;

static size_t prepared_bytes(const hw_reduction_form *form) {
    return offsetof(prepared, shape) + SHAPE_BYTES + AXIS_BYTES * (form->n_kept + form->n_reduced + 2);
}

static void make_reduce_plan(const hw_device *device, const hw_reduction_form *form, hw_reduce_plan *plan) {
    const hw_reduce_goals goals = hw_reduce_goals_for(form, hw_device_get_properties(device));
    hw_reduce_plan_make(form, &goals, plan);
}

static hw_status prepare_reduce(hw_device *device, const hw_reduction_form *form, prepared *known, hw_diag *diag) {
    hw_reduce_plan reduce;
    hw_kernel *kernels[HW_PLAN_LAUNCHES];
    hw_plan plan;
    make_reduce_plan(device, form, &reduce);
    if (reduce.blocks > INT32_MAX)
        return hw_diag_set(diag, HW_UNSUPPORTED, "hw_reduce: %llu outputs are more than one launch can have",
                           (unsigned long long)form->outputs);
    hw_reduce_plan_launch(form, &reduce, IN, OUT, SCRATCH, HW_SCRATCH_ZEROS, &plan);
    hw_status status = hw_plan_kernels(device, &plan, kernels, diag);
    if (status != HW_OK) return status;
    const hw_plan_launch *launch = &plan.launches[0];
    known->kernel = kernels[0];
    known->scratch_bytes = reduce.scratch_bytes ? HW_SCRATCH_ZEROS + reduce.scratch_bytes : 0;
    known->blocks = launch->grid[0];
    known->threads = launch->block[0];
    memcpy(known->shape, plan.bytes + launch->params[SHAPE].offset, prepared_bytes(form) - offsetof(prepared, shape));
    return HW_OK;
}

static hw_status launch_reduce(hw_stream *stream, const hw_reduction_form *form, const prepared *known, hw_diag *diag) {
    const void *in = form->in;
    void *out = form->out, *scratch = NULL;
    uint32_t zeros = HW_SCRATCH_ZEROS;
    hw_status status = HW_OK;
    if (known->scratch_bytes) status = hw_stream_scratch(stream, known->scratch_bytes, &scratch, diag);
    if (status != HW_OK) return status;
    void *const params[] = {&out, &in, (void *)known->shape, &scratch, &zeros};
    const hw_kernel_launch launch = {.kernel = known->kernel, .grid = {known->blocks, 1, 1},
                                     .block = {known->threads, 1, 1}, .params = params};
    status = hw_stream_launch(stream, &launch, diag);
    // A simulated kernel that failed may have left its counters anywhere.
    if (status != HW_OK && scratch) hw_stream_scratch_drop(stream);
    return status;
}

hw_status hw_gpu_reduce(hw_stream *stream, const hw_reduction_form *form, hw_diag *diag) {
    hw_device *device = hw_stream_device(stream);
    const size_t bytes = prepared_bytes(form);
    hw_reduction_key key;
    prepared known;
    hw_reduction_make_key(form, &key);
    if (!hw_device_recall(device, key.words, key.bytes, &known, bytes)) {
        hw_status status = prepare_reduce(device, form, &known, diag);
        if (status != HW_OK) return status;
        hw_device_remember(device, key.words, key.bytes, &known, bytes);
    }
    return launch_reduce(stream, form, &known, diag);
}

// ---- In words -------------------------------------------------------------------------------------------------------

static void say_rows(hw_text *page, const hw_reduce_plan *plan) {
    const uint32_t parts = plan->run_parts * plan->word_parts, outputs = plan->threads / plan->group;
    hw_text_put(page, "kernel: reduce/92_rows.cu, lanes along the elements of an output\n");
    if (plan->group == plan->threads)
        hw_text_put(page, "each output: %u block%s of %u threads", parts, hw_text_plural(parts), plan->threads);
    else
        hw_text_put(page, "each output: %u lane%s, %u output%s in a block of %u threads", plan->group,
                    hw_text_plural(plan->group), outputs, hw_text_plural(outputs), plan->threads);
    if (plan->runs > 1)
        hw_text_put(page, ", %llu runs of %llu element%s, %u lane%s along a run", (unsigned long long)plan->runs,
                    (unsigned long long)plan->along.n, hw_text_plural(plan->along.n), plan->inner,
                    hw_text_plural(plan->inner));
    hw_text_put(page, "\n");
}

static void say_columns(hw_text *page, const hw_reduce_plan *plan) {
    const uint32_t width = plan->lanes * plan->vector, rows = plan->threads / plan->lanes;
    hw_text_put(page, "kernel: reduce/94_columns.cu, lanes along neighbouring outputs\n");
    hw_text_put(page, "%llu tile%s of up to %u output%s, %u row%s at a time; for each %u block%s of %u threads\n",
                (unsigned long long)plan->tiles, hw_text_plural(plan->tiles), width, hw_text_plural(width), rows,
                hw_text_plural(rows), plan->run_parts, hw_text_plural(plan->run_parts), plan->threads);
}

const char *hw_gpu_reduce_explain(hw_device *device, const hw_reduction_form *form, char *text, size_t text_bytes) {
    hw_text page = hw_text_in(text, text_bytes);
    hw_reduce_plan plan;
    if (form->outputs == 0) return text;
    make_reduce_plan(device, form, &plan);
    if (plan.way == HW_REDUCE_ROWS) say_rows(&page, &plan);
    else say_columns(&page, &plan);
    const uint32_t load_bytes = plan.vector * form->in_bytes;
    hw_text_put(&page, "lanes: %u byte%s a load%s, %u in flight; %llu block%s, %d-bit indices\n", load_bytes,
                hw_text_plural(load_bytes),
                plan.way == HW_REDUCE_ROWS && !plan.aligned ? ", the elements before and after these words singly" : "",
                plan.unroll, (unsigned long long)plan.blocks, hw_text_plural(plan.blocks), plan.index64 ? 64 : 32);
    if (plan.stays) hw_text_put(&page, "cache: L2 holds the array, and loads leave it there\n");
    if (plan.scratch_bytes)
        hw_text_put(&page, "finish: the last block of each output puts %llu bytes of parts together, in a fixed "
                    "order\n", (unsigned long long)plan.scratch_bytes);
    return text;
}
