// Measures hw_transpose, and a copy of the same bytes.
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "bench.h"
#include "device/device.h"

enum { ENOUGH_SAMPLES = 5, MOST_SAMPLES = 200, MOST_RUNS = 1000 };
static const double SAMPLE_NS = 1e6;   // a sample is as many runs as take so long: events have a grain

// A case on its device.
typedef struct bench {
    const hw_bench_case *what;
    hw_device *device;
    hw_stream *stream;
    hw_event *begin, *end;
    void *in, *out, *host;
    bool on_host;   // the device's memory is this machine's
    hw_diag diag;
} bench;

// ---- The pattern ----------------------------------------------------------------------------------------------------

// Multiples of the golden ratio: neighbours differ in their upper bits.
static uint64_t mix(uint64_t index) { return (index + 1) * 0x9e3779b97f4a7c15u; }

static void pattern(uint64_t index, uint32_t bytes, uint8_t element[16]) {
    uint64_t low = bytes < 8 ? mix(index) >> (64 - 8 * bytes) : mix(index), high = mix(~index);
    memcpy(element, &low, 8);
    memcpy(element + 8, &high, 8);
}

static void fill(const hw_bench_case *what, uint8_t *to) {
    uint8_t element[16];
    for (uint64_t i = 0; i < what->bytes / what->elem_bytes; i++, to += what->elem_bytes) {
        pattern(i, what->elem_bytes, element);
        memcpy(to, element, what->elem_bytes);
    }
}

// Every element of the transposed array; the first wrong one into the diag.
static hw_status verify(bench *b, const uint8_t *got) {
    const hw_bench_case *what = b->what;
    int64_t strides[HW_BENCH_RANK], step = 1, place[HW_BENCH_RANK] = {0};
    for (int k = what->rank - 1; k >= 0; step *= what->shape[k--]) strides[k] = step;
    int64_t index = 0;
    for (int64_t i = 0; i < step; i++, got += what->elem_bytes) {
        uint8_t element[16];
        pattern((uint64_t)index, what->elem_bytes, element);
        if (memcmp(got, element, what->elem_bytes) != 0)
            return hw_diag_set(&b->diag, HW_FAULT, "wrong: element %lld of the result", (long long)i);
        for (int k = what->rank - 1; k >= 0; k--) {
            int axis = what->axes[k];
            index += strides[axis];
            if (++place[k] < what->shape[axis]) break;
            index -= place[k] * strides[axis];
            place[k] = 0;
        }
    }
    return HW_OK;
}

// ---- The two that are measured --------------------------------------------------------------------------------------

typedef hw_status run_once(bench *b);

static hw_status run_transpose(bench *b) {
    const hw_bench_case *what = b->what;
    int64_t in_shape[HW_BENCH_RANK], out_shape[HW_BENCH_RANK];
    for (int k = 0; k < what->rank; k++) {
        in_shape[k] = what->shape[k];
        out_shape[k] = what->shape[what->axes[k]];
    }
    DLTensor in = {.data = b->in, .device = hw_device_get_properties(b->device)->dl, .ndim = what->rank,
                   .dtype = {kDLUInt, (uint8_t)(what->elem_bytes * 8), 1}, .shape = in_shape};
    DLTensor out = in;
    out.shape = out_shape;
    if (!what->in_place) out.data = b->out;
    return hw_transpose(b->stream, &in, what->axes, &out, &b->diag);
}

typedef struct copy_job {
    bench *b;
    uint32_t n_workers;
} copy_job;

static void copy_part(void *context, uint32_t index) {
    const copy_job *job = context;
    size_t bytes = job->b->what->bytes, from = bytes / job->n_workers * index;
    size_t to = index + 1 == job->n_workers ? bytes : from + bytes / job->n_workers;
    memcpy((char *)job->b->out + from, (const char *)job->b->in + from, to - from);
}

// On the processors memcpy, a part for each of them: what a user would write.
static hw_status run_copy(bench *b) {
    if (!b->on_host) return hw_copy(b->stream, b->out, b->in, b->what->bytes, &b->diag);
    copy_job job = {.b = b};
    hw_pool *pool = hw_device_pool(b->device, &job.n_workers);
    hw_pool_run(pool, job.n_workers, copy_part, &job);
    return HW_OK;
}

// ---- Times ----------------------------------------------------------------------------------------------------------

