// Times are between two events, the median of five; short copies are timed many in a row.
#include "base/integers.h"
#include "device/sim.h"
#include "device/transfer.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { SAMPLES = 5, WORD_BYTES = 16, BLOCK_THREADS = 256, REPEATS = 64, LONG_BYTES = 16 << 20 };

typedef struct bench {
    hw_device *device;
    hw_stream *stream;
    void *host, *memory;
    bool is_pinned;
    size_t bytes;
    hw_event *start, *stop;
    hw_kernel *copy, *work;
    int rounds;                    // of the work
} bench;

// ---- What is needed -------------------------------------------------------------------------------------------------

static hw_status find_kernel(bench *b, const char *function, hw_kernel **out, hw_diag *diag) {
    const hw_kernel_request request = {"transfer/transfer.cu", function, NULL, 0};
    return hw_device_kernel(b->device, &request, out, diag);
}

static hw_status take_host(bench *b, hw_host_kind kind, hw_diag *diag) {
    b->is_pinned = kind != HW_HOST_PAGEABLE;
    if (kind == HW_HOST_COMBINED) return hw_host_alloc_combined(b->device, b->bytes, &b->host, diag);
    if (b->is_pinned) return hw_host_alloc(b->device, b->bytes, &b->host, diag);
    b->host = hw_malloc(b->bytes);
    return b->host ? HW_OK : hw_diag_no_memory(diag);
}

static hw_status prepare(bench *b, hw_host_kind kind, hw_diag *diag) {
    hw_status status = take_host(b, kind, diag);
    if (!status) memset(b->host, 1, b->bytes);   // pages that were never written are not there yet
    if (!status) status = hw_device_alloc(b->device, b->bytes, &b->memory, diag);
    if (!status) status = hw_event_create(b->device, &b->start, diag);
    if (!status) status = hw_event_create(b->device, &b->stop, diag);
    if (!status && kind == HW_HOST_MAPPED && !hw_device_reaches(b->device, b->host))
        status = hw_diag_set(diag, HW_UNSUPPORTED, "kernels of this GPU do not reach pinned memory by its address");
    if (!status && kind == HW_HOST_MAPPED) status = find_kernel(b, "transfer_copy", &b->copy, diag);
    return status;
}

static void clean_up(bench *b) {
    hw_stream_synchronize(b->stream, NULL);
    hw_event_destroy(b->start);
    hw_event_destroy(b->stop);
    hw_device_free(b->device, b->memory);
    if (b->is_pinned) hw_host_free(b->device, b->host);
    else hw_free(b->host);
}

// ---- One transfer ---------------------------------------------------------------------------------------------------

static uint32_t grid_for(const bench *b, uint64_t words) {
    uint64_t blocks = hw_divide_up(words, BLOCK_THREADS);
    uint64_t most = 8ull * hw_device_get_properties(b->device)->multiprocessors;
    return (uint32_t)(blocks < most ? blocks : most);
}

static hw_status copy_once(bench *b, bool to_device, hw_diag *diag) {
    void *to = to_device ? b->memory : b->host, *from = to_device ? b->host : b->memory;
    if (!b->copy) return hw_copy(b->stream, to, from, b->bytes, diag);
    uint64_t words = b->bytes / WORD_BYTES;
    void *params[] = {&to, &from, &words};
    const hw_kernel_launch launch = {b->copy, {grid_for(b, words), 1, 1}, {BLOCK_THREADS, 1, 1}, 0, params, false};
    return hw_stream_launch(b->stream, &launch, diag);
}

static hw_status time_copies(bench *b, bool to_device, int repeats, double *us, hw_diag *diag) {
    double ns = 0;
    hw_status status = hw_event_record(b->start, b->stream, diag);
    for (int i = 0; i < repeats && !status; i++) status = copy_once(b, to_device, diag);
    if (!status) status = hw_event_record(b->stop, b->stream, diag);
    if (!status) status = hw_event_elapsed_ns(b->start, b->stop, &ns, diag);
    *us = ns / 1e3 / repeats;
    return status;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int n) {
    qsort(values, (size_t)n, sizeof *values, by_size);
    return values[n / 2];
}

