// What the public simulator counted: rows of launches and of source lines, as structs of the caller's.
#include <stddef.h>
#include <string.h>

#include "base/status.h"
#include "sim/internal.h"

// ---- Counters -------------------------------------------------------------------------------------------------------

// Where each counter lies in the public struct, whose members have the counters' names.
static const size_t counter_offsets[HW_COUNTERS] = {
#define HW_COUNTER(id, name, ...) [HW_COUNT_##id] = offsetof(hw_simulator_counters, name),
#include "prof/counters.def"
#undef HW_COUNTER
};
_Static_assert(sizeof(hw_simulator_counters) == sizeof(size_t) + HW_COUNTERS * sizeof(uint64_t),
               "each member of hw_simulator_counters is a row of prof/counters.def");

static hw_status give_counters(hw_simulator_counters *counters, const uint64_t *counts, hw_diag *diag) {
    hw_simulator_counters all = {0};
    for (int i = 0; i < HW_COUNTERS; i++) memcpy((char *)&all + counter_offsets[i], &counts[i], sizeof counts[i]);
    return hw_struct_give(counters, &all, sizeof all, "hw_simulator_counters", diag);
}

const char *hw_simulator_counter_name(int counter) {
    return counter >= 0 && counter < HW_COUNTERS ? hw_counter_rows[counter].name : NULL;
}

const char *hw_simulator_counter_definition(int counter) {
    return counter >= 0 && counter < HW_COUNTERS ? hw_counter_rows[counter].definition : NULL;
}

int hw_simulator_counter(const char *name) {
    for (int i = 0; i < HW_COUNTERS; i++)
        if (!strcmp(hw_counter_rows[i].name, name)) return i;
    return -1;
}

uint64_t hw_simulator_counter_value(const hw_simulator_counters *counters, int counter) {
    uint64_t value;
    if (counter < 0 || counter >= HW_COUNTERS) return 0;
    if (counter_offsets[counter] + sizeof value > counters->struct_bytes) return 0;
    memcpy(&value, (const char *)counters + counter_offsets[counter], sizeof value);
    return value;
}

// ---- Launches -------------------------------------------------------------------------------------------------------

static const hw_simulator_bound public_bounds[HW_BOUNDS] = {
    [HW_BOUND_MEMORY] = HW_SIMULATOR_BOUND_MEMORY,   [HW_BOUND_SHARED] = HW_SIMULATOR_BOUND_SHARED,
    [HW_BOUND_ISSUE] = HW_SIMULATOR_BOUND_ISSUE,     [HW_BOUND_LATENCY] = HW_SIMULATOR_BOUND_LATENCY,
    [HW_BOUND_LAUNCH] = HW_SIMULATOR_BOUND_LAUNCH,
};

static hw_simulator_launch_row public_launch(const hw_report_launch *launch) {
    const double *bound_us = launch->estimate.bound_us;
    hw_simulator_launch_row row = {
        .kernel = launch->kernel,
        .mangled = launch->mangled,
        .registers = launch->regs,
        .spill_bytes = launch->spill_bytes,
        .is_estimated = launch->regs_estimated,
        .static_shared_bytes = launch->smem_static,
        .dynamic_shared_bytes = launch->smem_dynamic,
        .limit_blocks = launch->occupancy.limit_blocks,
        .limit_registers = launch->occupancy.limit_regs,
        .limit_shared = launch->occupancy.limit_smem,
        .limit_warps = launch->occupancy.limit_warps,
        .occupancy_percent = launch->occupancy.occupancy_pct,
        .status = (int32_t)launch->status,
        .est_bound = (int32_t)(launch->status ? HW_SIMULATOR_BOUND_NONE : public_bounds[launch->estimate.bound]),
        .est_us = launch->estimate.us,
        .est_gbs = launch->estimate.gbs,
        .est_us_memory = bound_us[HW_BOUND_MEMORY],
        .est_us_shared = bound_us[HW_BOUND_SHARED],
        .est_us_issue = bound_us[HW_BOUND_ISSUE],
        .est_us_latency = bound_us[HW_BOUND_LATENCY],
        .est_us_launch = bound_us[HW_BOUND_LAUNCH],
        .load_partition_percent = launch->gld_partition_pct,
        .store_partition_percent = launch->gst_partition_pct,
        .host_ms = launch->host_ms,
        .compiler = launch->ptx_by ? launch->ptx_by : "",
    };
    memcpy(row.grid, launch->grid, sizeof row.grid);
    memcpy(row.block, launch->block, sizeof row.block);
    return row;
}

uint64_t hw_simulator_count_launches(hw_simulator *sim) {
    pthread_mutex_lock(&sim->lock);
    uint64_t count = sim->prof ? hw_prof_report(sim->prof)->n_launches : 0;
    pthread_mutex_unlock(&sim->lock);
    return count;
}

