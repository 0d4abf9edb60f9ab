// Runs a ladder: for each rung a plan, its kernels, one verified run, then times; and counters on a simulated GPU.
#include "base/text.h"
#include "device/sim.h"
#include "ladder/clock.h"
#include "ladder/ladder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ladder/site.h"

// ---- One rung on one device -----------------------------------------------------------------------------------------

typedef struct rung_run {
    hw_site *site;
    const hw_rung *rung;
    hw_plan plan;
    hw_kernel *kernels[HW_PLAN_LAUNCHES];
    hw_ladder_clock *clock;   // the simulated GPU's, of families with transfers; NULL: none
} rung_run;

static hw_status prepare_run(rung_run *j, hw_site *site, const hw_rung *rung, const uint32_t block[2], hw_diag *diag) {
    j->site = site;
    j->rung = rung;
    j->plan.n_launches = 0;
    j->clock = NULL;
    if (rung->native) return HW_OK;
    const hw_device_properties *properties = hw_device_get_properties(site->device);
    hw_status status = rung->plan(rung, &site->problem, properties, block, &j->plan, diag);
    return status ? status : hw_plan_kernels(site->device, &j->plan, j->kernels, diag);
}

static hw_status run_once(const rung_run *j, hw_diag *diag) {
    if (j->rung->native) {
        uint32_t n_threads;
        hw_pool *pool = hw_device_pool(j->site->device, &n_threads);
        return j->rung->native(&j->site->problem, j->site->arrays, pool, n_threads, diag);
    }
    if (j->site->family->has_transfers)
        return hw_plan_launch_apart(&j->site->streams, &j->plan, j->kernels, j->site->arrays, diag);
    return hw_plan_launch_all(hw_device_stream(j->site->device), &j->plan, j->kernels, j->site->arrays, diag);
}

static hw_status run_and_verify(const rung_run *j, hw_verdict *verdict, hw_diag *diag) {
    hw_status status = hw_site_clear(j->site, diag);
    if (j->clock) hw_ladder_clock_start(j->clock);
    if (!status) status = run_once(j, diag);
    if (!status) status = hw_stream_synchronize(hw_device_stream(j->site->device), diag);
    if (j->clock) hw_ladder_clock_stop(j->clock);
    if (!status) status = hw_site_verify(j->site, j->rung, verdict, diag);
    return status;
}

// ---- Times ----------------------------------------------------------------------------------------------------------

typedef struct stopwatch {
    hw_stream *stream;
    hw_event *start, *stop;
} stopwatch;

// Nanoseconds of `runs` runs in a row.
static hw_status time_runs(const rung_run *j, const stopwatch *watch, uint32_t runs, double *ns, hw_diag *diag) {
    hw_status status = hw_event_record(watch->start, watch->stream, diag);
    for (uint32_t i = 0; i < runs && !status; i++) status = run_once(j, diag);
    if (!status) status = hw_event_record(watch->stop, watch->stream, diag);
    if (!status) status = hw_stream_synchronize(watch->stream, diag);
    if (!status) status = hw_event_elapsed_ns(watch->start, watch->stop, ns, diag);
    return status;
}

