// How fast three kernels are simulated with all counters on, beside plain C loops that do the same job in the same run.
//
// usage: bench_speed HALFWARP KERNELS COMMIT OUT.json
//
// A run is PROCESSES processes of LAUNCHES launches each, and its time the median launch. Runs of all kernels follow
// each other, so that what disturbs the machine for a while is seen as a run that differs; a kernel's time is that of
// the median run.
#include "speed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 5, PROCESSES = 3, LAUNCHES = 9, LOOPS = 15 };
static const char gpu[] = "h200";

// The first table of what other simulators reach is about these, at these sizes.
static const struct kernel {
    const char *name, *file;
    int size;
    native_job native;
} kernels[] = {
    {"transpose_naive", "transpose_naive.cu", 1024, native_transpose},
    {"transpose_tile", "transpose_tile.cu", 1024, native_transpose_tile},
    {"matmul_tiled", "matmul_tiled.cu", 256, native_matmul},
};
enum { N_KERNELS = sizeof kernels / sizeof kernels[0] };

json_t *summary_json(const hw_bench_times *s) {
    return json_pack("{s:f, s:f, s:f, s:f}", "median", s->median, "minimum", s->minimum, "maximum", s->maximum,
                     "spread_pct", s->spread_pct);
}

typedef struct measured {
    hw_bench_times runs, best, native;   // of each run the median launch and the fastest; of the C loop all
    double thread_inst;           // of one launch
} measured;

// One run of one kernel. False after a failure, which has been told.
static bool measure_kernel(const struct kernel *k, const char *halfwarp, const char *folder, const char *csv_path,
                           measured *out) {
    char program[4096];
    hw_bench_times launches = {0};
    snprintf(program, sizeof program, "%s/%s", folder, k->file);
    profile_run run = {.halfwarp = halfwarp, .gpu = gpu, .program = program, .csv_path = csv_path, .size = k->size,
                       .launches = LAUNCHES};
    for (int i = 0; i < PROCESSES; i++)
        if (!run_profile(&run, &launches, &out->thread_inst)) return false;
    hw_bench_times_finish(&launches);
    hw_bench_times_add(&out->runs, launches.median);
    hw_bench_times_add(&out->best, launches.minimum);
    if (k->native(k->size, LOOPS, &out->native)) return true;
    fprintf(stderr, "%s: the plain C loop's result is wrong\n", k->name);
    return false;
}

static double rate_of(double thread_inst, double ms) { return ms > 0 ? thread_inst / ms / 1e6 : 0; }

// One kernel's row on stdout, and its object.
static json_t *report_kernel(const struct kernel *k, measured *m) {
    json_t *medians = json_array();
    for (int i = 0; i < m->runs.n; i++) json_array_append_new(medians, json_real(m->runs.each[i]));
    hw_bench_times *s = &m->runs, *best = &m->best, *c = &m->native;
    hw_bench_times_finish(s);
    hw_bench_times_finish(best);
    hw_bench_times_finish(c);
    const double speed = rate_of(m->thread_inst, s->median), fastest = rate_of(m->thread_inst, best->minimum);
    printf("%-16s %6d %11.0f %9.3f %9.2f %6.1f to %-6.1f %9.2f %9.3f %8.2f\n", k->name, k->size, m->thread_inst,
           s->median, speed, rate_of(m->thread_inst, s->maximum), rate_of(m->thread_inst, s->minimum), fastest,
           c->median, c->median > 0 ? s->median / c->median : 0);
    return json_pack("{s:s, s:i, s:f, s:o, s:o, s:f, s:f, s:o}", "kernel", k->name, "size", k->size, "thread_inst",
                     m->thread_inst, "host_ms", summary_json(s), "runs_ms", medians, "thread_inst_per_s",
                     speed * 1e9, "best_thread_inst_per_s", fastest * 1e9, "c_loop_ms", summary_json(c));
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: bench_speed HALFWARP KERNELS COMMIT OUT.json\n");
        return 2;
    }
    char csv_path[4096];
    snprintf(csv_path, sizeof csv_path, "%s.csv", argv[4]);
    static measured kept[N_KERNELS];
    for (int run = 0; run < RUNS; run++)
        for (int i = 0; i < N_KERNELS; i++)
            if (!measure_kernel(&kernels[i], argv[1], argv[2], csv_path, &kept[i])) return 1;
    json_t *rows = json_array();
    printf("%-16s %6s %11s %9s %9s %16s %9s %9s %8s\n", "kernel", "size", "thread inst", "host ms", "G inst/s",
           "runs' G inst/s", "best", "C loop ms", "times C");
    for (int i = 0; i < N_KERNELS; i++) json_array_append_new(rows, report_kernel(&kernels[i], &kept[i]));
    remove(csv_path);
    json_t *root = json_pack("{s:s, s:s, s:s, s:o, s:{s:i, s:i, s:i}, s:o}", "commit", argv[3], "compiler",
                             __VERSION__, "gpu", gpu, "machine", machine_json(), "method", "runs", RUNS, "processes",
                             PROCESSES, "launches", LAUNCHES, "kernels", rows);
    if (!root || json_dump_file(root, argv[4], JSON_INDENT(2) | JSON_REAL_PRECISION(9)) != 0) {
        fprintf(stderr, "bench_speed: cannot write %s\n", argv[4]);
        return 1;
    }
    json_decref(root);
    return 0;
}
