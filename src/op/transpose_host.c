// Streams an array of this machine through a device in pieces. A piece is one run of in, or a few long ones, so that it
// is copied at the bus's full rate. What kernels make of it they write to this machine themselves where they reach its
// memory: a few blocks, which keep the bus busy and leave room for the next piece's copy. An H200 moved 47 GB/s each
// way so, where plain copies both ways at once reach 51, and two-dimensional copies of the results 40 to 43
// (docs/performance.md).
#include "op/transpose_host.h"

#include <stdio.h>
#include <string.h>

#include "op/cpu/transpose.h"
#include "op/page.h"
#include "op/transpose_gpu.h"

enum { SLOTS = 4 };   // pieces under way: one comes, one goes, and neither waits for the other

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

// ---- Pieces ---------------------------------------------------------------------------------------------------------

// Of an axis pieces take `length` steps; of `count` pieces the last may take fewer.
typedef struct range {
    uint64_t length, count;
} range;

// A piece is a range of one axis with all of the axes that are faster in in, at one place along each slower axis: a run
// of in. But of the axis that is fastest in out it takes a range too where that is a slower one, since single elements
// would be scattered over out otherwise: some runs at equal distances then, which are still long.
typedef struct cut {
    uint32_t order[HW_MAX_RANK];     // axes by their stride in in, the slowest first
    uint32_t depth, far;             // the last axis with a range, and the one that is fastest in out, in this order
    range ranges[HW_MAX_RANK];       // of the axes in this order, up to depth
    uint64_t pieces;
} cut;