static hw_status time_on_gpu(bench *b, bool to_device, double *us, hw_diag *diag) {
    double samples[SAMPLES] = {0};
    int repeats = b->bytes < LONG_BYTES ? REPEATS : 1;
    hw_status status = time_copies(b, to_device, 1, us, diag);   // the first one warms up
    for (int i = 0; i < SAMPLES && !status; i++) status = time_copies(b, to_device, repeats, &samples[i], diag);
    if (!status) *us = median(samples, SAMPLES);
    return status;
}

static hw_status refuse_cpu(hw_device *device, hw_diag *diag) {
    if (hw_device_get_properties(device)->kind != HW_DEVICE_CPU) return HW_OK;
    return hw_diag_set(diag, HW_USAGE, "a cpu device has no transfers: its memory is this machine's");
}

// Systems on a chip have no link; of some notebooks it is not known.
static hw_status refuse_unknown_link(const hw_gpu *gpu, hw_diag *diag) {
    if (gpu->pcie_gbs > 0) return HW_OK;
    return hw_diag_set(diag, HW_USAGE, "nothing is known of a link between the host and the %s (%s), and so nothing of "
                       "transfers", gpu->name, gpu->id);
}

hw_status hw_transfer_time(hw_device *device, hw_host_kind kind, bool to_device, size_t bytes, double *us,
                           hw_diag *diag) {
    bench b = {.device = device, .stream = hw_device_stream(device), .bytes = bytes / WORD_BYTES * WORD_BYTES};
    hw_sim *sim = hw_device_sim(device);
    hw_status status = refuse_cpu(device, diag);
    *us = 0;
    if (status) return status;
    if ((unsigned)kind >= HW_HOST_KINDS || !b.bytes)
        return hw_diag_set(diag, HW_USAGE, "a transfer has 16 bytes at least");
    if (sim) status = refuse_unknown_link(hw_sim_gpu(sim), diag);
    if (status) return status;
    if (sim) {
        *us = hw_model_transfer_us(hw_sim_gpu(sim), kind, b.bytes);
        return HW_OK;
    }
    status = prepare(&b, kind, diag);
    if (!status) status = time_on_gpu(&b, to_device, us, diag);
    clean_up(&b);
    return status;
}

// ---- Overlap --------------------------------------------------------------------------------------------------------

typedef struct streams {
    hw_stream *stream[HW_OVERLAP_STREAMS];
    hw_event *done[HW_OVERLAP_STREAMS];
    uint32_t n;
} streams;

static hw_status work_on(const bench *b, hw_stream *stream, char *memory, size_t bytes, hw_diag *diag) {
    uint64_t words = bytes / WORD_BYTES;
    int rounds = b->rounds;
    void *params[] = {&memory, &words, &rounds};
    const hw_kernel_launch launch = {b->work, {grid_for(b, words), 1, 1}, {BLOCK_THREADS, 1, 1}, 0, params, false};
    return hw_stream_launch(stream, &launch, diag);
}

// Chunk i in stream i: its copy, then its work. Begins with b's own stream and ends there.
static hw_status run_chunks(const bench *b, streams *s, bool copies, bool works, hw_diag *diag) {
    size_t words = b->bytes / WORD_BYTES;
    hw_status status = hw_event_record(b->start, b->stream, diag);
    for (uint32_t i = 0; i < s->n && !status; i++) {
        size_t from = words * i / s->n * WORD_BYTES, bytes = words * (i + 1) / s->n * WORD_BYTES - from;
        char *memory = (char *)b->memory + from;
        status = hw_stream_wait(s->stream[i], b->start, diag);
        if (!status && copies) status = hw_copy(s->stream[i], memory, (char *)b->host + from, bytes, diag);
        if (!status && works) status = work_on(b, s->stream[i], memory, bytes, diag);
        if (!status) status = hw_event_record(s->done[i], s->stream[i], diag);
    }
    for (uint32_t i = 0; i < s->n && !status; i++) status = hw_stream_wait(b->stream, s->done[i], diag);
    return status ? status : hw_event_record(b->stop, b->stream, diag);
}

