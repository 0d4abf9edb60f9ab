// Streams an array through a device in pieces. A piece is the array cut along one axis: on either side it is a number of
// equal runs at equal distances, which is what a two-dimensional copy moves.
#include "op/transpose_host.h"

#include <stdio.h>
#include <string.h>

#include "op/transpose_gpu.h"

enum { SLOTS = 3 };   // pieces under way: one comes, one is turned, one goes

// One side of a piece of `pieces` elements along the cut axis.
typedef struct side {
    uint64_t rows;              // runs
    uint64_t elems_per_step;    // elements of a run for each element along the cut axis
    uint64_t pitch_elems;       // from run to run in the whole array
} side;

typedef struct cut {
    uint32_t axis;
    uint64_t length, pieces;    // elements of the axis in a piece (fewer in the last)
    side in, out;
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

static side side_of(const hw_permutation *p, const int64_t *stride, uint32_t axis) {
    uint64_t run = (uint64_t)stride[axis] * p->n[axis];
    return (side){.rows = p->elems / run, .elems_per_step = (uint64_t)stride[axis], .pitch_elems = run};
}

static uint64_t shorter_run(const hw_permutation *p, uint32_t axis, uint64_t length) {
    uint64_t in = (uint64_t)p->in_stride[axis], out = (uint64_t)p->out_stride[axis];
    return length * (in < out ? in : out);
}

// The axis whose pieces have the longest runs on both sides, in pieces of at most `budget` bytes.
static bool choose_cut(const hw_permutation *p, uint64_t budget, cut *best) {
    uint64_t best_run = 0;
    for (uint32_t axis = 0; axis < p->rank; axis++) {
        uint64_t slice = p->elems / p->n[axis] * p->elem_bytes, length = budget / slice;
        if (length == 0) continue;
        if (length > p->n[axis]) length = p->n[axis];
        uint64_t pieces = (p->n[axis] + length - 1) / length;
        length = (p->n[axis] + pieces - 1) / pieces;
        uint64_t run = shorter_run(p, axis, length);
        if (run <= best_run) continue;
        best_run = run;
        *best = (cut){.axis = axis, .length = length, .pieces = (p->n[axis] + length - 1) / length,
                      .in = side_of(p, p->in_stride, axis), .out = side_of(p, p->out_stride, axis)};
    }
    return best_run > 0;
}

// Strides of a piece that lies densely, in the same order of axes.
static void dense_strides(const hw_permutation *p, const int64_t *stride, uint32_t axis, uint64_t length, int64_t *out) {
    for (uint32_t i = 0; i < p->rank; i++)
        out[i] = stride[i] > stride[axis] ? stride[i] / (int64_t)p->n[axis] * (int64_t)length : stride[i];
}

// ---- Slots ----------------------------------------------------------------------------------------------------------

typedef struct slot {
    hw_stream *stream;
    void *in, *out;              // on the device
    void *host_in, *host_out;    // pinned, where the arrays are not
    uint64_t first, length;      // the piece under way; 0: none
} slot;

typedef struct job {
    const hw_permutation *p;
    hw_device *device;
    cut cut;
    uint64_t piece_bytes;
    bool is_pinned;
    slot slots[SLOTS];
} job;

static hw_status open_slots(job *job, hw_diag *diag) {
    for (int i = 0; i < SLOTS; i++) {
        slot *slot = &job->slots[i];
        hw_status status = hw_stream_create(job->device, &slot->stream, diag);
        if (status == HW_OK) status = hw_device_alloc(job->device, job->piece_bytes, &slot->in, diag);
        if (status == HW_OK) status = hw_device_alloc(job->device, job->piece_bytes, &slot->out, diag);
        if (status == HW_OK && !job->is_pinned) status = hw_host_alloc(job->device, job->piece_bytes, &slot->host_in, diag);
        if (status == HW_OK && !job->is_pinned) status = hw_host_alloc(job->device, job->piece_bytes, &slot->host_out, diag);
        if (status != HW_OK) return status;
    }
    return HW_OK;
}

static void close_slots(job *job) {
    for (int i = 0; i < SLOTS; i++) {
        slot *slot = &job->slots[i];
        hw_stream_destroy(slot->stream);
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

static size_t row_bytes(const job *job, const side *side, uint64_t length) {
    return length * side->elems_per_step * job->p->elem_bytes;
}

static size_t pitch_bytes(const job *job, const side *side) {
    return side->pitch_elems * job->p->elem_bytes;
}

static hw_status turn_piece(job *job, slot *slot, hw_diag *diag) {
    hw_permutation piece = *job->p;
    piece.n[job->cut.axis] = slot->length;
    piece.elems = job->p->elems / job->p->n[job->cut.axis] * slot->length;
    dense_strides(job->p, job->p->in_stride, job->cut.axis, slot->length, piece.in_stride);
    dense_strides(job->p, job->p->out_stride, job->cut.axis, slot->length, piece.out_stride);
    piece.in = slot->in;
    piece.out = slot->out;
    piece.in_place = false;
    hw_permutation_merge(&piece);
    return hw_gpu_transpose(slot->stream, &piece, diag);
}

// Queues a piece: to the device, turned, back.
static hw_status begin_piece(job *job, slot *slot, uint64_t first, hw_diag *diag) {
    const cut *cut = &job->cut;
    const uint64_t left = job->p->n[cut->axis] - first;
    slot->first = first;
    slot->length = left < cut->length ? left : cut->length;
    const size_t in_row = row_bytes(job, &cut->in, slot->length), out_row = row_bytes(job, &cut->out, slot->length);
    const char *from = (const char *)job->p->in + row_bytes(job, &cut->in, first);
    size_t from_pitch = pitch_bytes(job, &cut->in);
    if (!job->is_pinned) {
        copy_rows(job->device, slot->host_in, in_row, from, from_pitch, in_row, cut->in.rows);
        from = slot->host_in;
        from_pitch = in_row;
    }
    hw_status status = hw_copy_2d(slot->stream, slot->in, in_row, from, from_pitch, in_row, cut->in.rows, diag);
    if (status == HW_OK) status = turn_piece(job, slot, diag);
    if (status != HW_OK) return status;
    char *to = job->is_pinned ? (char *)job->p->out + row_bytes(job, &cut->out, first) : slot->host_out;
    size_t to_pitch = job->is_pinned ? pitch_bytes(job, &cut->out) : out_row;
    return hw_copy_2d(slot->stream, to, to_pitch, slot->out, out_row, out_row, cut->out.rows, diag);
}

static hw_status finish_piece(job *job, slot *slot, hw_diag *diag) {
    if (!slot->length) return HW_OK;
    hw_status status = hw_stream_synchronize(slot->stream, diag);
    if (status == HW_OK && !job->is_pinned) {
        const size_t out_row = row_bytes(job, &job->cut.out, slot->length);
        char *to = (char *)job->p->out + row_bytes(job, &job->cut.out, slot->first);
        copy_rows(job->device, to, pitch_bytes(job, &job->cut.out), slot->host_out, out_row, out_row, job->cut.out.rows);
    }
    slot->length = 0;
    return status;
}

static hw_status run_pieces(job *job, hw_diag *diag) {
    for (uint64_t i = 0; i < job->cut.pieces + SLOTS; i++) {
        slot *slot = &job->slots[i % SLOTS];
        hw_status status = finish_piece(job, slot, diag);
        if (status == HW_OK && i < job->cut.pieces) status = begin_piece(job, slot, i * job->cut.length, diag);
        if (status != HW_OK) return status;
    }
    return HW_OK;
}

// Pieces of 64 MiB keep copies at full speed; smaller ones where memory is short, or the array is small.
static hw_status make_job(hw_device *device, const hw_permutation *p, bool is_pinned, job *job, hw_diag *diag) {
    enum { PIECE = 64 << 20, LEAST_PIECES = 8 };
    uint64_t free_bytes, bytes = p->elems * p->elem_bytes, budget = PIECE;
    *job = (struct job){.p = p, .device = device, .is_pinned = is_pinned};
    hw_status status = hw_device_free_bytes(device, &free_bytes, diag);
    if (status != HW_OK) return status;
    // Long runs matter more than small pieces: matrices of 10^5 columns still have runs of 4 KiB.
    uint64_t most = free_bytes / 10 * 9 / (2 * SLOTS);
    if (bytes / LEAST_PIECES < budget && bytes > (16u << 20)) budget = bytes / LEAST_PIECES;
    for (;; budget *= 2) {
        if (budget > most) budget = most;
        bool found = choose_cut(p, budget, &job->cut);
        bool is_long = found && shorter_run(p, job->cut.axis, job->cut.length) * p->elem_bytes >= 4096;
        if (is_long || (found && job->cut.pieces == 1) || budget == most) {
            if (!found)
                return hw_diag_set(diag, HW_NO_MEMORY,
                                   "hw_transpose: the device has %llu bytes to spare, too few for one piece of the array",
                                   (unsigned long long)free_bytes);
            break;
        }
    }
    job->piece_bytes = p->elems / p->n[job->cut.axis] * job->cut.length * p->elem_bytes;
    return HW_OK;
}

hw_status hw_host_transpose(hw_stream *stream, const hw_permutation *p, bool is_pinned, hw_diag *diag) {
    job job;
    hw_status status = hw_stream_synchronize(stream, diag);   // what is queued may write the arrays
    if (status == HW_OK) status = make_job(hw_stream_device(stream), p, is_pinned, &job, diag);
    if (status != HW_OK) return status;
    status = open_slots(&job, diag);
    if (status == HW_OK) status = run_pieces(&job, diag);
    close_slots(&job);
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
    hw_permutation piece = *p;
    piece.n[cut->axis] = cut->length;
    piece.elems = p->elems / p->n[cut->axis] * cut->length;
    dense_strides(p, p->in_stride, cut->axis, cut->length, piece.in_stride);
    dense_strides(p, p->out_stride, cut->axis, cut->length, piece.out_stride);
    hw_permutation_merge(&piece);
    int used = snprintf(text, text_bytes,
                        "from this machine's memory in %llu pieces of %llu bytes, %llu of axis %u each: copied in runs of "
                        "%zu bytes, back in runs of %zu bytes, %d pieces under way at a time; each piece:\n",
                        (unsigned long long)cut->pieces, (unsigned long long)job.piece_bytes,
                        (unsigned long long)cut->length, cut->axis, row_bytes(&job, &cut->in, cut->length),
                        row_bytes(&job, &cut->out, cut->length), SLOTS);
    if (used > 0 && (size_t)used < text_bytes)
        hw_gpu_transpose_explain(device, &piece, text + used, text_bytes - (size_t)used);
    return text;
}
