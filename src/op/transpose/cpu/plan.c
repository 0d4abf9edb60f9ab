// The choice of boxes.
//
// A box should be contiguous for some cache lines in both arrays: along out, so that lines are written whole and many
// of them to a page; along in, so that the lines and pages that were fetched are used up. It should fit into the
// second-level cache with its buffer.
#include "op/transpose/cpu/plan.h"

#include <string.h>

#include "base/integers.h"
#include "op/tune/cpu.h"

enum { LINE_BYTES = 64 };

// Axes by their stride in in, the fastest first. Broadcast axes come last: runs along them save no reads.
static void order_by_in(const hw_permutation *p, uint32_t *order) {
    for (uint32_t k = 0; k < p->rank; k++) {
        uint32_t at = k;
        uint64_t key = hw_magnitude(p->in_stride[k]) - 1;   // 0 becomes the largest
        for (; at && hw_magnitude(p->in_stride[order[at - 1]]) - 1 > key; at--) order[at] = order[at - 1];
        order[at] = k;
    }
}

// Lengthens the box along a chain of axes, the fastest first, until it is contiguous for so many bytes.
static void lengthen_box(hw_cpu_plan *plan, const uint32_t *chain, const int64_t *stride, uint64_t bytes) {
    const hw_permutation *p = &plan->p;
    uint64_t run = p->elem_bytes;
    for (uint32_t i = 0; i < p->rank; i++) {
        uint32_t k = chain[i];
        if (i && (plan->box[chain[i - 1]] < p->n[chain[i - 1]] ||
                  stride[k] != (int64_t)p->n[chain[i - 1]] * stride[chain[i - 1]]))
            return;
        uint64_t wanted = hw_divide_up(bytes, run);
        if (plan->box[k] < wanted) plan->box[k] = wanted < p->n[k] ? wanted : p->n[k];
        run *= plan->box[k];
    }
}

static uint64_t box_bytes(const hw_cpu_plan *plan) {
    uint64_t bytes = plan->p.elem_bytes;
    for (uint32_t k = 0; k < plan->p.rank; k++) bytes *= plan->box[k];
    return bytes;
}

// Where the chains are short the box is small: lengthens the box along further axes until it has so many bytes.
static void fill_up(hw_cpu_plan *plan, const uint32_t *chain, uint64_t bytes) {
    for (uint32_t i = 0; i < plan->p.rank; i++) {
        uint32_t k = chain[i];
        uint64_t rest = box_bytes(plan) / plan->box[k], wanted = bytes / rest;
        if (wanted > plan->p.n[k]) wanted = plan->p.n[k];
        if (wanted > plan->box[k]) plan->box[k] = wanted;
    }
}

// Makes the boxes as equal as can be without changing their number, and their sides multiples of `unit` where that does
// not add boxes.
static void even_out(hw_cpu_plan *plan) {
    plan->n_boxes = 1;
    for (uint32_t k = 0; k < plan->p.rank; k++) {
        uint64_t n = plan->p.n[k], count = hw_divide_up(n, plan->box[k]);
        uint64_t unit = LINE_BYTES / plan->p.elem_bytes;
        uint64_t even = hw_divide_up(n, count), rounded = hw_align_up(even, unit);
        if (count > 1) plan->box[k] = even > unit ? rounded : even;
        plan->n_boxes *= hw_divide_up(n, plan->box[k]);
    }
}

static void lay_out_buffer(hw_cpu_plan *plan) {
    const hw_permutation *p = &plan->p;
    uint32_t k = p->rank - 1;
    int64_t stride = p->elem_bytes;
    for (;; k--) {
        plan->buffer_stride[k] = stride;
        stride *= (int64_t)plan->box[k];
        if (!k || plan->box[k] < p->n[k] || p->out_stride[k - 1] != (int64_t)p->n[k] * p->out_stride[k]) break;
    }
    plan->run_axis = k;
    // Rows an odd number of lines apart lie in different sets of the cache.
    if (k) stride = (int64_t)hw_align_up((uint64_t)stride, LINE_BYTES);
    if (k && stride / LINE_BYTES % 2 == 0) stride += LINE_BYTES;
    while (k-- > 0) {
        plan->buffer_stride[k] = stride;
        stride *= (int64_t)plan->box[k];
    }
    plan->buffer_bytes = (size_t)stride;
}

