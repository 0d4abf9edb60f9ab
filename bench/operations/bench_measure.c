// Measures an operation, by turns with its limit, so that what disturbs the machine disturbs both.
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "bench.h"
#include "device/device.h"

enum { ENOUGH_SAMPLES = 5, MOST_SAMPLES = 200, MOST_RUNS = 1000, LEAST_SAMPLES = 2 };
static const double SAMPLE_NS = 1e6;     // a sample has as many runs as take this long: events have a coarse clock
static const double SHORT_NS = 1e8;
static const double LONG_NS = 20e9;      // longer cases get fewer samples

typedef struct watch {
    const hw_bench_job *job;
    hw_stream *stream;
    hw_event *begin, *end;
    hw_diag *diag;
} watch;

// The operation or its limit, and how a sample of its time is taken.
typedef struct turn {
    hw_bench_run *run;
    int runs;
    bool is_warmed;   // a sample begins with a run that is not timed. What the other of the two has left in the caches,
                      // such as lines still to be written, slows that run down; a peer, measured alone, finds none
} turn;

static hw_status take_sample(const watch *w, const turn *turn, double *ns) {
    hw_status status = turn->is_warmed ? turn->run(w->job->context, w->diag) : HW_OK;
    if (!status) status = hw_event_record(w->begin, w->stream, w->diag);
    for (int i = 0; i < turn->runs && !status; i++) status = turn->run(w->job->context, w->diag);
    if (!status) status = hw_event_record(w->end, w->stream, w->diag);
    if (!status) status = hw_event_elapsed_ns(w->begin, w->end, ns, w->diag);
    if (!status) *ns /= turn->runs;
    return status;
}

static hw_status prepare_turn(const watch *w, hw_bench_run *run, turn *turn) {
    double first = 0, ns = 0;
    *turn = (struct turn){.run = run, .runs = 1};
    hw_status status = take_sample(w, turn, &first);
    if (!status && first < LONG_NS / 4) status = take_sample(w, turn, &ns);
    double wanted = ns > 0 ? SAMPLE_NS / ns : first > SAMPLE_NS ? 1 : MOST_RUNS;
    turn->runs = wanted < 1 ? 1 : wanted < MOST_RUNS ? (int)wanted : MOST_RUNS;
    turn->is_warmed = ns > 0 && ns < SHORT_NS;
    return status;
}

static hw_status add_sample(const watch *w, const turn *turn, hw_bench_times *times, double *spent) {
    double ns;
    hw_status status = take_sample(w, turn, &ns);
    if (status) return status;
    hw_bench_times_add(times, ns);
    *spent += ns * turn->runs;
    return HW_OK;
}

static bool wants_more(int n, double spent, double wanted_ns) {
    if (n < LEAST_SAMPLES) return true;
    if (n < ENOUGH_SAMPLES) return spent < LONG_NS;
    return n < MOST_SAMPLES && spent < wanted_ns;
}

static hw_status take_turns(const watch *w, double seconds, hw_bench_row *row) {
    const hw_bench_job *job = w->job;
    turn own, limit;
    double spent = 0, wanted_ns = seconds * 1e9 * (job->limit ? 2 : 1);
    hw_status status = prepare_turn(w, job->run, &own);
    if (!status && job->limit) status = prepare_turn(w, job->limit, &limit);
    for (int n = 0; !status && wants_more(n, spent, wanted_ns); n++) {
        if (job->limit) status = add_sample(w, &limit, &row->limit.times, &spent);
        if (!status) status = add_sample(w, &own, &row->halfwarp.times, &spent);
    }
    return status;
}

static hw_status measure_both(const hw_bench_job *job, double seconds, hw_bench_row *row, hw_diag *diag) {
    watch w = {.job = job, .stream = hw_device_stream(job->device), .diag = diag};
    hw_status status = hw_event_create(job->device, &w.begin, diag);
    if (!status) status = hw_event_create(job->device, &w.end, diag);
    if (!status) status = take_turns(&w, seconds, row);
    hw_event_destroy(w.begin);
    hw_event_destroy(w.end);
    strcpy(row->halfwarp.called, "C loop");
    if (job->limit) strcpy(row->limit.called, "C loop");
    hw_bench_times_finish(&row->halfwarp.times);
    hw_bench_times_finish(&row->limit.times);
    return status;
}

void hw_bench_measure(const hw_bench_job *job, double seconds, hw_bench_row *row) {
    hw_diag diag = {0};
    hw_status status = job->open(job->context, &diag);
    if (!status) status = job->run(job->context, &diag);
    if (!status) status = job->verify(job->context, &row->halfwarp, &diag);
    if (!status) status = measure_both(job, seconds, row, &diag);
    if (status) snprintf(row->halfwarp.problem, sizeof row->halfwarp.problem, "%.199s", diag.text);
}

// ---- Copies and fills -----------------------------------------------------------------------------------------------

typedef struct copy_job {
    char *to;
    const char *from;
    size_t bytes;
    uint32_t n_workers;
} copy_job;

static void copy_part(void *context, uint32_t index) {
    const copy_job *job = context;
    size_t from = job->bytes / job->n_workers * index;
    size_t to = index + 1 == job->n_workers ? job->bytes : from + job->bytes / job->n_workers;
    memcpy(job->to + from, job->from + from, to - from);
}

hw_status hw_bench_copy(hw_device *device, void *to, const void *from, size_t bytes, hw_diag *diag) {
    if (hw_device_get_properties(device)->kind != HW_DEVICE_CPU)
        return hw_copy(hw_device_stream(device), to, from, bytes, diag);
    copy_job job = {.to = to, .from = from, .bytes = bytes};
    hw_pool *pool = hw_device_pool(device, &job.n_workers);
    hw_pool_run(pool, job.n_workers, copy_part, &job);
    return HW_OK;
}

hw_status hw_bench_fill(hw_device *device, void *to, size_t bytes, const void *block, size_t block_bytes,
                        hw_diag *diag) {
    size_t have = block_bytes < bytes ? block_bytes : bytes;
    hw_status status = have ? hw_copy(hw_device_stream(device), to, block, have, diag) : HW_OK;
    // What is there, a whole number of blocks, is doubled.
    while (have < bytes && !status) {
        size_t more = bytes - have < have ? bytes - have : have;
        status = hw_copy(hw_device_stream(device), (char *)to + have, to, more, diag);
        have += more;
    }
    return status ? status : hw_stream_synchronize(hw_device_stream(device), diag);
}

// lowbias32 of Chris Wellons' hash-prospector: each bit of the index changes half of the result's.
uint32_t hw_bench_hash(uint32_t index) {
    index ^= index >> 16;
    index *= 0x7feb352du;
    index ^= index >> 15;
    index *= 0x846ca68bu;
    return index ^ index >> 16;
}
