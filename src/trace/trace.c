// Each process of the program is two of the trace's: the host with a track for each thread, and the GPU with one for
// each stream and copy engine. Counters are steps: what all kernels that run at a moment add up to.
#include "trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/fields.h"
#include "report/work.h"

enum { HOST, GPU, SIDES };               // the trace's processes
// Tracks of a GPU: streams by their numbers, behind them engines. A viewer takes a track with the number of its process
// for the main thread.
enum { FIRST_STREAM = 1000, FIRST_ENGINE = 1000000 };

typedef struct trace {
    const hw_report *report;
    FILE *out;
    bool has_failed;                     // no memory
    bool has_any;
} trace;

static int pid_of(const hw_report_span *s, int side) { return (int)s->process * SIDES + side + 1; }

// Takes the event, which may be NULL when there was no memory for it.
static void write_event(trace *t, json_t *event) {
    fputs(t->has_any ? ",\n" : "\n", t->out);
    if (!event || (json_dumpf(event, t->out, JSON_REAL_PRECISION(12)) && !ferror(t->out))) t->has_failed = true;
    json_decref(event);
    t->has_any = true;
}

// ---- Tracks ---------------------------------------------------------------------------------------------------------

static int64_t track_of(const hw_report_span *s) {
    if (s->span.kind >= HW_SPAN_CALL) return s->span.thread;
    return FIRST_STREAM + (int64_t)s->span.stream_number;
}

static int side_of(const hw_report_span *s) { return s->span.kind >= HW_SPAN_CALL ? HOST : GPU; }

static void name_track(trace *t, int pid, int64_t track, const char *what, const char *name) {
    write_event(t, json_pack("{s:s, s:s, s:i, s:I, s:{s:o}}", "ph", "M", "name", what, "pid", pid, "tid",
                             (json_int_t)track, "args", "name", hw_json_text(name)));
}

static void name_stream(trace *t, const hw_report_span *s) {
    char name[64];
    if (!s->span.stream_number) snprintf(name, sizeof name, "default stream");
    else if (s->span.stream % 2) snprintf(name, sizeof name, "stream %u (a thread's own)", s->span.stream_number);
    else snprintf(name, sizeof name, "stream %u", s->span.stream_number);
    name_track(t, pid_of(s, GPU), track_of(s), "thread_name", name);
}

static void name_process(trace *t, const hw_report_span *s) {
    char name[64];
    snprintf(name, sizeof name, "host, process %u", s->process);
    name_track(t, pid_of(s, HOST), 0, "process_name", name);
    name_track(t, pid_of(s, GPU), 0, "process_name", t->report->gpu->name);
}

static void name_thread(trace *t, const hw_report_span *s) {
    char name[64];
    snprintf(name, sizeof name, "thread %u", s->span.thread);
    name_track(t, pid_of(s, HOST), track_of(s), "thread_name", name);
}

// Of all GPUs of the process: each has two, one for each direction, however many its kind has. Kernels have none, -1.
static int engine_of(const hw_report_span *s) {
    enum { SCHEDULED_ENGINES = 2 };
    return s->span.engine < 0 ? -1 : (int)s->span.gpu * SCHEDULED_ENGINES + s->span.engine;
}

static void name_engine(trace *t, const hw_report_span *s) {
    char name[64];
    snprintf(name, sizeof name, "copy engine %d", engine_of(s));
    name_track(t, pid_of(s, GPU), FIRST_ENGINE + engine_of(s), "thread_name", name);
}

static int by_track(const void *left, const void *right) {
    const hw_report_span *a = *(const hw_report_span *const *)left, *b = *(const hw_report_span *const *)right;
    if (a->process != b->process) return a->process < b->process ? -1 : 1;
    if (side_of(a) != side_of(b)) return side_of(a) - side_of(b);
    if (track_of(a) != track_of(b)) return track_of(a) < track_of(b) ? -1 : 1;
    return engine_of(a) - engine_of(b);
}

// Each once: spans side by side that share it; engines may be met in many streams.
static void name_tracks(trace *t, const hw_report_span **sorted, size_t n) {
    uint32_t engines = 0;                // of the process that have been named
    for (size_t i = 0; i < n; i++) {
        const hw_report_span *s = sorted[i], *before = i ? sorted[i - 1] : NULL;
        const bool is_new_process = !before || before->process != s->process;
        const bool is_new_side = is_new_process || side_of(before) != side_of(s);
        if (is_new_process) name_process(t, s), engines = 0;
        if (is_new_side || track_of(before) != track_of(s)) {
            if (side_of(s) == HOST) name_thread(t, s);
            else name_stream(t, s);
        }
        if (side_of(s) == HOST || s->span.engine < 0 || engines >> engine_of(s) & 1) continue;
        name_engine(t, s);
        engines |= 1u << engine_of(s);
    }
}

