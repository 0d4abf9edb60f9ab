// All launches of a kernel as one row. Launches are sorted by kernel first, so that each kernel's lie side by side.
#include "report/summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static int by_kernel(const void *left, const void *right) {
    const hw_report_launch *a = *(const hw_report_launch *const *)left, *b = *(const hw_report_launch *const *)right;
    int order = strcmp(a->mangled, b->mangled);
    return order ? order : (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

static int by_kernel_and_gpu(const void *left, const void *right) {
    const hw_report_launch *a = *(const hw_report_launch *const *)left, *b = *(const hw_report_launch *const *)right;
    int order = strcmp(a->mangled, b->mangled);
    if (!order) order = (a->device > b->device) - (a->device < b->device);
    return order ? order : (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

static bool are_together(const hw_report_launch *a, const hw_report_launch *b, bool by_gpu) {
    return !strcmp(a->mangled, b->mangled) && (!by_gpu || a->device == b->device);
}

static int by_time(const void *left, const void *right) {
    const hw_report_summary *a = left, *b = right;
    if (a->sum.estimate.us != b->sum.estimate.us) return a->sum.estimate.us < b->sum.estimate.us ? 1 : -1;
    return (a->sum.ordinal > b->sum.ordinal) - (a->sum.ordinal < b->sum.ordinal);
}

static void raise_to(uint32_t *most, uint32_t value) {
    if (value > *most) *most = value;
}

// What does not hang on time.
static void add_launch(hw_report_summary *row, const hw_report_launch *launch) {
    hw_report_launch *sum = &row->sum;
    row->launches++;
    for (int i = 0; i < HW_COUNTERS; i++) sum->counts[i] += launch->counts[i];
    sum->has_machine_inst &= launch->has_machine_inst;
    sum->machine_inst += launch->machine_inst;
    sum->texel_sectors += launch->texel_sectors;
    sum->texel_misses += launch->texel_misses;
    sum->work.load_bytes += launch->work.load_bytes;
    sum->work.store_bytes += launch->work.store_bytes;
    raise_to(&sum->regs, launch->regs);
    raise_to(&sum->spill_bytes, launch->spill_bytes);
    raise_to(&sum->smem_static, launch->smem_static);
    raise_to(&sum->smem_dynamic, launch->smem_dynamic);
    sum->regs_estimated |= launch->regs_estimated;
    sum->host_ms += launch->host_ms;
    row->reused += launch->is_reused;
    if (!sum->status) sum->status = launch->status;
}

static void add_time(hw_report_summary *row, const hw_estimate *estimate) {
    if (!row->completed++ || estimate->us < row->min_us) row->min_us = estimate->us;
    if (estimate->us > row->max_us) row->max_us = estimate->us;
    row->sum.estimate.us += estimate->us;
    for (int b = 0; b < HW_BOUNDS; b++) row->sum.estimate.bound_us[b] += estimate->bound_us[b];
}

// A kernel's launches, n of them, in their order.
static hw_report_summary summarise_launches(const hw_report_launch *const *launches, size_t n) {
    hw_report_summary row = {.sum = {.ordinal = launches[0]->ordinal, .kernel = launches[0]->kernel,
                                     .device = launches[0]->device,
                                     .mangled = launches[0]->mangled, .ptx_by = launches[0]->ptx_by,
                                     .has_machine_inst = true}};
    double bytes = 0, held = 0, held_by_launch = 0, bound[HW_BOUNDS] = {0};
    for (size_t i = 0; i < n; i++) {
        const hw_estimate *estimate = &launches[i]->estimate;
        add_launch(&row, launches[i]);
        held_by_launch += launches[i]->occupancy.occupancy_pct;
        if (launches[i]->status) continue;
        add_time(&row, estimate);
        bytes += estimate->gbs * estimate->us;
        held += launches[i]->occupancy.occupancy_pct * estimate->us;
        bound[estimate->bound] += estimate->us;
    }
    double us = row.sum.estimate.us;
    row.mean_us = row.completed ? us / (double)row.completed : 0;
    row.sum.estimate.gbs = us > 0 ? bytes / us : 0;
    row.sum.occupancy.occupancy_pct = us > 0 ? held / us : held_by_launch / (double)n;
    for (int b = 1; b < HW_BOUNDS; b++)
        if (bound[b] > bound[row.sum.estimate.bound]) row.sum.estimate.bound = (hw_bound)b;
    return row;
}

static void set_shares(hw_report_summary *rows, size_t n) {
    double all = 0;
    for (size_t i = 0; i < n; i++) all += rows[i].sum.estimate.us;
    for (size_t i = 0; i < n; i++) rows[i].share_pct = all > 0 ? 100 * rows[i].sum.estimate.us / all : 0;
}

hw_status hw_report_summarise(const hw_report *report, bool by_gpu, hw_report_summary **rows, size_t *n_rows,
                              hw_diag *diag) {
    const hw_report_launch **order = hw_calloc(report->n_launches + 1, sizeof *order);
    size_t n = 0, n_kernels = 0;
    *rows = NULL;
    *n_rows = 0;
    if (!order) return hw_diag_no_memory(diag);
    for (size_t i = 0; i < report->n_launches; i++) order[i] = &report->launches[i];
    qsort(order, report->n_launches, sizeof *order, by_gpu ? by_kernel_and_gpu : by_kernel);
    for (size_t i = 0; i < report->n_launches; i++)
        n_kernels += !i || !are_together(order[i], order[i - 1], by_gpu);
    *rows = hw_calloc(n_kernels + 1, sizeof **rows);
    for (size_t first = 0, end; *rows && first < report->n_launches; first = end) {
        for (end = first + 1; end < report->n_launches; end++)
            if (!are_together(order[end], order[first], by_gpu)) break;
        (*rows)[n++] = summarise_launches(&order[first], end - first);
    }
    hw_free(order);
    if (!*rows) return hw_diag_no_memory(diag);
    set_shares(*rows, n);
    qsort(*rows, n, sizeof **rows, by_time);
    *n_rows = n;
    return HW_OK;
}