static hw_status get_launch(const hw_report *report, uint64_t index, hw_simulator_launch_row *launch,
                            hw_simulator_counters *counters, hw_diag *diag) {
    hw_status status = HW_OK;
    if (index >= (report ? report->n_launches : 0))
        return hw_diag_set(diag, HW_NOT_FOUND, "there is no row %llu: %zu launches were counted",
                           (unsigned long long)index, report ? report->n_launches : 0);
    const hw_simulator_launch_row row = public_launch(&report->launches[index]);
    if (launch) status = hw_struct_give(launch, &row, sizeof row, "hw_simulator_launch_row", diag);
    if (!status && counters) status = give_counters(counters, report->launches[index].counts, diag);
    return status;
}

hw_status hw_simulator_get_launch(hw_simulator *sim, uint64_t row, hw_simulator_launch_row *launch,
                                  hw_simulator_counters *counters, hw_diag *diag) {
    hw_diag own;
    pthread_mutex_lock(&sim->lock);
    const hw_report *report = sim->prof ? hw_prof_report(sim->prof) : NULL;
    hw_status status = get_launch(report, row, launch, counters, hw_diag_begin(&own));
    pthread_mutex_unlock(&sim->lock);
    return hw_diag_tell(diag, &own, status);
}

// ---- Source lines ---------------------------------------------------------------------------------------------------

static uint64_t count_lines(const hw_report *report) {
    uint64_t count = 0;
    for (size_t i = 0; report && i < report->n_kernels; i++) count += report->kernels[i].n_lines;
    return count;
}

uint64_t hw_simulator_count_lines(hw_simulator *sim) {
    pthread_mutex_lock(&sim->lock);
    uint64_t count = sim->prof && sim->wants_lines ? count_lines(hw_prof_report(sim->prof)) : 0;
    pthread_mutex_unlock(&sim->lock);
    return count;
}

static hw_status get_line(const hw_report *report, uint64_t index, hw_simulator_line_row *line,
                          hw_simulator_counters *counters, hw_diag *diag) {
    hw_status status = HW_OK;
    uint64_t at = index;
    size_t k = 0;
    while (report && k < report->n_kernels && at >= report->kernels[k].n_lines) at -= report->kernels[k++].n_lines;
    if (!report || k == report->n_kernels)
        return hw_diag_set(diag, HW_NOT_FOUND, "there is no row %llu: %llu lines were counted",
                           (unsigned long long)index, (unsigned long long)count_lines(report));
    const hw_report_kernel *kernel = &report->kernels[k];
    const hw_report_line *counted = &kernel->lines[at];
    const hw_simulator_line_row row = {.kernel = kernel->kernel, .mangled = kernel->mangled, .file = counted->file,
                                       .line = counted->line, .launches = kernel->launches};
    if (line) status = hw_struct_give(line, &row, sizeof row, "hw_simulator_line_row", diag);
    if (!status && counters) status = give_counters(counters, counted->counts, diag);
    return status;
}

hw_status hw_simulator_get_line(hw_simulator *sim, uint64_t row, hw_simulator_line_row *line,
                                hw_simulator_counters *counters, hw_diag *diag) {
    hw_diag own;
    pthread_mutex_lock(&sim->lock);
    const hw_report *report = sim->prof && sim->wants_lines ? hw_prof_report(sim->prof) : NULL;
    hw_status status = get_line(report, row, line, counters, hw_diag_begin(&own));
    pthread_mutex_unlock(&sim->lock);
    return hw_diag_tell(diag, &own, status);
}

// ---- The profiler behind them ---------------------------------------------------------------------------------------

hw_status hw_simulator_begin_rows(hw_simulator *sim, hw_diag *diag) {
    const hw_prof_options options = {.lines = sim->wants_lines};
    hw_prof *fresh;
    hw_status status = hw_prof_create(sim->gpu, &options, &fresh, diag);
    if (status) return status;
    status = hw_sim_add_sink(sim->sim, hw_prof_sink(fresh), diag);
    if (status) {
        hw_prof_destroy(fresh);
        return status;
    }
    if (sim->prof) hw_sim_remove_sink(sim->sim, hw_prof_sink(sim->prof));
    hw_prof_destroy(sim->prof);
    sim->prof = fresh;
    return HW_OK;
}

hw_status hw_simulator_clear_rows(hw_simulator *sim, hw_diag *diag) {
    hw_diag own;
    pthread_mutex_lock(&sim->lock);
    hw_diag_begin(&own);
    hw_status status = sim->prof ? hw_simulator_begin_rows(sim, &own) : HW_OK;
    pthread_mutex_unlock(&sim->lock);
    return hw_diag_tell(diag, &own, status);
}
