// Streams an array through a device in pieces. A piece is a box that is cut along two axes, the slowest of in and the
// slowest of out: on either side it is a number of equal runs at equal distances, which is what a two-dimensional copy
// moves, and the runs of both sides can be made long. An H200 whose multiprocessors work at the same time loses most of
// 0.2 us with every run, as far as could be found to look up its page: runs of 8 KiB were copied at 32 GB/s each way, of
// 32 KiB at 40, and copies without runs at 47, where plain copies both ways at once reach 51. Kernels that read this
// machine's memory themselves were slower still (28 GB/s), for the same reason.
#include "op/transpose_host.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "op/transpose_gpu.h"

enum { SLOTS = 2 };   // buffers on either side: while one is filled or emptied, the other is turned

// The pieces: `length` elements of axis (fewer in the last) along both axes, which may be the same one.
typedef struct cut {
    uint32_t axis[2];           // the slowest of in, the slowest of out
    uint64_t length[2], count[2];
} cut;

static bool is_dense(const hw_permutation *p, const int64_t *stride) {
    bool used[HW_MAX_RANK] = {0};
    int64_t expected = 1;
    for (uint32_t done = 0; done < p->rank; done++) {
        uint32_t next = 0;
        while (next < p->rank && (used[next] || stride[next] != expected)) next++;
        if (next == p->rank) return false;
        used[next] = true;
        expected *= (int64_t)p->n[next];
    }
    return true;
}

bool hw_host_transpose_fits(const hw_permutation *p) {
    return p->rank > 0 && is_dense(p, p->in_stride) && is_dense(p, p->out_stride);
}

static uint32_t slowest(const hw_permutation *p, const int64_t *stride) {
    uint32_t axis = 0;
    for (uint32_t i = 1; i < p->rank; i++)
        if (stride[i] > stride[axis]) axis = i;
    return axis;
}

static uint64_t clamp(double value, uint64_t most) {
    return value < 1 ? 1 : value > (double)most ? most : (uint64_t)value;
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b) {
    return b ? greatest_common_divisor(b, a % b) : a;
}

// Equal pieces along both axes, but for the last: long runs begin at multiples of a page, which copies like.
static void even_out(const hw_permutation *p, cut *cut) {
    enum { PAGE = 4096 };
    for (int k = 0; k < 2; k++) {
        // What is taken of in's slowest axis makes the runs of out, and the other way round.
        const uint64_t n = p->n[cut->axis[k]], step_bytes = (uint64_t)(k ? p->in_stride : p->out_stride)[cut->axis[k]] * p->elem_bytes;
        const uint64_t unit = PAGE / greatest_common_divisor(PAGE, step_bytes), most = cut->length[k];
        cut->count[k] = (n + most - 1) / most;
        cut->length[k] = (n + cut->count[k] - 1) / cut->count[k];
        if (most >= 4 * unit && cut->count[k] > 1) {
            uint64_t up = (cut->length[k] + unit - 1) / unit * unit;
            cut->length[k] = up <= most ? up : most / unit * unit;
            cut->count[k] = (n + cut->length[k] - 1) / cut->length[k];
        }
    }
    if (cut->axis[0] == cut->axis[1]) cut->length[1] = cut->length[0], cut->count[1] = 1;
}

// Pieces of at most `budget` bytes with runs as long as can be on both sides. False when one step of both axes is more.
static bool choose_cut(const hw_permutation *p, uint64_t budget, cut *cut) {
    const uint32_t a = slowest(p, p->in_stride), b = slowest(p, p->out_stride);
    *cut = (struct cut){.axis = {a, b}, .length = {1, 1}};
    const uint64_t step = p->elems / p->n[a] / (a == b ? 1 : p->n[b]) * p->elem_bytes, steps = budget / step;
    if (steps == 0) return false;
    if (a == b) {
        cut->length[0] = cut->length[1] = clamp((double)steps, p->n[a]);
    } else {
        // Runs of in are as long as what is taken of b, those of out as what is taken of a.
        cut->length[0] = clamp(sqrt((double)steps * (double)p->in_stride[b] / (double)p->out_stride[a]), p->n[a]);
        cut->length[1] = clamp((double)(steps / cut->length[0]), p->n[b]);
        cut->length[0] = clamp((double)(steps / cut->length[1]), p->n[a]);
    }
    even_out(p, cut);
    return true;
}

// Where one piece lies on one side: runs of `run` elements, `pitch` elements apart.
typedef struct side {
    uint64_t first, run, pitch, runs;
} side;

