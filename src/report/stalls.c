#include "report/stalls.h"

#include <string.h>

#include "base/alloc.h"

// What all launches of a kernel take: waiting, and what the busiest resource takes beyond that.
typedef struct times {
    double latency_us, beyond_us[HW_STALL_CAUSES];
    uint64_t warps, blocks;
} times;

static const hw_stall_cause cause_of[HW_BOUNDS] = {
    [HW_BOUND_MEMORY] = HW_STALL_MEMORY, [HW_BOUND_SHARED] = HW_STALL_SHARED,
    [HW_BOUND_ISSUE] = HW_STALL_INSTRUCTIONS};

static void add_launch(times *t, const hw_report_launch *launch) {
    const hw_estimate *e = &launch->estimate;
    const double beyond = e->us - e->bound_us[HW_BOUND_LAUNCH] - e->bound_us[HW_BOUND_LATENCY];
    hw_bound busiest = HW_BOUND_MEMORY;
    for (int i = 0; i < HW_BOUND_LATENCY; i++)
        if (e->bound_us[i] > e->bound_us[busiest]) busiest = (hw_bound)i;
    t->latency_us += e->bound_us[HW_BOUND_LATENCY];
    if (beyond > 0) t->beyond_us[cause_of[busiest]] += beyond;
    t->warps += launch->work.warps;
    t->blocks += launch->work.blocks;
}

// A line's cycles of waiting, simpler than the model of latency has them (model/time.c), since a line's waits are not
// counted by kind: each for memory is one for DRAM, each result one of the usual pipe, and no line waits for fences.
// What these take is in the kernel's latency, and so in what all lines get.
static hw_stall waits_of(const uint64_t *n, const hw_waits *waits, const times *t) {
    const double per_block = t->blocks ? (double)t->warps / (double)t->blocks : 1;
    return (hw_stall){{[HW_STALL_MEMORY] = (double)n[HW_COUNT_MEMORY_WAITS] * waits->memory,
                       [HW_STALL_SHARED] = (double)n[HW_COUNT_SHARED_WAITS] * waits->shared +
                                           (double)n[HW_COUNT_SMEM_WAVEFRONTS] * per_block,
                       [HW_STALL_BARRIERS] = (double)n[HW_COUNT_BARRIERS] * waits->barrier,
                       [HW_STALL_INSTRUCTIONS] = (double)n[HW_COUNT_INST] * waits->result}};
}

// What a line asks of the resources that may be busy.
static hw_stall demand_of(const uint64_t *n) {
    const uint64_t sectors = n[HW_COUNT_L2_SECTORS] + n[HW_COUNT_LLD_SECTORS] + n[HW_COUNT_LST_SECTORS];
    return (hw_stall){{[HW_STALL_MEMORY] = (double)sectors, [HW_STALL_SHARED] = (double)n[HW_COUNT_SMEM_WAVEFRONTS],
                       [HW_STALL_INSTRUCTIONS] = (double)n[HW_COUNT_INST]}};
}

double hw_stall_us(const hw_stall *stall) {
    double us = 0;
    for (int c = 0; c < HW_STALL_CAUSES; c++) us += stall->us[c];
    return us;
}

const char *hw_stall_cause_name(const hw_stall *stall) {
    static const char *const names[HW_STALL_CAUSES] = {"memory", "shared", "barriers", "instructions"};
    int most = 0;
    for (int c = 1; c < HW_STALL_CAUSES; c++)
        if (stall->us[c] > stall->us[most]) most = c;
    return stall->us[most] > 0 ? names[most] : NULL;
}

static void spread(hw_stall *stalls, const hw_report_kernel *kernel, const hw_waits *waits, const times *t) {
    double cycles = 0;
    hw_stall demand = {{0}};
    for (size_t i = 0; i < kernel->n_lines; i++) {
        const hw_stall asked = demand_of(kernel->lines[i].counts);
        stalls[i] = waits_of(kernel->lines[i].counts, waits, t);
        cycles += hw_stall_us(&stalls[i]);
        for (int c = 0; c < HW_STALL_CAUSES; c++) demand.us[c] += asked.us[c];
    }
    for (size_t i = 0; i < kernel->n_lines; i++) {
        const hw_stall asked = demand_of(kernel->lines[i].counts);
        for (int c = 0; c < HW_STALL_CAUSES; c++) {
            stalls[i].us[c] *= cycles > 0 ? t->latency_us / cycles : 0;
            if (demand.us[c] > 0) stalls[i].us[c] += t->beyond_us[c] * asked.us[c] / demand.us[c];
        }
    }
}

hw_stall *hw_report_stalls(const hw_report *report, const hw_report_kernel *kernel) {
    hw_stall *stalls = hw_calloc(kernel->n_lines + 1, sizeof *stalls);
    const hw_waits waits = hw_model_waits(report->gpu);
    times t = {0};
    if (!stalls || report->lines_of != HW_LINES_OF_KERNEL) return stalls;
    for (size_t i = 0; i < report->n_launches; i++) {
        const hw_report_launch *launch = &report->launches[i];
        if (!launch->status && !strcmp(launch->mangled, kernel->mangled)) add_launch(&t, launch);
    }
    spread(stalls, kernel, &waits, &t);
    return stalls;
}