// ---- Work and calls -------------------------------------------------------------------------------------------------

static const hw_report_launch *launch_of(const trace *t, const hw_report_span *s) {
    return s->span.kind == HW_SPAN_KERNEL && s->launch != HW_NO_ROW ? &t->report->launches[s->launch] : NULL;
}

static const char *name_of(const trace *t, const hw_report_span *s) {
    const hw_report_launch *launch = launch_of(t, s);
    if (s->span.kind >= HW_SPAN_CALL) return s->span.name ? s->span.name : "";
    if (launch) return launch->kernel;
    return s->span.kind == HW_SPAN_KERNEL ? "(a launch that was not counted)" : hw_report_work_name(&s->span);
}

static double rate(double number, double us) { return us > 0 ? number / (us * 1e3) : 0; }

static json_t *shape(const uint32_t extents[3]) {
    return json_pack("[i, i, i]", (int)extents[0], (int)extents[1], (int)extents[2]);
}

// What a click on the event shows.
static json_t *details_of(const trace *t, const hw_report_span *s) {
    const hw_report_launch *launch = launch_of(t, s);
    const double us = s->span.end_us - s->span.begin_us;
    if (launch)
        return json_pack("{s:I, s:o, s:o, s:i, s:f, s:f, s:s, s:f, s:f}", "ordinal", (json_int_t)launch->ordinal,
                         "grid", shape(launch->grid), "block", shape(launch->block), "regs", (int)launch->regs,
                         "occupancy_pct", launch->occupancy.occupancy_pct, "est_us", launch->estimate.us, "est_bound",
                         hw_bound_name(launch->estimate.bound), "call_us", s->span.call_us, "busy_us",
                         s->span.busy_us);
    if (s->span.kind == HW_SPAN_COPY || s->span.kind == HW_SPAN_SET)
        return json_pack("{s:I, s:s, s:f, s:f}", "bytes", (json_int_t)s->span.bytes, "memory",
                         hw_report_work_memory(&s->span), "gbs", rate((double)s->span.bytes, us), "call_us",
                         s->span.call_us);
    return json_object();
}

static const char *category_of(const hw_report_span *s) {
    static const char *const names[HW_SPANS] = {"kernel", "copy", "set", "call", "range", ""};
    return names[s->span.kind];
}

// Perfetto keeps begins and lengths as whole nanoseconds, and drops an event that then reaches into the next one of its
// track: so both ends are rounded, and not the length.
static double moment(double us) { return round(us * 1e3) / 1e3; }

static void write_span(trace *t, const hw_report_span *s, int64_t track) {
    const double begin = moment(s->span.begin_us);
    write_event(t, json_pack("{s:s, s:o, s:s, s:i, s:I, s:f, s:f, s:o}", "ph", "X", "name",
                             hw_json_text(name_of(t, s)), "cat", category_of(s), "pid", pid_of(s, side_of(s)), "tid",
                             (json_int_t)track, "ts", begin, "dur", moment(s->span.end_us) - begin, "args",
                             details_of(t, s)));
}

// What may overlap has a track of its own, which the viewer makes: a pair of events with a number, or of a moment one.
static void write_open_range(trace *t, const hw_report_span *s, size_t number) {
    const double ends[] = {moment(s->span.begin_us), moment(s->span.end_us)};
    const bool is_moment = ends[0] == ends[1];
    for (int end = 0; end < (is_moment ? 1 : 2); end++)
        write_event(t, json_pack("{s:s, s:o, s:s, s:i, s:I, s:I, s:f}", "ph", is_moment ? "n" : end ? "e" : "b", "name",
                                 hw_json_text(name_of(t, s)), "cat", category_of(s), "pid", pid_of(s, HOST), "tid",
                                 (json_int_t)s->span.thread, "id", (json_int_t)number + 1, "ts", ends[end]));
}

static void write_spans(trace *t) {
    for (size_t i = 0; i < t->report->n_spans; i++) {
        const hw_report_span *s = &t->report->spans[i];
        if (s->span.kind == HW_SPAN_OWN) continue;
        if (s->span.overlaps) {
            write_open_range(t, s, i);
            continue;
        }
        write_span(t, s, track_of(s));
        if (side_of(s) == GPU && s->span.engine >= 0) write_span(t, s, FIRST_ENGINE + engine_of(s));
    }
}

// ---- Counters -------------------------------------------------------------------------------------------------------