static int ascending_values(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void keep_times(hw_ladder_row *row, double *samples, uint32_t n, uint32_t batch) {
    qsort(samples, n, sizeof *samples, ascending_values);
    row->ns_min = samples[0];
    row->ns_max = samples[n - 1];
    row->ns_median = n % 2 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
    row->runs = n * batch;
}

// Short kernels are timed many at a time: starting one takes a GPU some microseconds, which overlap then.
static hw_status time_run(const rung_run *j, const stopwatch *watch, double seconds, hw_ladder_row *row,
                          hw_diag *diag) {
    enum { LEAST_SAMPLES = 3, MOST_SAMPLES = 1000, MOST_BATCH = 1000 };
    const double batch_ns = 1e6;
    bool is_cuda = hw_device_get_properties(j->site->device)->kind == HW_DEVICE_CUDA;
    double samples[MOST_SAMPLES], ns = 0, total = 0;
    uint32_t batch = 1, n = 0;
    hw_status status = time_runs(j, watch, 1, &ns, diag);
    if (is_cuda && ns < batch_ns) batch = ns > batch_ns / MOST_BATCH ? (uint32_t)(batch_ns / ns) + 1 : MOST_BATCH;
    while (!status && n < MOST_SAMPLES && (n < LEAST_SAMPLES || total < 1e9 * seconds)) {
        status = time_runs(j, watch, batch, &ns, diag);
        samples[n++] = ns / batch;
        total += ns;
    }
    if (!status) keep_times(row, samples, n, batch);
    return status;
}

static hw_status measure_run(const rung_run *j, double seconds, hw_ladder_row *row, hw_diag *diag) {
    hw_device *device = j->site->device;
    stopwatch watch = {.stream = hw_device_stream(device)};
    hw_status status = hw_event_create(device, &watch.start, diag);
    if (!status) status = hw_event_create(device, &watch.stop, diag);
    if (!status) status = time_run(j, &watch, seconds, row, diag);
    if (!status && row->ns_median > 0) {
        row->gbs = j->site->work.bytes_moved / row->ns_median;
        if (!j->rung->is_copy) row->gops = j->site->work.operations / row->ns_median;
    }
    if (watch.start) hw_event_destroy(watch.start);
    if (watch.stop) hw_event_destroy(watch.stop);
    return status;
}

// Measures launches of a kernel that does nothing, one after the other: no rung can be faster. *ns stays 0 where the
// kernel cannot be run, and then no row is compared with it.
static void measure_launch(rung_run *j, hw_site *site, double seconds, double *ns) {
    static const hw_rung nothing = {.name = "nothing"};
    hw_ladder_row row = {0};
    memset(j, 0, sizeof *j);
    j->site = site;
    j->rung = &nothing;
    j->plan.n_launches = 1;
    j->plan.launches[0] = (hw_plan_launch){.file = "common/nothing.cu", .function = "nothing", .grid = {1, 1, 1},
                                           .block = {32, 1, 1}};
    if (hw_plan_kernels(site->device, &j->plan, j->kernels, NULL) == HW_OK &&
        measure_run(j, seconds, &row, NULL) == HW_OK)
        *ns = row.ns_median;
}

// ---- Counters -------------------------------------------------------------------------------------------------------

static void keep_counts(const hw_report *report, hw_ladder_row *row) {
    memset(row->counts, 0, sizeof row->counts);
    memset(row->bound_us, 0, sizeof row->bound_us);
    row->ns_median = row->estimate_us = 0;
    row->texel_sectors = row->texel_misses = 0;
    row->reaches_host = false;
    for (size_t i = 0; i < report->n_launches; i++) {
        for (int c = 0; c < HW_COUNTERS; c++) row->counts[c] += report->launches[i].counts[c];
        row->ns_median += report->launches[i].host_ms * 1e6;
        row->estimate_us += report->launches[i].estimate.us;
        row->reaches_host |= report->launches[i].work.link_load_bytes || report->launches[i].work.link_store_bytes;
        row->texel_sectors += report->launches[i].texel_sectors;
        row->texel_misses += report->launches[i].texel_misses;
        for (int b = 0; b < HW_BOUNDS; b++) row->bound_us[b] += report->launches[i].estimate.bound_us[b];
    }
    if (report->n_launches) {
        row->memory_gbs = hw_model_memory_gbs(report->gpu, &report->launches[0].work);
        if (hw_counts_partitions(report->gpu)) {
            row->partition_pct[0] = report->launches[0].gld_partition_pct;
            row->partition_pct[1] = report->launches[0].gst_partition_pct;
        }
        row->occupancy = report->launches[0].occupancy;
        row->regs = report->launches[0].regs;
        row->smem_bytes = report->launches[0].smem_static + report->launches[0].smem_dynamic;
        row->regs_estimated = report->launches[0].regs_estimated;
    }
    row->has_counts = true;
}

// A verified run with the profiler beside it. On a device that is no simulation the time stays the device's own.
static hw_status count_run(rung_run *j, const hw_ladder_options *options, hw_verdict *verdict, hw_ladder_row *row,
                           hw_diag *diag) {
    hw_sim *sim = hw_device_sim(j->site->device);
    hw_prof *prof = NULL;
    double ns = row->ns_median;
    hw_status status = hw_prof_create(hw_sim_gpu(sim), NULL, &prof, diag);
    if (status) return status;
    status = hw_sim_add_sink(sim, hw_prof_sink(prof), diag);
    if (!status && j->site->family->has_transfers) status = hw_ladder_clock_create(sim, prof, &j->clock, diag);
    if (!status) status = run_and_verify(j, verdict, diag);
    hw_sim_remove_sink(sim, hw_prof_sink(prof));
    if (!status) keep_counts(hw_prof_report(prof), row);
    if (j->clock) hw_ladder_clock_read(j->clock, &row->estimate_us, &row->copies_us);
    hw_ladder_clock_destroy(j->clock);
    j->clock = NULL;
    if (!status && options->counted) options->counted(options->counted_context, row, hw_prof_report(prof));
    if (row->runs) row->ns_median = ns;
    hw_prof_destroy(prof);
    return status;
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

typedef struct ladder_run {
    const hw_ladder_options *options;
    hw_site site, counter;               // counter.device NULL: none of its own
    rung_run work;                            // large, so not on the stack
} ladder_run;

static void fail_row(hw_ladder_row *row, hw_status status, const hw_diag *diag) {
    row->status = status;
    snprintf(row->text, sizeof row->text, "%.*s", (int)sizeof row->text - 1, diag->text);
    row->text[strcspn(row->text, "\n")] = 0;
}

static hw_status measure_row(ladder_run *c, hw_ladder_row *row, hw_diag *diag) {
    rung_run *j = &c->work;
    hw_status status = prepare_run(j, &c->site, row->rung, row->block, diag);
    if (status) return status;
    if (hw_device_sim(c->site.device) && !c->counter.device) {
        status = count_run(j, c->options, &row->verdict, row, diag);
        row->ns_min = row->ns_max = row->ns_median;
        row->runs = 1;
        return status;
    }
    status = run_and_verify(j, &row->verdict, diag);
    if (!status && row->verdict.right) status = measure_run(j, c->options->seconds, row, diag);
    return status;
}

static hw_status count_row(ladder_run *c, hw_ladder_row *row, const uint32_t asked[2], hw_diag *diag) {
    hw_verdict verdict = {0};
    hw_status status = prepare_run(&c->work, &c->counter, row->rung, asked, diag);
    if (!status) status = count_run(&c->work, c->options, &verdict, row, diag);
    if (!status && !verdict.right && row->verdict.right) row->verdict = verdict;
    return status;
}

// Copies what the plan that has just run says of its rung into the row.
static void describe_row(ladder_run *c, hw_ladder_row *row) {
    const hw_family *family = c->options->family;
    const hw_plan *plan = &c->work.plan;
    row->n_launches = plan->n_launches;
    if (!plan->n_launches) return;
    const hw_plan_launch *first = &plan->launches[0];
    // What the plan has chosen: for a rung without a block of its own, or on a GPU that has none so large.
    if (!row->block[0]) memcpy(row->block, first->block, sizeof row->block);
    row->resident_blocks = hw_kernel_blocks_per_multiprocessor(
        c->work.kernels[0], first->block[0] * first->block[1] * first->block[2], first->dynamic_shared_bytes);
    if (family->facts)
        family->facts(row->rung, &c->site.problem, hw_device_get_properties(c->site.device), plan,
                      row->resident_blocks, row->facts);
}

static void run_row(ladder_run *c, hw_ladder_row *row) {
    hw_diag diag = {0};
    const uint32_t asked[2] = {row->block[0], row->block[1]};   // 0: the plan of each device chooses
    for (int i = 0; i < HW_FAMILY_FACTS; i++) row->facts[i] = NAN;
    hw_status status = measure_row(c, row, &diag);
    if (!status) describe_row(c, row);
    if (!status && c->counter.device && !row->rung->native) status = count_row(c, row, asked, &diag);
    if (status) fail_row(row, status, &diag);
    if (!row->block[0]) memcpy(row->block, row->rung->block, sizeof row->block);
}

// ---- Which rows -----------------------------------------------------------------------------------------------------

// The shapes of --block all: blocks of a warp or more, as the seeds tried them; row_shapes for rungs whose blocks are
// one row.
static const uint32_t block_shapes[][2] = {{8, 8},  {8, 16},  {8, 32},  {16, 8},  {16, 16}, {16, 32},
                                           {32, 8}, {32, 16}, {32, 32}, {64, 8},  {64, 16}};
static const uint32_t row_shapes[][2] = {{32, 1}, {64, 1}, {128, 1}, {256, 1}, {512, 1}, {1024, 1}};
enum { N_SHAPES = sizeof block_shapes / sizeof block_shapes[0] };
enum { N_ROW_SHAPES = sizeof row_shapes / sizeof row_shapes[0] };

static bool is_asked(const hw_rung *rung, const char *asked) {
    char number[16];
    if (!asked || rung->is_copy) return true;
    snprintf(number, sizeof number, "%d", rung->number);
    return !strcmp(asked, rung->name) || !strcmp(asked, number);
}

static hw_status check_asked(const hw_family *family, const hw_rung *rungs, size_t n_rungs, const char *asked,
                             hw_diag *diag) {
    char list[512], number[16];
    hw_text names = hw_text_in(list, sizeof list);
    if (!asked) return HW_OK;
    for (size_t i = 0; i < n_rungs; i++) {
        snprintf(number, sizeof number, "%d", rungs[i].number);
        if (!strcmp(asked, rungs[i].name) || !strcmp(asked, number)) return HW_OK;
        hw_text_put(&names, "%s%s", i ? ", " : "", rungs[i].name);
    }
    return hw_diag_set(diag, HW_USAGE, "%s has no rung '%s' here; it has %s", family->name, asked, list);
}

static size_t shapes_of(const hw_ladder_options *options, const hw_rung *rung) {
    if (!options->all_blocks || !rung->any_block || rung->is_copy) return 1;
    return rung->block[1] == 1 ? N_ROW_SHAPES : N_SHAPES;
}

static hw_status make_rows(const hw_ladder_options *options, const hw_rung *rungs, size_t n_rungs, hw_ladder *out,
                           hw_diag *diag) {
    size_t count = 0;
    for (size_t i = 0; i < n_rungs; i++)
        if (is_asked(&rungs[i], options->rung)) count += shapes_of(options, &rungs[i]);
    out->rows = hw_calloc(count ? count : 1, sizeof *out->rows);
    if (!out->rows) return hw_diag_no_memory(diag);
    for (size_t i = 0; i < n_rungs; i++) {
        if (!is_asked(&rungs[i], options->rung)) continue;
        size_t n = shapes_of(options, &rungs[i]);
        for (size_t s = 0; s < n; s++) {
            hw_ladder_row *row = &out->rows[out->n_rows++];
            row->rung = &rungs[i];
            // A shape that was asked for is for those rungs that have a choice.
            const uint32_t(*shapes)[2] = rungs[i].block[1] == 1 ? row_shapes : block_shapes;
            if (n > 1) memcpy(row->block, shapes[s], sizeof row->block);
            else if (rungs[i].any_block) memcpy(row->block, options->block, sizeof row->block);
        }
    }
    return HW_OK;
}

// Drops the rows of shapes that the rung or the device does not take, where several shapes were tried.
static void drop_refused(const hw_ladder_options *options, hw_ladder *ladder) {
    size_t kept = 0;
    for (size_t i = 0; i < ladder->n_rows; i++) {
        const hw_ladder_row *row = &ladder->rows[i];
        if (row->status != HW_USAGE || shapes_of(options, row->rung) == 1) ladder->rows[kept++] = *row;
    }
    ladder->n_rows = kept;
}

// ---- What the rows say together -------------------------------------------------------------------------------------

static bool is_good(const hw_ladder_row *row) { return !row->status && row->verdict.right; }

// The cost by which a rung's blocks are compared: the lower, the better.
static double cost_of_row(const hw_ladder *ladder, const hw_ladder_row *row) {
    if (ladder->device->kind != HW_DEVICE_SIM) return row->ns_median;
    if (row->estimate_us > 0) return row->estimate_us;
    return (double)(row->counts[HW_COUNT_L2_SECTORS] + row->counts[HW_COUNT_SMEM_WAVEFRONTS]);
}

// Is `row` better than `best`? Of blocks that cost the same the one with the higher occupancy is, then the one that the
// rung is written for.
static bool is_better(const hw_ladder *ladder, const hw_ladder_row *row, const hw_ladder_row *best) {
    if (!best) return true;
    double cost = cost_of_row(ladder, row), least = cost_of_row(ladder, best);
    double held = row->occupancy.occupancy_pct, most = best->occupancy.occupancy_pct;
    if (cost != least) return cost < least;
    return held > most || (held == most && !memcmp(row->block, row->rung->block, sizeof row->block));
}

// The best of rows first to end - 1, or NULL.
static hw_ladder_row *best_of(const hw_ladder *ladder, size_t first, size_t end) {
    hw_ladder_row *best = NULL;
    for (size_t i = first; i < end; i++)
        if (is_good(&ladder->rows[i]) && is_better(ladder, &ladder->rows[i], best)) best = &ladder->rows[i];
    return best;
}

// The end of the rows of one rung, which begin at first.
static size_t end_of(const hw_ladder *ladder, size_t first) {
    size_t end = first + 1;
    while (end < ladder->n_rows && ladder->rows[end].rung == ladder->rows[first].rung) end++;
    return end;
}

static double time_of(const hw_ladder *ladder, const hw_ladder_row *row) {
    return ladder->device->kind == HW_DEVICE_SIM ? row->estimate_us : row->ns_median;
}

// The best row of a rung that has a time; NULL.
static const hw_ladder_row *timed_row(const hw_ladder *ladder, const hw_rung *rung) {
    for (size_t first = 0; first < ladder->n_rows; first = end_of(ladder, first)) {
        const hw_ladder_row *best = ladder->rows[first].rung == rung ? best_of(ladder, first, end_of(ladder, first))
                                                                     : NULL;
        if (best && time_of(ladder, best) > 0) return best;
    }
    return NULL;
}

// What a rung is compared with: NULL where nothing that it goes on from has a time.
static const hw_ladder_row *base_row(const hw_ladder *ladder, const hw_rung *rungs, size_t n_rungs,
                                     const hw_rung *rung) {
    const hw_ladder_row *row = NULL;
    while (!row && (rung = hw_rung_base(rungs, n_rungs, rung))) row = timed_row(ladder, rung);
    return row;
}

static void mark_steps(hw_ladder *ladder, const hw_rung *rungs, size_t n_rungs) {
    bool is_timed = ladder->device->kind != HW_DEVICE_SIM;
    for (size_t first = 0, end; first < ladder->n_rows; first = end) {
        end = end_of(ladder, first);
        hw_ladder_row *best = best_of(ladder, first, end);
        if (best && end - first > 1) best->is_best_block = true;
        const hw_ladder_row *base = best ? base_row(ladder, rungs, n_rungs, best->rung) : NULL;
        for (size_t i = first; base && i < end; i++) {
            hw_ladder_row *row = &ladder->rows[i];
            double time = time_of(ladder, row);
            if (!is_good(row) || !(time > 0)) continue;
            row->base = base->rung;
            if (is_timed) row->step = time_of(ladder, base) / time;
            else row->estimate_step = time_of(ladder, base) / time;
        }
    }
}

// Launching takes half of the time. A simulated GPU's launch is the model's, with the gap before it; a real one's what
// a kernel that does nothing takes.
static bool is_at_estimated_floor(const hw_ladder_row *row, const hw_gpu *gpu) {
    const double gap = row->n_launches * hw_model_gap_us(gpu), launch = row->bound_us[HW_BOUND_LAUNCH] + gap;
    return row->estimate_us > 0 && row->estimate_us + gap < 2 * launch;
}

static void mark_floor(hw_ladder *ladder) {
    for (size_t i = 0; i < ladder->n_rows; i++) {
        hw_ladder_row *row = &ladder->rows[i];
        if (ladder->device->kind == HW_DEVICE_SIM)
            row->is_at_floor = is_at_estimated_floor(row, ladder->counted_on);
        else row->is_at_floor = row->ns_median > 0 && row->ns_median < 2 * ladder->launch_ns * row->n_launches;
    }
}

static void mark_shares(hw_ladder *ladder) {
    double copy_ns = 0;
    if (ladder->device->kind == HW_DEVICE_SIM) return;
    for (size_t i = 0; i < ladder->n_rows; i++) {
        const hw_ladder_row *row = &ladder->rows[i];
        if (row->rung->is_copy && is_good(row) && row->ns_median > 0 && (!copy_ns || row->ns_median < copy_ns))
            copy_ns = row->ns_median;
    }
    for (size_t i = 0; i < ladder->n_rows; i++)
        if (is_good(&ladder->rows[i]) && ladder->rows[i].ns_median > 0)
            ladder->rows[i].share = copy_ns / ladder->rows[i].ns_median;
}

// ---- All of it ------------------------------------------------------------------------------------------------------

// A problem that takes a simulation about a second at most, of the same proportions.
static hw_problem small_enough(const hw_family *family, const hw_problem *problem) {
    const double most_bytes = 16 << 20, most_operations = 3e8;
    hw_problem small = *problem;
    hw_work work;
    while (!family->describe(&small, &work, NULL)) {
        if (work.bytes_moved <= most_bytes && work.operations <= most_operations) break;
        uint64_t *largest = &small.size[0];
        for (int i = 1; i < HW_PROBLEM_SIZES; i++)
            if (small.size[i] > *largest) largest = &small.size[i];
        *largest /= 2;
    }
    return small;
}

static hw_status open_sites(ladder_run *c, hw_device *device, hw_device *counter, hw_ladder *out, hw_diag *diag) {
    const hw_ladder_options *options = c->options;
    hw_status status = hw_site_open(&c->site, device, options->family, &options->problem, diag);
    out->counted = options->problem;
    if (counter && hw_device_get_properties(device)->kind != HW_DEVICE_CPU) {
        out->counted = small_enough(options->family, &options->problem);
        out->counted_on = hw_sim_gpu(hw_device_sim(counter));
        if (!status) status = hw_site_open(&c->counter, counter, options->family, &out->counted, diag);
    } else if (hw_device_sim(device)) {
        out->counted_on = hw_sim_gpu(hw_device_sim(device));
    }
    out->work = c->site.work;
    return status;
}

hw_status hw_ladder_run(hw_device *device, hw_device *counter, const hw_ladder_options *options, hw_ladder *out,
                        hw_diag *diag) {
    const hw_family *family = options->family;
    *out = (hw_ladder){.device = hw_device_get_properties(device), .problem = options->problem};
    bool is_cpu = out->device->kind == HW_DEVICE_CPU;
    const hw_rung *rungs = is_cpu ? family->cpu_rungs : family->rungs;
    size_t n_rungs = is_cpu ? family->n_cpu_rungs : family->n_rungs;
    if (!n_rungs) return hw_diag_set(diag, HW_USAGE, "%s has no rungs for %s", family->name, is_cpu ? "cpu" : "GPUs");
    hw_status status = check_asked(family, rungs, n_rungs, options->rung, diag);
    if (status) return status;

    ladder_run *c = hw_calloc(1, sizeof *c);
    if (!c) return hw_diag_no_memory(diag);
    c->options = options;
    status = make_rows(options, rungs, n_rungs, out, diag);
    if (!status && options->progress) options->progress(options->progress_context, 0, out->n_rows, NULL);
    if (!status) status = open_sites(c, device, counter, out, diag);
    if (!status && out->device->kind == HW_DEVICE_CUDA)
        measure_launch(&c->work, &c->site, options->seconds, &out->launch_ns);
    for (size_t i = 0; i < out->n_rows && !status; i++) {
        if (options->progress) options->progress(options->progress_context, i, out->n_rows, out->rows[i].rung->name);
        run_row(c, &out->rows[i]);
    }
    hw_device_kernels_by(device, out->ptx_by, sizeof out->ptx_by);
    if (counter) hw_device_kernels_by(counter, out->counted_ptx_by, sizeof out->counted_ptx_by);
    if (!status) {
        drop_refused(options, out);
        mark_steps(out, rungs, n_rungs);
        mark_floor(out);
        mark_shares(out);
    }
    hw_site_close(&c->site);
    hw_site_close(&c->counter);
    hw_free(c);
    return status;
}

void hw_ladder_free(hw_ladder *ladder) {
    hw_free(ladder->rows);
    ladder->rows = NULL;
    ladder->n_rows = 0;
}
