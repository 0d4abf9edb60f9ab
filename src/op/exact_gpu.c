// Exact sums on a device with kernels: one launch; and what it would do in words.
#include <stdio.h>
#include <string.h>

#include "op/exact_plan.h"

hw_status hw_gpu_reduce_exact(hw_stream *stream, const hw_reduction_form *form, hw_diag *diag) {
    hw_device *device = hw_stream_device(stream);
    hw_exact_plan exact;
    hw_plan plan;
    hw_kernel *kernels[HW_PLAN_LAUNCHES];
    void *scratch = NULL;
    hw_exact_plan_make(form, hw_device_get_properties(device), &exact);
    if (exact.blocks > INT32_MAX)
        return hw_diag_set(diag, HW_UNSUPPORTED, "hw_reduce: %llu outputs are more than one launch can have",
                           (unsigned long long)form->outputs);
    hw_exact_plan_launch(form, &exact, &plan);
    hw_status status = hw_plan_kernels(device, &plan, kernels, diag);
    if (status == HW_OK && exact.scratch_bytes)
        status = hw_stream_scratch(stream, HW_SCRATCH_ZEROS + exact.scratch_bytes, &scratch, diag);
    if (status != HW_OK) return status;
    void *const arrays[HW_EXACT_ARRAYS] = {
        [HW_EXACT_IN] = (void *)form->in, [HW_EXACT_OUT] = form->out, [HW_EXACT_COUNTERS] = scratch,
        [HW_EXACT_RECORDS] = scratch ? (char *)scratch + HW_SCRATCH_ZEROS : NULL};
    status = hw_plan_launch_all(stream, &plan, kernels, arrays, diag);
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
                  exact.blocks_per_output == 1 ? "" : "s", (unsigned long long)exact.terms_per_block);
    int used = snprintf(text, text_bytes,
                        "kernel: reduce/95_exact.cu, every bit of every term counts, rounded once\n"
                        "each output: %s; %llu blocks of %u threads, 16 sums in shared memory for each thread\n",
                        each, (unsigned long long)exact.blocks, exact.threads);
    if (exact.scratch_bytes && used > 0 && (size_t)used < text_bytes)
        snprintf(text + used, text_bytes - (size_t)used,
                 "finish: the last block of each output adds up %llu bytes of integers, in any order\n",
                 (unsigned long long)exact.scratch_bytes);
    return text;
}