// stride: of that side; slow, other: which of the cut's axes is its slowest. from, length: the piece along both axes.
static side side_of(const hw_permutation *p, const int64_t *stride, const cut *cut, int slow, const uint64_t from[2],
                    const uint64_t length[2]) {
    const uint32_t outer = cut->axis[slow], inner = cut->axis[1 - slow];
    const uint64_t step = (uint64_t)stride[outer];
    if (outer == inner)
        return (side){.first = from[0] * step, .run = length[0] * step, .pitch = length[0] * step, .runs = 1};
    const uint64_t within = (uint64_t)stride[inner], pitch = within * p->n[inner];
    return (side){.first = from[slow] * step + from[1 - slow] * within, .run = length[1 - slow] * within, .pitch = pitch,
                  .runs = length[slow] * step / pitch};
}

// The strides of an array of these extents that lies densely, its axes in the order that `stride` gives.
static void dense_strides(const hw_permutation *p, const int64_t *stride, const uint64_t *n, int64_t *out) {
    for (uint32_t i = 0; i < p->rank; i++) {
        out[i] = 1;
        for (uint32_t k = 0; k < p->rank; k++)
            if (stride[k] < stride[i]) out[i] *= (int64_t)n[k];
    }
}

static hw_permutation piece_of(const hw_permutation *p, const cut *cut, const uint64_t length[2], const void *in, void *out) {
    hw_permutation piece = *p;
    for (int k = 0; k < 2; k++) piece.n[cut->axis[k]] = length[k];
    piece.elems = 1;
    for (uint32_t i = 0; i < p->rank; i++) piece.elems *= piece.n[i];
    dense_strides(p, p->in_stride, piece.n, piece.in_stride);
    dense_strides(p, p->out_stride, piece.n, piece.out_stride);
    piece.in = in;
    piece.out = out;
    piece.in_place = false;
    hw_permutation_merge(&piece);
    return piece;
}

// ---- The pipeline ---------------------------------------------------------------------------------------------------

// Copies to the device, kernels and copies back each have a stream of their own, and what one of them begins with has been
// waited for here: an H200 takes most of a millisecond to see that a copy engine may go on which waits for a kernel, and
// then copied 39 GB/s each way instead of 46.
typedef enum stage { COME, TURN, GO, STAGES } stage;

typedef struct slot {
    hw_event *done[STAGES];      // the last piece's; none for TURN
    void *in, *out;              // on the device
    void *host_in, *host_out;    // pinned, where the arrays are not
} slot;

typedef struct job {
    const hw_permutation *p;
    hw_device *device;
    hw_stream *caller;           // is told how far the work has come
    cut cut;
    uint64_t piece_bytes;
    bool is_pinned;
    hw_stream *streams[STAGES];
    slot slots[SLOTS];
} job;

static hw_status open_slot(job *job, slot *slot, hw_diag *diag) {
    hw_status status = HW_OK;
    for (int k = 0; k < STAGES && status == HW_OK; k++) status = hw_event_create(job->device, &slot->done[k], diag);
    if (status == HW_OK) status = hw_device_alloc(job->device, job->piece_bytes, &slot->in, diag);
    if (status == HW_OK) status = hw_device_alloc(job->device, job->piece_bytes, &slot->out, diag);
    if (status == HW_OK && !job->is_pinned) status = hw_host_alloc(job->device, job->piece_bytes, &slot->host_in, diag);
    if (status == HW_OK && !job->is_pinned) status = hw_host_alloc(job->device, job->piece_bytes, &slot->host_out, diag);
    return status;
}

static hw_status open_job(job *job, hw_diag *diag) {
    hw_status status = HW_OK;
    for (int k = 0; k < STAGES && status == HW_OK; k++) status = hw_stream_create(job->device, &job->streams[k], diag);
    for (int i = 0; i < SLOTS && status == HW_OK; i++) status = open_slot(job, &job->slots[i], diag);
    return status;
}

static void close_job(job *job) {
    for (int k = 0; k < STAGES; k++) hw_stream_destroy(job->streams[k]);
    for (int i = 0; i < SLOTS; i++) {
        slot *slot = &job->slots[i];
        for (int k = 0; k < STAGES; k++) hw_event_destroy(slot->done[k]);
        hw_device_free(job->device, slot->in);
        hw_device_free(job->device, slot->out);
        hw_host_free(job->device, slot->host_in);
        hw_host_free(job->device, slot->host_out);
    }
}

// ---- Copies on this machine -----------------------------------------------------------------------------------------

