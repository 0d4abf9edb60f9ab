#include "advice/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advice/plan_rules.h"
#include "base/alloc.h"
#include "model/transfer.h"
#include "report/work.h"

// ---- The whole program ----------------------------------------------------------------------------------------------

enum { STREAMS = 4 };

const char *hw_plan_part_name(hw_plan_part part) {
    static const char *const names[HW_PLAN_PARTS] = {"kernels", "copies", "calls", "own work"};
    return names[part];
}

double hw_plan_bound(const hw_plan_program *program, hw_plan_part part) {
    const double rest = program->total_us - program->part_us[part];
    return rest > 0 ? program->total_us / rest : INFINITY;
}

static bool is_work(const hw_report_span *s) { return s->span.kind < HW_SPAN_CALL; }

// Processes one after the other, the work of each by its begin, and what is no work behind it.
static int by_begin(const void *left, const void *right) {
    const hw_report_span *a = *(const hw_report_span *const *)left, *b = *(const hw_report_span *const *)right;
    if (a->process != b->process) return a->process < b->process ? -1 : 1;
    if (is_work(a) != is_work(b)) return is_work(a) ? -1 : 1;
    return (a->span.begin_us > b->span.begin_us) - (a->span.begin_us < b->span.begin_us);
}

static double larger(double a, double b) { return a > b ? a : b; }

// How long at least one of a process's spans lasts, of kernels or of all work.
static double covered_us(const hw_report_span *const *spans, size_t n, bool of_kernels) {
    double us = 0, end = 0;
    for (size_t i = 0; i < n && is_work(spans[i]); i++) {
        const hw_span *s = &spans[i]->span;
        if (of_kernels && s->kind != HW_SPAN_KERNEL) continue;
        us += larger(0, s->end_us - larger(s->begin_us, end));
        end = larger(end, s->end_us);
    }
    return us;
}

static void add_process(hw_plan_program *p, const hw_report_span *const *spans, size_t n) {
    const double kernels_us = covered_us(spans, n, true), work_us = covered_us(spans, n, false);
    double end = 0;
    for (size_t i = 0; i < n; i++) {
        if (spans[i]->span.kind == HW_SPAN_OWN) p->part_us[HW_PLAN_OWN] += spans[i]->span.busy_us;
        else end = larger(end, spans[i]->span.end_us);
    }
    p->part_us[HW_PLAN_KERNELS] += kernels_us;
    p->part_us[HW_PLAN_COPIES] += work_us - kernels_us;
    p->part_us[HW_PLAN_CALLS] += larger(0, end - work_us);
}

static void add_copy(const hw_gpu *gpu, hw_plan_program *p, const hw_span *s) {
    if (s->kind != HW_SPAN_COPY || !strcmp(hw_report_work_name(s), "copy within device")) return;
    const bool is_from = !strcmp(hw_report_work_name(s), "copy from device");
    *(is_from ? &p->from_device_bytes : &p->to_device_bytes) += s->bytes;
    const double us = s->end_us - s->begin_us, pinned_us = hw_model_transfer_us(gpu, HW_HOST_PINNED, s->bytes);
    p->link_us += us;
    p->pinned_us += pinned_us > 0 && pinned_us < us ? pinned_us : us;
}

// By lanes. A program that computes with integers has instructions for operations.
static double operations_of(const hw_report *report) {
    double flops = 0, instructions = 0;
    for (size_t i = 0; i < report->n_launches; i++) {
        for (int k = 0; k < HW_FLOPS; k++) flops += (double)report->launches[i].flops[k];
        instructions += (double)report->launches[i].counts[HW_COUNT_THREAD_INST];
    }
    return flops > 0 ? flops : instructions;
}

static hw_status plan_program(const hw_report *report, double own_us, hw_plan_program *p, hw_diag *diag) {
    const hw_report_span **spans = hw_calloc(report->n_spans + 1, sizeof *spans);
    if (!spans) return hw_diag_no_memory(diag);
    for (size_t i = 0; i < report->n_spans; i++) spans[i] = &report->spans[i];
    qsort(spans, report->n_spans, sizeof *spans, by_begin);
    for (size_t first = 0, end; first < report->n_spans; first = end) {
        for (end = first + 1; end < report->n_spans && spans[end]->process == spans[first]->process; end++) continue;
        add_process(p, spans + first, end - first);
    }
    for (size_t i = 0; i < report->n_spans; i++) add_copy(report->gpu, p, &report->spans[i].span);
    hw_free(spans);
    if (own_us >= 0) p->part_us[HW_PLAN_OWN] = own_us;
    for (int part = 0; part < HW_PLAN_PARTS; part++) p->total_us += p->part_us[part];
    p->streams = STREAMS;
    p->streamed_us = hw_model_overlap_us(p->part_us[HW_PLAN_KERNELS], p->pinned_us, STREAMS);
    p->operations = operations_of(report);
    return HW_OK;
}

// ---- Kernels --------------------------------------------------------------------------------------------------------

typedef struct change {
    const char *name;
    hw_advice_id rules[HW_ADVICE_RULES];
    size_t n_rules;
} change;