static hw_status time_chunks(const bench *b, streams *s, bool copies, bool works, double *us, hw_diag *diag) {
    double samples[SAMPLES] = {0}, ns = 0;
    hw_status status = HW_OK;
    for (int i = -1; i < SAMPLES && !status; i++) {   // the first one warms up
        status = run_chunks(b, s, copies, works, diag);
        if (!status) status = hw_event_elapsed_ns(b->start, b->stop, &ns, diag);
        if (i >= 0) samples[i] = ns / 1e3;
    }
    if (!status) *us = median(samples, SAMPLES);
    return status;
}

// Rounds of work that take about 1.5 times as long as the copy. A part of the time is none of the rounds': two trials
// tell how much a round takes.
static hw_status choose_rounds(bench *b, streams *one, double transfer_us, hw_diag *diag) {
    enum { FEW = 64, MANY = 1024, MOST = 1 << 20 };
    double few_us = 0, many_us = 0;
    b->rounds = FEW;
    hw_status status = time_chunks(b, one, false, true, &few_us, diag);
    b->rounds = MANY;
    if (!status) status = time_chunks(b, one, false, true, &many_us, diag);
    const double round_us = (many_us - few_us) / (MANY - FEW);
    const double rounds = round_us > 0 ? FEW + (1.5 * transfer_us - few_us) / round_us : FEW;
    b->rounds = rounds < 1 ? 1 : rounds > MOST ? MOST : (int)rounds;
    return status;
}

static hw_status create_streams(hw_device *device, streams *s, uint32_t n, hw_diag *diag) {
    hw_status status = HW_OK;
    for (s->n = 0; s->n < n && !status; s->n++) {
        status = hw_stream_create(device, &s->stream[s->n], diag);
        if (!status) status = hw_event_create(device, &s->done[s->n], diag);
    }
    return status;
}

static void destroy_streams(streams *s) {
    for (uint32_t i = 0; i < s->n; i++) {
        hw_stream_destroy(s->stream[i]);
        hw_event_destroy(s->done[i]);
    }
}

static hw_status overlap_on_gpu(bench *b, hw_overlap *out, hw_diag *diag) {
    streams all = {.n = 0}, one;
    hw_status status = prepare(b, HW_HOST_PINNED, diag);
    if (!status) status = find_kernel(b, "transfer_work", &b->work, diag);
    if (!status) status = create_streams(b->device, &all, out->streams, diag);
    one = all;
    if (!status) one.n = 1;
    if (!status) status = time_chunks(b, &one, true, false, &out->transfer_us, diag);
    if (!status) status = choose_rounds(b, &one, out->transfer_us, diag);
    if (!status) status = time_chunks(b, &one, false, true, &out->execution_us, diag);
    if (!status) status = time_chunks(b, &all, true, true, &out->us, diag);
    destroy_streams(&all);
    clean_up(b);
    return status;
}

hw_status hw_transfer_overlap(hw_device *device, size_t bytes, uint32_t n, hw_overlap *out, hw_diag *diag) {
    bench b = {.device = device, .stream = hw_device_stream(device), .bytes = bytes / WORD_BYTES * WORD_BYTES};
    hw_sim *sim = hw_device_sim(device);
    hw_status status = refuse_cpu(device, diag);
    *out = (hw_overlap){.streams = n};
    if (status) return status;
    if (!n || n > HW_OVERLAP_STREAMS || b.bytes / WORD_BYTES < n)
        return hw_diag_set(diag, HW_USAGE, "copies overlap in 1 to %d streams, with 16 bytes in each",
                           HW_OVERLAP_STREAMS);
    if (sim) status = refuse_unknown_link(hw_sim_gpu(sim), diag);
    if (status) return status;
    if (sim) {
        out->transfer_us = hw_model_transfer_us(hw_sim_gpu(sim), HW_HOST_PINNED, b.bytes);
        out->execution_us = 1.5 * out->transfer_us;
    } else status = overlap_on_gpu(&b, out, diag);
    out->formula_us = hw_model_overlap_us(out->execution_us, out->transfer_us, n);
    if (sim) out->us = hw_model_chunks_us(hw_sim_gpu(sim), out->execution_us, b.bytes, n);
    return status;
}