typedef struct rows_copy {
    char *to;
    const char *from;
    size_t to_pitch, from_pitch, row_bytes, rows;
    uint32_t n_threads;
} rows_copy;

// Each thread has an equal share of the bytes, wherever rows begin and end.
static void copy_share(void *context, uint32_t thread) {
    const rows_copy *copy = context;
    uint64_t total = (uint64_t)copy->row_bytes * copy->rows;
    uint64_t at = total * thread / copy->n_threads, end = total * (thread + 1) / copy->n_threads;
    while (at < end) {
        uint64_t row = at / copy->row_bytes, within = at % copy->row_bytes, bytes = copy->row_bytes - within;
        if (bytes > end - at) bytes = end - at;
        memcpy(copy->to + row * copy->to_pitch + within, copy->from + row * copy->from_pitch + within, bytes);
        at += bytes;
    }
}

static void copy_rows(hw_device *device, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t row_bytes,
                      size_t rows) {
    rows_copy copy = {to, from, to_pitch, from_pitch, row_bytes, rows, 0};
    hw_pool *pool = hw_device_pool(device, &copy.n_threads);
    hw_pool_run(pool, copy.n_threads, copy_share, &copy);
}

// ---- Pieces ---------------------------------------------------------------------------------------------------------

// A piece and its two sides.
typedef struct part {
    uint64_t length[2];
    side in, out;
} part;

static part part_of(const job *job, uint64_t index) {
    const hw_permutation *p = job->p;
    const cut *cut = &job->cut;
    const uint64_t number[2] = {index / cut->count[1], index % cut->count[1]};
    uint64_t from[2];
    part part;
    for (int k = 0; k < 2; k++) {
        from[k] = number[k] * cut->length[k];
        const uint64_t left = p->n[cut->axis[k]] - from[k];
        part.length[k] = left < cut->length[k] ? left : cut->length[k];
    }
    if (cut->axis[0] == cut->axis[1]) from[1] = from[0], part.length[1] = part.length[0];
    part.in = side_of(p, p->in_stride, cut, 0, from, part.length);
    part.out = side_of(p, p->out_stride, cut, 1, from, part.length);
    return part;
}

static hw_status bring(job *job, uint64_t index, hw_diag *diag) {
    slot *slot = &job->slots[index % SLOTS];
    const part part = part_of(job, index);
    const size_t e = job->p->elem_bytes, run = part.in.run * e;
    const char *from = (const char *)job->p->in + part.in.first * e;
    size_t pitch = part.in.pitch * e;
    if (!job->is_pinned) {
        copy_rows(job->device, slot->host_in, run, from, pitch, run, part.in.runs);
        from = slot->host_in;
        pitch = run;
    }
    hw_status status = hw_copy_2d(job->streams[COME], slot->in, run, from, pitch, run, part.in.runs, diag);
    return status == HW_OK ? hw_event_record(slot->done[COME], job->streams[COME], diag) : status;
}

static hw_status turn(job *job, uint64_t index, hw_diag *diag) {
    slot *slot = &job->slots[index % SLOTS];
    const part part = part_of(job, index);
    const hw_permutation piece = piece_of(job->p, &job->cut, part.length, slot->in, slot->out);
    hw_status status = hw_event_synchronize(slot->done[COME], diag);
    if (status == HW_OK) status = hw_gpu_transpose(job->streams[TURN], &piece, diag);
    return status == HW_OK ? hw_stream_synchronize(job->streams[TURN], diag) : status;
}

static hw_status send(job *job, uint64_t index, hw_diag *diag) {
    slot *slot = &job->slots[index % SLOTS];
    const part part = part_of(job, index);
    const size_t e = job->p->elem_bytes, run = part.out.run * e;
    char *to = (char *)job->p->out + part.out.first * e;
    hw_stream *stream = job->streams[GO];
    hw_status status = job->is_pinned
                           ? hw_copy_2d(stream, to, part.out.pitch * e, slot->out, run, run, part.out.runs, diag)
                           : hw_copy(stream, slot->host_out, slot->out, run * part.out.runs, diag);
    return status == HW_OK ? hw_event_record(slot->done[GO], stream, diag) : status;
}

// The piece has gone: the slot's buffers are free again, and what is in pinned memory belongs to the array.
static hw_status finish(job *job, uint64_t index, hw_diag *diag) {
    slot *slot = &job->slots[index % SLOTS];
    hw_status status = hw_event_synchronize(slot->done[GO], diag);
    if (status != HW_OK || job->is_pinned) return status;
    const part part = part_of(job, index);
    const size_t e = job->p->elem_bytes, run = part.out.run * e;
    copy_rows(job->device, (char *)job->p->out + part.out.first * e, part.out.pitch * e, slot->host_out, run, run,
              part.out.runs);
    return HW_OK;
}

