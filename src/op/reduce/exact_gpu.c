// Exact sums on a device with kernels: one launch, remembered; and what it would do in words.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "op/reduce/exact_plan.h"

// What a call launches, remembered with the device.
typedef struct prepared {
    hw_plan plan;
    hw_kernel *kernels[HW_PLAN_LAUNCHES];
    size_t scratch_bytes;
} prepared;

static hw_status prepare_exact(hw_device *device, const hw_reduction_form *form, prepared *known, hw_diag *diag) {
    hw_reduction_key key;
    hw_exact_plan exact;
    hw_reduction_make_key(form, &key);
    if (hw_device_recall(device, key.words, key.bytes, known, sizeof *known)) return HW_OK;
    hw_exact_plan_make(form, hw_device_get_properties(device), &exact);
    if (exact.blocks > INT32_MAX)
        return hw_diag_set(diag, HW_UNSUPPORTED, "hw_reduce: %llu outputs are more than one launch can have",
                           (unsigned long long)form->outputs);
    memset(known, 0, sizeof *known);
    hw_exact_plan_launch(form, &exact, &known->plan);
    known->scratch_bytes = exact.scratch_bytes;
    hw_status status = hw_plan_kernels(device, &known->plan, known->kernels, diag);
    if (status == HW_OK) hw_device_remember(device, key.words, key.bytes, known, sizeof *known);
    return status;
}

hw_status hw_gpu_reduce_exact(hw_stream *stream, const hw_reduction_form *form, hw_diag *diag) {
    prepared known;
    void *scratch = NULL;
    hw_status status = prepare_exact(hw_stream_device(stream), form, &known, diag);
    if (status == HW_OK && known.scratch_bytes)
        status = hw_stream_scratch(stream, HW_SCRATCH_ZEROS + known.scratch_bytes, &scratch, diag);
    if (status != HW_OK) return status;
    void *const arrays[HW_EXACT_ARRAYS] = {
        [HW_EXACT_IN] = (void *)form->in, [HW_EXACT_OUT] = form->out, [HW_EXACT_COUNTERS] = scratch,
        [HW_EXACT_RECORDS] = scratch ? (char *)scratch + HW_SCRATCH_ZEROS : NULL};
    status = hw_plan_launch_all(stream, &known.plan, known.kernels, arrays, diag);
    // A simulated kernel that failed may have left its counters anywhere.
    if (status != HW_OK && scratch) hw_stream_scratch_drop(stream);
    return status;
}

const char *hw_gpu_reduce_exact_explain(hw_device *device, const hw_reduction_form *form, char *text,
                                        size_t text_bytes) {
    hw_exact_plan exact;
    hw_exact_plan_make(form, hw_device_get_properties(device), &exact);
    char each[80];
    if (exact.way == HW_EXACT_THREADS) snprintf(each, sizeof each, "a thread");
    else snprintf(each, sizeof each, "%u block%s of up to %llu terms", exact.blocks_per_output,
                  hw_text_plural(exact.blocks_per_output), (unsigned long long)exact.terms_per_block);
    hw_text page = hw_text_in(text, text_bytes);
    hw_text_put(&page, "kernel: reduce/95_exact.cu, every bit of every term counts, rounded once\n"
                "each output: %s; %llu block%s of %u threads, 16 sums in shared memory for each thread\n", each,
                (unsigned long long)exact.blocks, hw_text_plural(exact.blocks), exact.threads);
    if (exact.scratch_bytes)
        hw_text_put(&page, "finish: the last block of each output adds up %llu bytes of integers, in any order\n",
                    (unsigned long long)exact.scratch_bytes);
    return text;
}