static void sort_axes(const hw_permutation *p, uint32_t order[HW_MAX_RANK]) {
    for (uint32_t i = 0; i < p->rank; i++) {
        uint32_t at = i;
        for (; at > 0 && p->in_stride[order[at - 1]] < p->in_stride[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
}

// Ranges that are nearly alike; long ones begin at multiples of 32 elements, so that lanes move whole words.
static range divide(uint64_t n, uint64_t length) {
    enum { UNIT = 32 };
    if (length > n) length = n;
    range range = {length, (n + length - 1) / length};
    range.length = (n + range.count - 1) / range.count;
    if (range.count > 1 && length >= 4 * UNIT) {
        uint64_t up = (range.length + UNIT - 1) / UNIT * UNIT;
        range.length = up <= length ? up : length / UNIT * UNIT;
    }
    range.count = (n + range.length - 1) / range.length;
    return range;
}

// Pieces of about `wanted` bytes, larger where runs of out would be shorter than 2 KiB, and never above `most`. False
// when one element is too large.
static bool choose_cut(const hw_permutation *p, uint64_t wanted, uint64_t most, cut *cut) {
    enum { RUN_BYTES = 2048 };
    uint64_t taken = 1;   // of the slower axes
    *cut = (struct cut){.pieces = 1};
    sort_axes(p, cut->order);
    while (cut->far + 1 < p->rank && p->out_stride[cut->order[cut->far]] != 1) cut->far++;
    for (uint32_t d = 0; d < p->rank; d++) {
        const uint64_t n = p->n[cut->order[d]], step = taken * (uint64_t)p->in_stride[cut->order[d]] * p->elem_bytes;
        uint64_t least = 1, length = wanted / step;
        if (d == cut->far && d + 1 < p->rank) least = n < RUN_BYTES / p->elem_bytes ? n : RUN_BYTES / p->elem_bytes;
        if (length < least) length = least;
        if (length > most / step) length = most / step;
        const bool fits = length >= least;
        if (!fits) length = least < most / p->elem_bytes ? least : most / p->elem_bytes;
        if (length == 0) return false;
        cut->depth = d;
        cut->ranges[d] = divide(n, length);
        cut->pieces *= cut->ranges[d].count;
        if (fits) return true;
        taken *= cut->ranges[d].length;
    }
    return false;
}

// One piece: where it begins, how far it reaches, and the runs of in that it is, in elements.
typedef struct part {
    uint64_t n[HW_MAX_RANK], elems;
    uint64_t in_first, out_first;
    uint64_t run, runs, pitch;
} part;

static part part_of(const hw_permutation *p, const cut *cut, uint64_t index) {
    part part = {.elems = 1, .runs = 1};
    memcpy(part.n, p->n, sizeof part.n);
    for (uint32_t d = cut->depth + 1; d-- > 0;) {
        const uint32_t axis = cut->order[d];
        const range *range = &cut->ranges[d];
        const uint64_t from = index % range->count * range->length, left = p->n[axis] - from;
        index /= range->count;
        part.n[axis] = left < range->length ? left : range->length;
        part.in_first += from * (uint64_t)p->in_stride[axis];
        part.out_first += from * (uint64_t)p->out_stride[axis];
    }
    for (uint32_t i = 0; i < p->rank; i++) part.elems *= part.n[i];
    if (cut->far < cut->depth) part.runs = part.n[cut->order[cut->far]];
    part.run = part.elems / part.runs;
    part.pitch = part.runs > 1 ? (uint64_t)p->in_stride[cut->order[cut->far]] : part.run;
    return part;
}

// The strides of an array of these extents that lies densely, its axes in the order that `stride` gives.
static void dense_strides(const hw_permutation *p, const int64_t *stride, const uint64_t *n, int64_t *out) {
    for (uint32_t i = 0; i < p->rank; i++) {
        out[i] = 1;
        for (uint32_t k = 0; k < p->rank; k++)
            if (stride[k] < stride[i]) out[i] *= (int64_t)n[k];
    }
}

// How a piece lies somewhere: densely, its axes in the order of in or of out, or in the array out.
typedef enum layout { LIKE_IN, LIKE_OUT, IN_OUT } layout;

static void layout_strides(const hw_permutation *p, const part *part, layout layout, int64_t *strides) {
    if (layout == IN_OUT) memcpy(strides, p->out_stride, sizeof p->out_stride);
    else dense_strides(p, layout == LIKE_IN ? p->in_stride : p->out_stride, part->n, strides);
}

// The piece from one place to another.
static hw_permutation piece_of(const hw_permutation *p, const part *part, const void *in, layout from, void *out,
                               layout to) {
    hw_permutation piece = *p;
    memcpy(piece.n, part->n, sizeof piece.n);
    piece.elems = part->elems;
    layout_strides(p, part, from, piece.in_stride);
    layout_strides(p, part, to, piece.out_stride);
    piece.in = in;
    piece.out = out;
    piece.in_place = false;
    hw_permutation_merge(&piece);
    return piece;
}

// ---- The pipeline ---------------------------------------------------------------------------------------------------

typedef struct slot {
    hw_event *come, *gone;       // the last piece's
    void *in;                    // on the device
    void *out;                   // on the device, where kernels do not reach the array
    void *host_in, *host_out;    // pinned, likewise
} slot;

typedef struct job {
    const hw_permutation *p;
    hw_device *device;
    hw_stream *caller;           // is told how far the work has come
    cut cut;
    uint64_t piece_bytes;
    bool is_direct;              // kernels read what copies bring from the array, and write the array
    hw_stream *come, *go;
    slot slots[SLOTS];
} job;

static hw_status open_slot(job *job, slot *slot, hw_diag *diag) {
    hw_status status = hw_event_create(job->device, &slot->come, diag);
    if (status == HW_OK) status = hw_event_create(job->device, &slot->gone, diag);
    if (status == HW_OK) status = hw_device_alloc(job->device, job->piece_bytes, &slot->in, diag);
    if (status != HW_OK || job->is_direct) return status;
    status = hw_device_alloc(job->device, job->piece_bytes, &slot->out, diag);
    if (status == HW_OK) status = hw_host_alloc(job->device, job->piece_bytes, &slot->host_in, diag);
    if (status == HW_OK) status = hw_host_alloc(job->device, job->piece_bytes, &slot->host_out, diag);
    return status;
}

static hw_status open_job(job *job, hw_diag *diag) {
    hw_status status = hw_stream_create(job->device, &job->come, diag);
    if (status == HW_OK) status = hw_stream_create(job->device, &job->go, diag);
    for (int i = 0; i < SLOTS && status == HW_OK; i++) status = open_slot(job, &job->slots[i], diag);
    return status;
}

// Both streams have ended.
static void close_job(job *job) {
    for (int i = 0; i < SLOTS; i++) {
        slot *slot = &job->slots[i];
        hw_event_destroy(slot->come);
        hw_event_destroy(slot->gone);
        hw_device_free(job->device, slot->in);
        hw_device_free(job->device, slot->out);
        hw_host_free(job->device, slot->host_in);
        hw_host_free(job->device, slot->host_out);
    }
    hw_stream_destroy(job->come);
    hw_stream_destroy(job->go);
}

typedef struct runs_copy {
    char *to;
    const char *from;
    uint64_t run_bytes, runs, pitch_bytes;
    uint32_t n_threads;
} runs_copy;

// Each thread has an equal share of the bytes, wherever runs begin and end.
static void copy_share(void *context, uint32_t thread) {
    const runs_copy *copy = context;
    const uint64_t total = copy->run_bytes * copy->runs, end = total * (thread + 1) / copy->n_threads;
    for (uint64_t at = total * thread / copy->n_threads; at < end;) {
        const uint64_t run = at / copy->run_bytes, within = at % copy->run_bytes;
        uint64_t bytes = copy->run_bytes - within;
        if (bytes > end - at) bytes = end - at;
        memcpy(copy->to + at, copy->from + run * copy->pitch_bytes + within, bytes);
        at += bytes;
    }
}

// Copies the piece to the device, through pinned memory where the array is not.
static hw_status bring(job *job, slot *slot, const part *part, hw_diag *diag) {
    const uint64_t e = job->p->elem_bytes, run = part->run * e;
    const char *from = (const char *)job->p->in + part->in_first * e;
    if (job->is_direct)
        return hw_copy_2d(job->come, slot->in, run, from, part->pitch * e, run, part->runs, diag);
    runs_copy copy = {slot->host_in, from, run, part->runs, part->pitch * e, 0};
    hw_pool *pool = hw_device_pool(job->device, &copy.n_threads);
    hw_pool_run(pool, copy.n_threads, copy_share, &copy);
    return hw_copy(job->come, slot->in, slot->host_in, part->elems * e, diag);
}

static hw_status send(job *job, slot *slot, const part *part, hw_diag *diag) {
    const hw_permutation *p = job->p;
    if (job->is_direct) {
        char *to = (char *)p->out + part->out_first * p->elem_bytes;
        const hw_permutation piece = piece_of(p, part, slot->in, LIKE_IN, to, IN_OUT);
        return hw_gpu_transpose_to_host(job->go, &piece, diag);
    }
    const hw_permutation piece = piece_of(p, part, slot->in, LIKE_IN, slot->out, LIKE_OUT);
    hw_status status = hw_gpu_transpose(job->go, &piece, diag);
    return status ? status : hw_copy(job->go, slot->host_out, slot->out, part->elems * p->elem_bytes, diag);
}

// Queues all that is done with a piece. Its slot is free.
static hw_status start(job *job, uint64_t index, hw_diag *diag) {
    slot *slot = &job->slots[index % SLOTS];
    const part part = part_of(job->p, &job->cut, index);
    hw_status status = bring(job, slot, &part, diag);
    if (status == HW_OK) status = hw_event_record(slot->come, job->come, diag);
    if (status == HW_OK) status = hw_stream_wait(job->go, slot->come, diag);
    if (status == HW_OK) status = send(job, slot, &part, diag);
    return status == HW_OK ? hw_event_record(slot->gone, job->go, diag) : status;
}

// Waits for a piece: its slot is free again, and what lies in pinned memory belongs to the array.
static hw_status finish(job *job, uint64_t index, hw_diag *diag) {
    const hw_permutation *p = job->p;
    slot *slot = &job->slots[index % SLOTS];
    hw_status status = hw_event_synchronize(slot->gone, diag);
    if (status == HW_OK && !job->is_direct) {
        const part part = part_of(p, &job->cut, index);
        char *to = (char *)p->out + part.out_first * p->elem_bytes;
        const hw_permutation piece = piece_of(p, &part, slot->host_out, LIKE_OUT, to, IN_OUT);
        uint32_t n_threads;
        hw_pool *pool = hw_device_pool(job->device, &n_threads);
        status = hw_cpu_transpose(&piece, pool, n_threads, diag);
    }
    if (status == HW_OK) hw_stream_report(job->caller, (double)(index + 1) / (double)job->cut.pieces);
    return status;
}

static hw_status run_pieces(job *job, hw_diag *diag) {
    const uint64_t pieces = job->cut.pieces;
    hw_status status = HW_OK;
    for (uint64_t i = 0; i < pieces + SLOTS && status == HW_OK; i++) {
        if (i >= SLOTS && i - SLOTS < pieces) status = finish(job, i - SLOTS, diag);
        if (status == HW_OK && i < pieces) status = start(job, i, diag);
    }
    hw_stream *const streams[] = {job->come, job->go};
    for (int k = 0; k < 2; k++) {   // also after a failure: the buffers are freed next
        hw_status last = hw_stream_synchronize(streams[k], status == HW_OK ? diag : NULL);
        if (status == HW_OK) status = last;
    }
    return status;
}

// Small pieces, so that little time is lost before the first has come and after the last has; but not so small that
// starting a copy counts.
static hw_status make_job(hw_device *device, const hw_permutation *p, bool is_direct, job *job, hw_diag *diag) {
    const uint64_t least = 1 << 20, most = 64 << 20, share = p->elems * p->elem_bytes / 64;
    uint64_t free_bytes;
    *job = (struct job){.p = p, .device = device, .is_direct = is_direct};
    hw_status status = hw_device_free_bytes(device, &free_bytes, diag);
    if (status != HW_OK) return status;
    const uint64_t room = free_bytes / 20 * 19 / ((is_direct ? 1 : 2) * SLOTS);
    if (!choose_cut(p, share < least ? least : share > most ? most : share, room, &job->cut))
        return hw_diag_set(diag, HW_NO_MEMORY,
                           "hw_transpose: the device has %llu bytes to spare, too few for one piece of the array",
                           (unsigned long long)free_bytes);
    job->piece_bytes = part_of(p, &job->cut, 0).elems * p->elem_bytes;
    return HW_OK;
}

hw_status hw_host_transpose(hw_stream *stream, const hw_permutation *p, bool is_pinned, hw_diag *diag) {
    job job;
    hw_device *device = hw_stream_device(stream);
    hw_status status = hw_stream_synchronize(stream, diag);   // what is queued may write the arrays
    if (status == HW_OK) status = make_job(device, p, is_pinned && hw_device_reaches(device, p->out), &job, diag);
    if (status != HW_OK) return status;
    job.caller = stream;
    status = open_job(&job, diag);
    if (status == HW_OK) status = hw_transpose_in_part(run_pieces(&job, diag), diag);
    close_job(&job);
    return status;
}

const char *hw_host_transpose_explain(hw_device *device, const hw_permutation *p, bool is_pinned, char *text,
                                      size_t text_bytes) {
    job job;
    hw_diag diag = {0};
    const bool is_direct = is_pinned && hw_device_get_properties(device)->kind == HW_DEVICE_CUDA;
    if (make_job(device, p, is_direct, &job, &diag) != HW_OK) {
        snprintf(text, text_bytes, "%s\n", diag.text);
        return text;
    }
    const part part = part_of(p, &job.cut, 0);
    const hw_permutation piece = piece_of(p, &part, NULL, LIKE_IN, NULL, is_direct ? IN_OUT : LIKE_OUT);
    int used = snprintf(text, text_bytes,
                        "from this machine's memory in %llu piece%s of %llu byte%s, %d at a time; %s; each piece:\n",
                        (unsigned long long)job.cut.pieces, hw_page_plural(job.cut.pieces),
                        (unsigned long long)job.piece_bytes, hw_page_plural(job.piece_bytes), SLOTS,
                        is_direct ? "kernels write the result here" : "copied through pinned memory");
    if (used > 0 && (size_t)used < text_bytes)
        hw_gpu_transpose_explain(device, &piece, is_direct, text + used, text_bytes - (size_t)used);
    return text;
}
