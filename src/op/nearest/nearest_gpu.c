// The launches of a nearest_plan.h on a stream, and what they found out about the coordinates; and the plan in words.
#include "op/nearest/nearest_gpu.h"

#include <stdio.h>

#include "base/text.h"
#include "op/nearest/nearest_plan.h"

// Waits for the launches.
static hw_status read_findings(hw_stream *stream, const void *scratch, hw_diag *diag) {
    hw_nearest_findings found = {0};
    hw_status status = hw_copy(stream, &found, scratch, sizeof found, diag);
    if (status == HW_OK) status = hw_stream_synchronize(stream, diag);
    if (status != HW_OK) return status;
    if (found.nan_point) return hw_neighbours_refuse(false, HW_NEAREST_NO_ROW - found.nan_point, diag);
    if (found.nan_query) return hw_neighbours_refuse(true, HW_NEAREST_NO_ROW - found.nan_query, diag);
    return HW_OK;
}

hw_status hw_gpu_nearest(hw_stream *stream, const hw_neighbours *problem, hw_diag *diag) {
    hw_nearest_plan plan;
    hw_plan launches;
    void *scratch;
    hw_nearest_plan_make(problem, hw_device_get_properties(hw_stream_device(stream)), &plan);
    hw_nearest_plan_launch(problem, &plan, &launches);
    hw_status status = hw_stream_alloc(stream, plan.scratch_bytes, &scratch, diag);
    if (status != HW_OK) return status;
    void *const arrays[HW_NEAREST_ARRAYS] = {
        [HW_NEAREST_POINTS] = (void *)problem->points.data, [HW_NEAREST_QUERIES] = (void *)problem->queries.data,
        [HW_NEAREST_INDICES] = problem->indices, [HW_NEAREST_DISTANCES] = problem->squared_distances,
        [HW_NEAREST_SCRATCH] = scratch};
    status = hw_fill(stream, scratch, 0, HW_NEAREST_FINDINGS_BYTES, diag);
    if (status == HW_OK) status = hw_plan_run(stream, &launches, arrays, diag);
    if (status == HW_OK) status = read_findings(stream, scratch, diag);
    hw_stream_free(stream, scratch);
    return status;
}

static int explain_pairs(const hw_neighbours *p, const hw_nearest_plan *plan, char *text, size_t text_bytes) {
    return snprintf(text, text_bytes,
                    "every pair: %.3g pair%s\nkernel: nearest/%s, blocks of %u threads, %u quer%s of each %s, "
                    "%u points in shared memory\nparts of the points: %u%s\n",
                    (double)p->points.count * (double)p->queries.count,
                    hw_text_plural(p->points.count * p->queries.count), plan->selects ? "82_select.cu" : "80_brute.cu",
                    plan->threads, plan->queries, plan->queries == 1 ? "y" : "ies", plan->selects ? "warp" : "thread",
                    plan->tile, plan->parts, plan->parts == 1 ? "" : ", merged by nearest/85_merge.cu");
}

static int explain_search(const hw_neighbours *p, const hw_nearest_plan *plan, char *text, size_t text_bytes) {
    return snprintf(text, text_bytes,
                    "a search: points in the order of a Hilbert curve, %u %s of %d points, %u level%s of boxes\n"
                    "kernel: nearest/90_index.cu, %u block%s of 512 threads%s\n"
                    "kernel: nearest/92_search.cu, a warp for each query, %s\n",
                    plan->index.level_count[0], plan->index.level_count[0] == 1 ? "leaf" : "leaves", HW_NEAREST_LEAF,
                    plan->n_levels, hw_text_plural(plan->n_levels), plan->build_blocks,
                    hw_text_plural(plan->build_blocks), plan->build_blocks == 1 ? "" : " that wait for each other",
                    p->self || plan->sorts_queries ? "in the order of the curve" : "in their own order");
}

const char *hw_gpu_nearest_explain(hw_device *device, const hw_neighbours *problem, char *text, size_t text_bytes) {
    hw_nearest_plan plan;
    hw_nearest_plan_make(problem, hw_device_get_properties(device), &plan);
    int used = plan.method == HW_NEAREST_SEARCH ? explain_search(problem, &plan, text, text_bytes)
                                                : explain_pairs(problem, &plan, text, text_bytes);
    if (used >= 0 && (size_t)used < text_bytes)
        snprintf(text + used, text_bytes - (size_t)used, "scratch memory: %llu bytes\n",
                 (unsigned long long)plan.scratch_bytes);
    return text;
}