static void choose_transpose_way(hw_cpu_plan *plan, const uint32_t *by_in) {
    const hw_permutation *p = &plan->p;
    uint32_t last = p->rank - 1;
    plan->row_axis = last;
    plan->col_axis = by_in[0];
    plan->way = p->out_stride[last] != 1 || p->in_stride[by_in[0]] != 1 ? HW_CPU_PLAIN : HW_CPU_TRANSPOSE;
    if (by_in[0] != last) return;
    if (plan->way == HW_CPU_TRANSPOSE) plan->way = HW_CPU_RUNS;
    plan->col_axis = p->rank > 1 ? by_in[1] : last;
}

static void order_loops(hw_cpu_plan *plan, const uint32_t *by_in) {
    plan->n_loops = 0;
    for (uint32_t i = 0; i < plan->p.rank; i++) {
        uint32_t k = by_in[i];
        if (k != plan->row_axis && k != plan->col_axis) plan->loops[plan->n_loops++] = k;
        plan->walk[i] = k;
    }
}

// Fetching ahead helps where rows are far apart and shorter than what the processor itself sees coming.
static void choose_strip(hw_cpu_plan *plan) {
    const hw_permutation *p = &plan->p;
    bool by_rows = plan->way == HW_CPU_TRANSPOSE;
    uint32_t along = by_rows ? plan->col_axis : plan->row_axis, across = by_rows ? plan->row_axis : plan->col_axis;
    uint64_t row_bytes = plan->box[along] * p->elem_bytes, side = by_rows ? 16 / p->elem_bytes : 1;
    uint64_t strips = hw_divide_up(HW_CPU_STRIP_BYTES, row_bytes * side);
    plan->strip = (uint32_t)(strips * side);
    const bool is_far = hw_magnitude(p->in_stride[across]) * p->elem_bytes >= HW_CPU_FAR_BYTES;
    plan->fetches = is_far && row_bytes < HW_CPU_FETCHED_ROW_BYTES;
    plan->strips_ahead = (uint32_t)hw_divide_up(HW_CPU_AHEAD_BYTES, row_bytes * plan->strip);
}

void hw_cpu_plan_make(const hw_permutation *p, uint64_t cache_bytes, hw_cpu_plan *plan) {
    *plan = (hw_cpu_plan){.p = *p, .n_boxes = p->elems ? 1 : 0};
    hw_permutation_widen(&plan->p, 16);
    p = &plan->p;
    if (!p->rank) return;
    uint32_t by_in[HW_MAX_RANK], by_out[HW_MAX_RANK];
    order_by_in(p, by_in);
    for (uint32_t k = 0; k < p->rank; k++) {
        by_out[k] = p->rank - 1 - k;
        plan->box[k] = 1;
    }
    choose_transpose_way(plan, by_in);
    order_loops(plan, by_in);
    lengthen_box(plan, by_out, p->out_stride, HW_CPU_OUT_RUN_BYTES);
    lengthen_box(plan, by_in, p->in_stride, (uint64_t)HW_CPU_BOX_BYTES * p->elem_bytes / HW_CPU_OUT_RUN_BYTES);
    fill_up(plan, by_in, HW_CPU_BOX_BYTES);
    even_out(plan);
    bool lines = p->out_stride[p->rank - 1] == 1;
    plan->buffered = lines && !(plan->way == HW_CPU_RUNS && p->n[p->rank - 1] * p->elem_bytes >= HW_CPU_DIRECT_BYTES);
    plan->streams = lines && p->elems * p->elem_bytes > cache_bytes;
    lay_out_buffer(plan);
    choose_strip(plan);
}