static hw_status sample(bench *b, run_once *run, int runs, double *ns) {
    hw_status status = hw_event_record(b->begin, b->stream, &b->diag);
    for (int i = 0; i < runs && !status; i++) status = run(b);
    if (!status) status = hw_event_record(b->end, b->stream, &b->diag);
    if (!status) status = hw_event_elapsed_ns(b->begin, b->end, ns, &b->diag);
    if (!status) *ns /= runs;
    return status;
}

static hw_status runs_per_sample(bench *b, run_once *run, int *runs) {
    double first, ns = 0;
    hw_status status = sample(b, run, 1, &first);
    if (!status) status = sample(b, run, 1, &ns);
    double wanted = ns > 0 ? SAMPLE_NS / ns : MOST_RUNS;
    *runs = wanted < 1 ? 1 : wanted < MOST_RUNS ? (int)wanted : MOST_RUNS;
    return status;
}

// By turns, so that what disturbs the machine disturbs both.
static hw_status measure(bench *b, double seconds, hw_bench_times *transposes, hw_bench_times *copies) {
    int transpose_runs, copy_runs;
    double spent = 0;
    hw_status status = runs_per_sample(b, run_transpose, &transpose_runs);
    if (!status) status = runs_per_sample(b, run_copy, &copy_runs);
    for (int n = 0; !status && n < MOST_SAMPLES && (n < ENOUGH_SAMPLES || spent < 2e9 * seconds); n++) {
        double ns;
        status = sample(b, run_copy, copy_runs, &ns);
        if (status) break;
        hw_bench_times_add(copies, ns);
        spent += ns * copy_runs;
        status = sample(b, run_transpose, transpose_runs, &ns);
        if (status) break;
        hw_bench_times_add(transposes, ns);
        spent += ns * transpose_runs;
    }
    return status;
}

// ---- One case -------------------------------------------------------------------------------------------------------

static hw_status open_bench(bench *b) {
    b->stream = hw_device_stream(b->device);
    b->on_host = hw_device_get_properties(b->device)->kind == HW_DEVICE_CPU;
    hw_status status = hw_device_alloc(b->device, b->what->bytes, &b->in, &b->diag);
    if (!status) status = hw_device_alloc(b->device, b->what->bytes, &b->out, &b->diag);
    if (!status) status = hw_event_create(b->device, &b->begin, &b->diag);
    if (!status) status = hw_event_create(b->device, &b->end, &b->diag);
    if (!status && !b->on_host && !(b->host = malloc(b->what->bytes))) status = hw_diag_no_memory(&b->diag);
    return status;
}

static hw_status fill_arrays(bench *b) {
    fill(b->what, b->on_host ? b->in : b->host);
    hw_status status = b->on_host ? HW_OK : hw_copy(b->stream, b->in, b->host, b->what->bytes, &b->diag);
    return status ? status : hw_fill(b->stream, b->out, 0xa5, b->what->bytes, &b->diag);
}

static hw_status verify_result(bench *b) {
    const void *result = b->what->in_place ? b->in : b->out;
    hw_status status = HW_OK;
    if (!b->on_host) status = hw_copy(b->stream, b->host, result, b->what->bytes, &b->diag);
    if (!status) status = hw_stream_synchronize(b->stream, &b->diag);
    return status ? status : verify(b, b->on_host ? result : b->host);
}

static void close_bench(bench *b) {
    hw_event_destroy(b->begin);
    hw_event_destroy(b->end);
    hw_device_free(b->device, b->in);
    hw_device_free(b->device, b->out);
    free(b->host);
}

void hw_bench_transpose(hw_device *device, double seconds, hw_bench_row *row) {
    bench b = {.what = &row->what, .device = device};
    snprintf(row->halfwarp.who, sizeof row->halfwarp.who, "halfwarp");
    snprintf(row->copy.who, sizeof row->copy.who, "copy");
    hw_status status = open_bench(&b);
    if (!status) status = fill_arrays(&b);
    if (!status) status = run_transpose(&b);
    if (!status) status = verify_result(&b);
    row->halfwarp.wrong = strncmp(b.diag.text, "wrong", 5) == 0;
    if (!status) status = measure(&b, seconds, &row->halfwarp.times, &row->copy.times);
    if (status) snprintf(row->halfwarp.problem, sizeof row->halfwarp.problem, "%.199s", b.diag.text);
    hw_bench_times_finish(&row->halfwarp.times);
    hw_bench_times_finish(&row->copy.times);
    close_bench(&b);
}