static hw_status run_pieces(job *job, hw_diag *diag) {
    const uint64_t pieces = job->cut.count[0] * job->cut.count[1];
    hw_status status = HW_OK;
    for (uint64_t i = 0; i < SLOTS && i < pieces && status == HW_OK; i++) status = bring(job, i, diag);
    for (uint64_t i = 0; i < pieces + SLOTS && status == HW_OK; i++) {
        if (i >= SLOTS && i - SLOTS < pieces) {
            status = finish(job, i - SLOTS, diag);
            if (status == HW_OK) hw_stream_report(job->caller, (double)(i - SLOTS + 1) / (double)pieces);
        }
        if (i >= pieces) continue;
        if (status == HW_OK) status = turn(job, i, diag);
        if (status == HW_OK) status = send(job, i, diag);
        if (status == HW_OK && i + SLOTS < pieces) status = bring(job, i + SLOTS, diag);
    }
    for (int k = 0; k < STAGES; k++) {   // also after a failure: the buffers are freed next
        hw_status last = hw_stream_synchronize(job->streams[k], status == HW_OK ? diag : NULL);
        if (status == HW_OK) status = last;
    }
    return status;
}

// The larger the pieces, the longer the runs; but at least 16 of them, so that little time is lost before the first and
// after the last, and never more than the device has.
static hw_status make_job(hw_device *device, const hw_permutation *p, bool is_pinned, job *job, hw_diag *diag) {
    const uint64_t least = 1 << 20, most = 1 << 30, share = p->elems * p->elem_bytes / 16;
    uint64_t free_bytes, budget = share < least ? least : share > most ? most : share;
    *job = (struct job){.p = p, .device = device, .is_pinned = is_pinned};
    hw_status status = hw_device_free_bytes(device, &free_bytes, diag);
    if (status != HW_OK) return status;
    const uint64_t room = free_bytes / 20 * 19 / (2 * SLOTS);
    if (!choose_cut(p, budget < room ? budget : room, &job->cut) && !choose_cut(p, room, &job->cut))
        return hw_diag_set(diag, HW_NO_MEMORY,
                           "hw_transpose: the device has %llu bytes to spare, too few for one piece of the array",
                           (unsigned long long)free_bytes);
    job->piece_bytes = piece_of(p, &job->cut, job->cut.length, NULL, NULL).elems * p->elem_bytes;
    return HW_OK;
}

hw_status hw_host_transpose(hw_stream *stream, const hw_permutation *p, bool is_pinned, hw_diag *diag) {
    job job;
    hw_status status = hw_stream_synchronize(stream, diag);   // what is queued may write the arrays
    if (status == HW_OK) status = make_job(hw_stream_device(stream), p, is_pinned, &job, diag);
    if (status != HW_OK) return status;
    job.caller = stream;
    status = open_job(&job, diag);
    if (status == HW_OK) status = hw_transpose_in_part(run_pieces(&job, diag), diag);
    close_job(&job);
    return status;
}

const char *hw_host_transpose_explain(hw_device *device, const hw_permutation *p, char *text, size_t text_bytes) {
    job job;
    hw_diag diag = {0};
    if (make_job(device, p, true, &job, &diag) != HW_OK) {
        snprintf(text, text_bytes, "%s\n", diag.text);
        return text;
    }
    const cut *cut = &job.cut;
    const uint64_t from[2] = {0, 0};
    const side in = side_of(p, p->in_stride, cut, 0, from, cut->length), out = side_of(p, p->out_stride, cut, 1, from, cut->length);
    const hw_permutation piece = piece_of(p, cut, cut->length, NULL, NULL);
    int used = snprintf(text, text_bytes,
                        "from this machine's memory in %llu pieces of %llu bytes: copied in runs of %llu bytes, back in runs "
                        "of %llu bytes, %d buffers each way; each piece:\n",
                        (unsigned long long)(cut->count[0] * cut->count[1]), (unsigned long long)job.piece_bytes,
                        (unsigned long long)(in.run * p->elem_bytes), (unsigned long long)(out.run * p->elem_bytes), SLOTS);
    if (used > 0 && (size_t)used < text_bytes)
        hw_gpu_transpose_explain(device, &piece, text + used, text_bytes - (size_t)used);
    return text;
}