// What a kernel adds while it runs.
typedef struct counter {
    const char *name;
    double (*of)(const hw_report_launch *launch, const hw_report_span *span, const hw_gpu *gpu);
} counter;

static double run_us(const hw_report_span *s) { return s->span.end_us - s->span.begin_us; }

// On average over its time and the multiprocessors.
static double warps_held(const hw_report_launch *launch, const hw_report_span *s, const hw_gpu *gpu) {
    const double most = gpu->arch->threads_per_sm / 32.0, us = run_us(s);
    return us > 0 ? launch->occupancy.occupancy_pct / 100 * most * s->span.busy_us / us : 0;
}

static double load_rate(const hw_report_launch *launch, const hw_report_span *s, const hw_gpu *gpu) {
    (void)gpu;
    return rate((double)launch->work.load_bytes, run_us(s));
}

static double store_rate(const hw_report_launch *launch, const hw_report_span *s, const hw_gpu *gpu) {
    (void)gpu;
    return rate((double)launch->work.store_bytes, run_us(s));
}

static double inst_rate(const hw_report_launch *launch, const hw_report_span *s, const hw_gpu *gpu) {
    (void)gpu;
    return rate((double)launch->counts[HW_COUNT_INST], run_us(s));
}

static const counter counters[] = {
    {"warps held by a multiprocessor", warps_held},
    {"loads GB/s", load_rate},
    {"stores GB/s", store_rate},
    {"10^9 warp instructions/s", inst_rate},
};

typedef struct step {
    uint32_t process;
    double us, by;
    size_t order;
} step;

static int by_moment(const void *left, const void *right) {
    const step *a = left, *b = right;
    if (a->process != b->process) return a->process < b->process ? -1 : 1;
    if (a->us != b->us) return a->us < b->us ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static size_t collect_steps(const trace *t, const counter *c, step *steps) {
    size_t n = 0;
    for (size_t i = 0; i < t->report->n_spans; i++) {
        const hw_report_span *s = &t->report->spans[i];
        const hw_report_launch *launch = launch_of(t, s);
        const double by = launch ? c->of(launch, s, t->report->gpu) : 0;
        if (by <= 0) continue;
        steps[n] = (step){s->process, moment(s->span.begin_us), by, n}, n++;
        steps[n] = (step){s->process, moment(s->span.end_us), -by, n}, n++;
    }
    qsort(steps, n, sizeof *steps, by_moment);
    return n;
}

static void write_counter(trace *t, const counter *c, step *steps) {
    const size_t n = collect_steps(t, c, steps);
    double sum = 0;
    int running = 0;
    for (size_t i = 0; i < n; i++) {
        const bool is_last = i + 1 == n || steps[i + 1].process != steps[i].process;
        running += steps[i].by > 0 ? 1 : -1;
        sum = running ? sum + steps[i].by : 0;       // rounding leaves nothing where nothing runs
        if (!is_last && steps[i + 1].us == steps[i].us) continue;
        write_event(t, json_pack("{s:s, s:s, s:i, s:f, s:{s:f}}", "ph", "C", "name", c->name, "pid",
                                 (int)steps[i].process * SIDES + GPU + 1, "ts", steps[i].us, "args", "value",
                                 sum > 0 ? sum : 0));
    }
}

// ---- The file -------------------------------------------------------------------------------------------------------

static bool write_all(trace *t) {
    const size_t n = t->report->n_spans;
    const hw_report_span **sorted = hw_calloc(n + 1, sizeof *sorted);
    step *steps = hw_calloc(2 * n + 1, sizeof *steps);
    if (sorted && steps) {
        size_t n_shown = 0;
        for (size_t i = 0; i < n; i++)
            if (t->report->spans[i].span.kind != HW_SPAN_OWN) sorted[n_shown++] = &t->report->spans[i];
        qsort(sorted, n_shown, sizeof *sorted, by_track);
        name_tracks(t, sorted, n_shown);
        write_spans(t);
        for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) write_counter(t, &counters[i], steps);
    }
    const bool good = sorted && steps && !t->has_failed;
    hw_free(sorted);
    hw_free(steps);
    return good;
}

hw_status hw_trace_write(const hw_report *report, FILE *out, hw_diag *diag) {
    trace t = {.report = report, .out = out};
    fputs("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [", out);
    const bool good = write_all(&t);
    fputs("\n]}\n", out);
    if (!good) return hw_diag_no_memory(diag);
    if (fflush(out) != 0 || ferror(out)) return hw_diag_set(diag, HW_IO, "cannot write the trace: %s", strerror(errno));
    return HW_OK;
}
