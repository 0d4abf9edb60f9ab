// What 97_send.cu is given.
#include "op/transpose/transpose_send.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "base/integers.h"
#include "op/common/plan.h"

enum { FROM, TO };       // a plan's arrays
enum { LINE_BYTES = 128 };

// grid_axis and send_shape of the kernel, whose steps are bytes.
typedef struct send_axis {
    uint32_t count, multiplier, shift, box, extent;
    int64_t in_step, out_step;
} send_axis;

typedef struct send_shape {
    uint32_t words, run_bytes;
    send_axis grid[HW_MAX_RANK + 1];
} send_shape;

static void add_axis(send_shape *shape, uint32_t *n_axes, uint64_t count, int64_t in_step, int64_t out_step) {
    send_axis *axis = &shape->grid[(*n_axes)++];
    *axis = (send_axis){.count = (uint32_t)count, .in_step = in_step, .out_step = out_step};
    hw_plan_divisor(axis->count, &axis->multiplier, &axis->shift);
    assert(count <= INT32_MAX / shape->words);
    shape->words *= axis->count;
}

// The words of the lines that a run touches, which every run is given: of a run that begins as far into a line as any
// can.
static uint64_t words_of_run(const hw_permutation *p, uint32_t n_outer, uint64_t run_bytes) {
    uint64_t all = (uintptr_t)p->out | LINE_BYTES;
    for (uint32_t i = 0; i < n_outer; i++) all |= (uint64_t)p->out_stride[i] * p->elem_bytes;
    const uint64_t unit = all & -all;
    return hw_divide_up(LINE_BYTES - unit + run_bytes, LINE_BYTES) * (LINE_BYTES / HW_WORD_BYTES);
}

// Returns how many axes the grid has.
static uint32_t make_shape(const hw_permutation *p, send_shape *shape) {
    const uint32_t e = p->elem_bytes, last = p->rank ? p->rank - 1 : 0;
    const bool has_run = p->rank && p->in_stride[last] == 1 && p->out_stride[last] == 1;
    const uint32_t n_outer = has_run ? last : p->rank;
    uint32_t n_axes = 0;
    *shape = (send_shape){.words = 1, .run_bytes = (uint32_t)(has_run ? p->n[last] : 1) * e};
    add_axis(shape, &n_axes, words_of_run(p, n_outer, shape->run_bytes), 0, 0);
    for (uint32_t i = n_outer; i-- > 0;) {
        assert((p->in_stride[i] - p->out_stride[i]) * (int64_t)e % HW_WORD_BYTES == 0);
        add_axis(shape, &n_axes, p->n[i], p->in_stride[i] * e, p->out_stride[i] * e);
    }
    return n_axes;
}

hw_status hw_send(hw_stream *stream, const hw_permutation *p, uint32_t blocks, hw_event *begin, hw_diag *diag) {
    hw_plan plan = {.n_launches = 1};
    hw_plan_launch *launch = &plan.launches[0];
    hw_kernel *kernels[HW_PLAN_LAUNCHES];
    send_shape shape;
    assert(p->elems > 0 && p->elems * p->elem_bytes <= HW_SEND_BYTES_MOST);
    assert(((uintptr_t)p->in ^ (uintptr_t)p->out) % HW_WORD_BYTES == 0);
    const uint32_t n_axes = make_shape(p, &shape);
    *launch = (hw_plan_launch){.file = "transpose/97_send.cu", .function = "send", .grid = {blocks, 1, 1},
                               .block = {HW_SEND_THREADS, 1, 1}, .n_params = 3};
    hw_plan_define(&plan, launch, "THREADS", HW_SEND_THREADS);
    hw_plan_define(&plan, launch, "GRID_AXES", n_axes);
    launch->params[0] = (hw_plan_param){.array = FROM};
    launch->params[1] = (hw_plan_param){.array = TO};
    const size_t bytes = offsetof(send_shape, grid) + n_axes * sizeof shape.grid[0];
    launch->params[2] = (hw_plan_param){.array = -1, .offset = hw_plan_value(&plan, &shape, bytes)};
    void *const arrays[] = {[FROM] = (void *)p->in, [TO] = p->out};
    hw_status status = hw_plan_kernels(hw_stream_device(stream), &plan, kernels, diag);
    if (status == HW_OK) status = hw_event_record(begin, stream, diag);
    return status == HW_OK ? hw_plan_launch_all(stream, &plan, kernels, arrays, diag) : status;
}

// Small differences are mostly chance. A large difference is made up for by half, since one sample may be chance as
// well.
uint32_t hw_send_pace(uint32_t blocks, double come, double go, uint32_t most) {
    const double small = 0.03, large = 0.25;
    double difference = go / come - 1;
    if (difference > 1) difference = 1;
    double wanted = blocks;
    if (difference > large || difference < -large) wanted += blocks * difference / 2;
    if (difference > small) wanted = ceil(wanted + 0.5);
    else if (difference < -small) wanted = floor(wanted - 0.5);
    return wanted < 1 ? 1 : wanted < most ? (uint32_t)wanted : most;
}