#define N_RULES(...) (sizeof((const hw_advice_id[]){__VA_ARGS__}) / sizeof(hw_advice_id))
static const change changes[HW_PLAN_CHANGES] = {
#define HW_PLAN_CHANGE(id, name, ...) [HW_PLAN_WITHOUT_##id] = {name, {__VA_ARGS__}, N_RULES(__VA_ARGS__)},
#include "advice/plan_changes.def"
#undef HW_PLAN_CHANGE
};

const char *hw_plan_change_name(hw_plan_change id) { return changes[id].name; }

double hw_plan_intensity(const hw_plan_kernel *k) { return k->bytes > 0 ? k->operations / k->bytes : 0; }

double hw_plan_roof(const hw_plan_kernel *k) {
    const double by_memory = k->bytes > 0 ? hw_plan_intensity(k) * k->peak_gbs : INFINITY;
    if (!(k->operations > 0) || !(k->peak_gflops > 0)) return 0;
    return by_memory < k->peak_gflops ? by_memory : k->peak_gflops;
}

static void add_launch(const hw_gpu *gpu, hw_plan_kernel *k, const hw_report_launch *launch, uint64_t *flops) {
    k->n_launches++;
    if (!k->launch || launch->estimate.us > k->launch->estimate.us) k->launch = launch;
    k->us += launch->estimate.us;
    for (int i = 0; i < HW_BOUNDS; i++) k->bound_us[i] += launch->estimate.bound_us[i];
    for (int i = 0; i < HW_FLOPS; i++) flops[i] += launch->flops[i];
    k->bytes += (double)(launch->work.load_bytes + launch->work.store_bytes);
    k->inst_per_ns += (double)launch->counts[HW_COUNT_INST];
    for (int i = 0; i < HW_PLAN_CHANGES; i++)
        k->without_us[i] += hw_advice_without(gpu, launch, changes[i].rules, changes[i].n_rules);
}

// The bound behind the first; what a launch takes to start is none that could be worked on.
static hw_bound next_bound(const hw_plan_kernel *k) {
    hw_bound next = k->bound == HW_BOUND_MEMORY ? HW_BOUND_LATENCY : HW_BOUND_MEMORY;
    for (int i = 0; i < HW_BOUND_LAUNCH; i++)
        if (i != (int)k->bound && k->bound_us[i] > k->bound_us[next]) next = (hw_bound)i;
    return next;
}

static void set_roofs(const hw_gpu *gpu, hw_plan_kernel *k, const uint64_t *flops) {
    const double ns = k->us * 1e3, schedulers = (double)hw_rate_of(gpu->arch, HW_RATE_ISSUE) / 32;
    k->flop = HW_FLOP_SINGLE;
    for (int i = 0; i < HW_FLOPS; i++) {
        k->operations += (double)flops[i];
        if (flops[i] > flops[k->flop]) k->flop = (hw_flop)i;
    }
    k->peak_gflops = hw_peak_gflops(gpu, k->flop);
    // 1.0 to 1.2 have no f64 and compute it as f32.
    if (k->flop == HW_FLOP_DOUBLE && !(k->peak_gflops > 0)) k->peak_gflops = hw_peak_gflops(gpu, HW_FLOP_SINGLE);
    k->peak_gbs = hw_model_stream_gbs(gpu);
    k->peak_inst_per_ns = gpu->sms * schedulers * gpu->clock_mhz / 1e3;
    if (!(ns > 0)) return;
    k->gflops = k->operations / ns;
    k->gbs = k->bytes / ns;
    k->inst_per_ns /= ns;
}

static bool plan_kernel(const hw_report *report, const hw_report_summary *kernel, double total_us,
                        hw_plan_kernel *out) {
    uint64_t flops[HW_FLOPS] = {0};
    *out = (hw_plan_kernel){.launch = NULL};
    for (size_t i = 0; i < report->n_launches; i++) {
        const hw_report_launch *launch = &report->launches[i];
        if (launch->status || strcmp(launch->mangled, kernel->sum.mangled) != 0) continue;
        add_launch(report->gpu, out, launch, flops);
    }
    if (!out->launch) return false;
    out->share_pct = total_us > 0 ? 100 * out->us / total_us : 0;
    out->bound = hw_model_bound(out->bound_us, out->us);
    out->next = next_bound(out);
    set_roofs(report->gpu, out, flops);
    hw_plan_judge(report->gpu, out->launch, out->verdicts);
    return true;
}

hw_status hw_plan_make(const hw_report *report, double own_us, hw_plan *out, hw_diag *diag) {
    hw_report_summary *kernels;
    size_t n;
    *out = (hw_plan){.gpu = report->gpu};
    hw_status status = plan_program(report, own_us, &out->program, diag);
    if (!status) status = hw_report_summarise(report, false, &kernels, &n, diag);
    if (status) return status;
    out->kernels = hw_calloc(n + 1, sizeof *out->kernels);
    for (size_t i = 0; out->kernels && i < n; i++)
        out->n_kernels += plan_kernel(report, &kernels[i], out->program.total_us, &out->kernels[out->n_kernels]);
    hw_free(kernels);
    return out->kernels ? HW_OK : hw_diag_no_memory(diag);
}

void hw_plan_free(hw_plan *plan) {
    hw_free(plan->kernels);
    plan->kernels = NULL;
}
