#include "advice/advice.h"

#include <stdlib.h>
#include <string.h>

#include "advice/rules.h"
#include "base/alloc.h"
#include "report/summary.h"

static const double least_gain = 0.03;

const char *hw_advice_name(hw_advice_id id) { return hw_rules[id].name; }
const char *hw_advice_remedy(hw_advice_id id) { return hw_rules[id].remedy; }

// How often a kernel is launched, as hw_rule_case has it.
typedef struct repeats {
    uint64_t n_launches, n_in_row;
} repeats;

// Launches that are not counted stand between others as well.
static repeats count_repeats(const hw_report *report, const hw_report_summary *kernel) {
    const hw_report_launch *before = NULL;
    repeats r = {.n_launches = kernel->completed};
    uint64_t run = 1;
    for (size_t i = 0; i < report->n_launches; i++) {
        const hw_report_launch *launch = &report->launches[i];
        if (strcmp(launch->mangled, kernel->sum.mangled) != 0) continue;
        run = before && launch->ordinal == before->ordinal + 1 && !launch->is_reused ? run + 1 : 1;
        if (run > 1 && run > r.n_in_row) r.n_in_row = run;
        before = launch;
    }
    return r;
}

// What the launch would take without the problem; its own time where it has none.
static double ask_rule(const hw_report *report, const hw_report_launch *launch, hw_advice_id id, repeats r,
                       char *finding, size_t bytes) {
    hw_time_work work = launch->work;
    const hw_rule_case c = {.gpu = report->gpu, .launch = launch, .n_launches = r.n_launches, .n_in_row = r.n_in_row,
                            .work = &work, .finding = finding, .finding_bytes = bytes};
    if (launch->status || !hw_rules[id].change(&c)) return launch->estimate.us;
    if (id == HW_ADVICE_LAUNCHES)    // what is left of it is its part of one launch
        return launch->estimate.us - launch->estimate.bound_us[HW_BOUND_LAUNCH] * (double)(r.n_in_row - 1) /
                                         (double)r.n_launches;
    return hw_model_time(report->gpu, &work).us;
}

double hw_advice_without(const hw_gpu *gpu, const hw_report_launch *launch, const hw_advice_id *ids, size_t n) {
    char finding[sizeof((hw_advice *)0)->finding];
    hw_time_work work = launch->work;
    const hw_rule_case c = {.gpu = gpu, .launch = launch, .n_launches = 1, .work = &work, .finding = finding,
                            .finding_bytes = sizeof finding};
    bool has_changed = false;
    for (size_t i = 0; i < n && !launch->status; i++) has_changed |= hw_rules[ids[i]].change(&c);
    const double us = has_changed ? hw_model_time(gpu, &work).us : launch->estimate.us;
    return us < launch->estimate.us ? us : launch->estimate.us;
}

static void find_line(const hw_report *report, hw_advice *advice) {
    double most = 0;
    for (size_t k = 0; report->lines_of == HW_LINES_OF_KERNEL && k < report->n_kernels; k++) {
        const hw_report_kernel *kernel = &report->kernels[k];
        if (strcmp(kernel->mangled, advice->launch->mangled) != 0) continue;
        for (size_t i = 0; i < kernel->n_lines; i++) {
            const double part = hw_column_excess(&hw_columns[hw_rules[advice->id].line], kernel->lines[i].counts);
            if (part <= most || !kernel->lines[i].line) continue;
            most = part;
            advice->line = &kernel->lines[i];
        }
    }
}

// What the rule says of all launches of a kernel. False: too little.
static bool advise_kernel(const hw_report *report, const hw_report_summary *kernel, repeats r, hw_advice_id id,
                          hw_advice *out) {
    char finding[sizeof out->finding];
    double most = 0;
    *out = (hw_advice){.id = id, .n_launches = kernel->completed};
    for (size_t i = 0; i < report->n_launches; i++) {
        const hw_report_launch *launch = &report->launches[i];
        if (launch->status || strcmp(launch->mangled, kernel->sum.mangled) != 0) continue;
        finding[0] = '\0';
        const double after = ask_rule(report, launch, id, r, finding, sizeof finding);
        const double us = launch->estimate.us;
        out->before_us += us;
        out->after_us += after < us ? after : us;
        if (!*finding || us <= most) continue;
        most = us;
        out->launch = launch;
        memcpy(out->finding, finding, sizeof finding);
    }
    if (!out->launch || out->before_us - out->after_us < least_gain * out->before_us) return false;
    find_line(report, out);
    return true;
}

static int by_gain(const void *left, const void *right) {
    const hw_advice *a = left, *b = right;
    const double gain_a = a->before_us - a->after_us, gain_b = b->before_us - b->after_us;
    return gain_a != gain_b ? (gain_a < gain_b ? 1 : -1) : (a->id > b->id) - (a->id < b->id);
}

hw_status hw_advise(const hw_report *report, hw_advice **list, size_t *n, hw_diag *diag) {
    hw_report_summary *kernels;
    size_t n_kernels;
    *n = 0;
    *list = NULL;
    hw_status status = hw_report_summarise(report, false, &kernels, &n_kernels, diag);
    if (status) return status;
    *list = hw_calloc(n_kernels * HW_ADVICE_RULES + 1, sizeof **list);
    for (size_t k = 0; *list && k < n_kernels; k++) {
        const size_t first = *n;
        const repeats r = count_repeats(report, &kernels[k]);
        for (int id = 0; id < HW_ADVICE_RULES; id++)
            *n += advise_kernel(report, &kernels[k], r, (hw_advice_id)id, &(*list)[*n]);
        qsort(*list + first, *n - first, sizeof **list, by_gain);
    }
    hw_free(kernels);
    return *list ? HW_OK : hw_diag_no_memory(diag);
}
