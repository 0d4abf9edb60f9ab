// Streams an array of this machine through a device in pieces. A piece is one run of in, or some long ones, so that it
// is copied at the bus's full rate. The device makes of it what will be runs of out. Where kernels reach this machine's
// memory a few blocks write these runs there themselves, since two-dimensional copies of runs that are not very long
// are slow; as many blocks as keep pace with the copies. docs/performance.md says what was measured.
#include "op/transpose/transpose_host.h"

#include <stdio.h>
#include <string.h>

#include "base/integers.h"
#include "base/text.h"
#include "op/transpose/cpu/transpose.h"
#include "op/transpose/transpose_gpu.h"
#include "op/transpose/transpose_pieces.h"
#include "op/transpose/transpose_send.h"

enum { SLOTS = 4 };            // pieces under way: one comes, one is transposed, one goes, and none waits for another
enum { FIRST_BLOCKS = 22 };    // that send, where the search for their number begins

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

// ---- The pipeline ---------------------------------------------------------------------------------------------------

// Points in the way of a piece.
typedef enum point { COMING, HERE, TURNED, GOING, GONE, POINTS } point;

typedef struct slot {
    hw_event *at[POINTS];        // the last piece's
    char *in, *out;              // on the device
    char *host_in, *host_out;    // pinned, where the arrays are not
    uint32_t blocks;             // that send the last piece
} slot;

typedef struct pipeline {
    const hw_permutation *p;
    hw_device *device;
    hw_stream *caller;           // is told how far the work has come
    hw_cut cut;
    uint64_t in_bytes, out_bytes;    // that a piece has on the device
    void *memory, *host_memory;  // of all slots
    bool is_direct;              // copies read the array in, and kernels write the array out
    uint32_t blocks;             // that send a piece
    hw_stream *come, *turn, *go;
    slot slots[SLOTS];
} pipeline;

// The device's memory comes from a pool that keeps it for the next call: to ask the driver for it and to give it back
// would take as long as some pieces do.
static hw_status open_memory(pipeline *job, hw_diag *diag) {
    const uint64_t slot_bytes = job->in_bytes + job->out_bytes;
    hw_status status = hw_stream_alloc(job->caller, SLOTS * slot_bytes, &job->memory, diag);
    if (status == HW_OK) status = hw_stream_synchronize(job->caller, diag);   // other streams may use it from here on
    if (status == HW_OK && !job->is_direct)
        status = hw_host_alloc(job->device, SLOTS * 2 * job->in_bytes, &job->host_memory, diag);
    for (int i = 0; i < SLOTS && status == HW_OK; i++) {
        slot *slot = &job->slots[i];
        slot->in = (char *)job->memory + (uint64_t)i * slot_bytes;
        slot->out = slot->in + job->in_bytes;
        if (job->is_direct) continue;
        slot->host_in = (char *)job->host_memory + (uint64_t)i * 2 * job->in_bytes;
        slot->host_out = slot->host_in + job->in_bytes;
    }
    return status;
}

static hw_status open_job(pipeline *job, hw_diag *diag) {
    hw_status status = open_memory(job, diag);
    if (status == HW_OK) status = hw_stream_create(job->device, &job->come, diag);
    if (status == HW_OK) status = hw_stream_create(job->device, &job->turn, diag);
    if (status == HW_OK) status = hw_stream_create(job->device, &job->go, diag);
    for (int i = 0; i < SLOTS * POINTS && status == HW_OK; i++)
        status = hw_event_create(job->device, &job->slots[i / POINTS].at[i % POINTS], diag);
    return status;
}

// The streams have ended.
static void close_job(pipeline *job) {
    for (int i = 0; i < SLOTS * POINTS; i++) hw_event_destroy(job->slots[i / POINTS].at[i % POINTS]);
    hw_stream_free(job->caller, job->memory);
    hw_host_free(job->device, job->host_memory);
    hw_stream_destroy(job->come);
    hw_stream_destroy(job->turn);
    hw_stream_destroy(job->go);
}

typedef struct runs_copy {
    char *to;
    const char *from;
    uint64_t run_bytes, runs, pitch_bytes;
    uint32_t n_threads;
} runs_copy;

// Each thread has an equal share of the bytes, wherever runs begin and end.
static void copy_share_of_runs(void *context, uint32_t thread) {
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
static hw_status bring_piece(pipeline *job, slot *slot, const hw_part *part, hw_diag *diag) {
    const uint64_t e = job->p->elem_bytes, run = part->run * e;
    const char *from = (const char *)job->p->in + part->in_first * e;
    if (job->is_direct)
        return hw_copy_2d(job->come, slot->in, run, from, part->pitch * e, run, part->runs, diag);
    runs_copy copy = {slot->host_in, from, run, part->runs, part->pitch * e, 0};
    hw_pool *pool = hw_device_pool(job->device, &copy.n_threads);
    hw_pool_run(pool, copy.n_threads, copy_share_of_runs, &copy);
    return hw_copy(job->come, slot->in, slot->host_in, part->elems * e, diag);
}

// What the device itself does with a piece: it puts the piece into slot->out in the order of out. Where a kernel sends
// the piece on, its runs begin at the same places in words of 16 bytes as they will in out.
static hw_permutation turned_piece(const pipeline *job, const slot *slot, const hw_part *part) {
    const hw_permutation *p = job->p;
    if (!job->is_direct) return hw_part_move(p, part, slot->in, HW_LIKE_IN, slot->out, HW_LIKE_OUT);
    return hw_part_move(p, part, slot->in, HW_LIKE_IN, hw_part_in_words(p, part, slot->out), HW_LIKE_WORDS_OF_OUT);
}

static hw_status send_piece(pipeline *job, slot *slot, const hw_part *part, const void *turned, hw_diag *diag) {
    const hw_permutation *p = job->p;
    if (!job->is_direct) return hw_copy(job->go, slot->host_out, slot->out, part->elems * p->elem_bytes, diag);
    char *to = (char *)p->out + part->out_first * p->elem_bytes;
    const hw_permutation runs = hw_part_move(p, part, turned, HW_LIKE_WORDS_OF_OUT, to, HW_IN_OUT);
    slot->blocks = job->blocks;
    return hw_send(job->go, &runs, job->blocks, slot->at[GOING], diag);
}

// Queues all that is done with a piece, in its slot, which is free.
static hw_status start_piece(pipeline *job, uint64_t index, hw_diag *diag) {
    slot *slot = &job->slots[index % SLOTS];
    const hw_part part = hw_part_of(job->p, &job->cut, index);
    const hw_permutation turned = turned_piece(job, slot, &part);
    hw_status status = hw_event_record(slot->at[COMING], job->come, diag);
    if (status == HW_OK) status = bring_piece(job, slot, &part, diag);
    if (status == HW_OK) status = hw_event_record(slot->at[HERE], job->come, diag);
    if (status == HW_OK) status = hw_stream_wait(job->turn, slot->at[HERE], diag);
    if (status == HW_OK) status = hw_gpu_transpose(job->turn, &turned, diag);
    if (status == HW_OK) status = hw_event_record(slot->at[TURNED], job->turn, diag);
    if (status == HW_OK) status = hw_stream_wait(job->go, slot->at[TURNED], diag);
    if (status == HW_OK) status = send_piece(job, slot, &part, turned.out, diag);
    return status == HW_OK ? hw_event_record(slot->at[GONE], job->go, diag) : status;
}

static hw_status keep_pace(pipeline *job, const slot *slot, hw_diag *diag) {
    double come, go;
    if (slot->blocks != job->blocks) return HW_OK;   // the number has changed since this piece was sent
    hw_status status = hw_event_elapsed_ns(slot->at[COMING], slot->at[HERE], &come, diag);
    if (status == HW_OK) status = hw_event_elapsed_ns(slot->at[GOING], slot->at[GONE], &go, diag);
    if (status != HW_OK || !(come > 0)) return status;
    job->blocks = hw_send_pace(job->blocks, come, go, hw_device_get_properties(job->device)->multiprocessors);
    return HW_OK;
}

// Waits until a piece has gone: its slot is free again, and its elements in pinned memory are copied to the array.
static hw_status finish_piece(pipeline *job, uint64_t index, hw_diag *diag) {
    const hw_permutation *p = job->p;
    slot *slot = &job->slots[index % SLOTS];
    hw_status status = hw_event_synchronize(slot->at[GONE], diag);
    if (status == HW_OK && job->is_direct) {
        status = keep_pace(job, slot, diag);
    } else if (status == HW_OK) {
        const hw_part part = hw_part_of(p, &job->cut, index);
        char *to = (char *)p->out + part.out_first * p->elem_bytes;
        const hw_permutation piece = hw_part_move(p, &part, slot->host_out, HW_LIKE_OUT, to, HW_IN_OUT);
        uint32_t n_threads;
        hw_pool *pool = hw_device_pool(job->device, &n_threads);
        status = hw_cpu_transpose(&piece, pool, n_threads, diag);
    }
    if (status == HW_OK) hw_stream_report(job->caller, (double)(index + 1) / (double)job->cut.pieces);
    return status;
}

static hw_status run_pieces(pipeline *job, hw_diag *diag) {
    const uint64_t pieces = job->cut.pieces;
    hw_status status = HW_OK;
    for (uint64_t i = 0; i < pieces + SLOTS && status == HW_OK; i++) {
        if (i >= SLOTS && i - SLOTS < pieces) status = finish_piece(job, i - SLOTS, diag);
        if (status == HW_OK && i < pieces) status = start_piece(job, i, diag);
    }
    hw_stream *const streams[] = {job->come, job->turn, job->go};
    for (int k = 0; k < 3; k++) {   // also after a failure: the buffers are freed next
        hw_status last = hw_stream_synchronize(streams[k], status == HW_OK ? diag : NULL);
        if (status == HW_OK) status = last;
    }
    return status;
}

// Pieces are small, so that little time is lost before the first has arrived and after the last has left, but large
// enough that starting a copy does not count. The words around short runs may take several times the memory of the
// elements, but a piece never takes more than two of the largest.
static hw_status make_job(hw_device *device, const hw_permutation *p, bool is_direct, pipeline *job, hw_diag *diag) {
    const uint64_t least = 1 << 20, most = 64 << 20, share = p->elems * p->elem_bytes / 64;
    const uint64_t wanted = share < least ? least : share > most ? most : share;
    enum { ALIGNMENT = 256 };   // of pieces on the device
    uint64_t free_bytes;
    *job = (struct pipeline){.p = p, .device = device, .is_direct = is_direct, .blocks = FIRST_BLOCKS};
    hw_status status = hw_device_free_bytes(device, &free_bytes, diag);
    if (status != HW_OK) return status;
    const uint64_t room = hw_least(free_bytes / 20 * 19 / SLOTS, 2 * HW_SEND_BYTES_MOST);
    uint64_t bytes_most = room / 2;
    for (; hw_cut_choose(p, wanted, bytes_most, &job->cut); bytes_most /= 2) {
        const hw_part first = hw_part_of(p, &job->cut, 0);
        job->in_bytes = hw_align_up(first.elems * p->elem_bytes, ALIGNMENT);
        job->out_bytes = is_direct ? hw_align_up(hw_part_words_bytes(p, &first), ALIGNMENT) : job->in_bytes;
        if (job->in_bytes + job->out_bytes <= room) return HW_OK;
    }
    return hw_diag_set(diag, HW_NO_MEMORY,
                       "hw_transpose: the device has %llu bytes to spare, too few for one piece of the array",
                       (unsigned long long)free_bytes);
}

// Kernels before 2.0 take too few bytes of parameters for arrays of many axes.
static bool is_direct(hw_device *device, const hw_permutation *p, bool is_pinned) {
    const hw_device_properties *properties = hw_device_get_properties(device);
    if (!is_pinned || properties->cc < 20) return false;
    return p->out ? hw_device_reaches(device, p->out) : properties->kind != HW_DEVICE_CPU;
}

hw_status hw_host_transpose(hw_stream *stream, const hw_permutation *p, bool is_pinned, hw_diag *diag) {
    pipeline job;
    hw_device *device = hw_stream_device(stream);
    hw_status status = hw_stream_synchronize(stream, diag);   // what is queued may write the arrays
    if (status == HW_OK) status = make_job(device, p, is_direct(device, p, is_pinned), &job, diag);
    if (status != HW_OK) return status;
    job.caller = stream;
    status = open_job(&job, diag);
    if (status == HW_OK) status = hw_transpose_in_part(run_pieces(&job, diag), diag);
    close_job(&job);
    return status;
}

const char *hw_host_transpose_explain(hw_device *device, const hw_permutation *p, bool is_pinned, char *text,
                                      size_t text_bytes) {
    pipeline job;
    hw_diag diag = {0};
    if (make_job(device, p, is_direct(device, p, is_pinned), &job, &diag) != HW_OK) {
        snprintf(text, text_bytes, "%s\n", diag.text);
        return text;
    }
    const hw_part part = hw_part_of(p, &job.cut, 0);
    const hw_permutation piece = turned_piece(&job, &job.slots[0], &part);
    const uint64_t bytes = part.elems * p->elem_bytes;
    int used = snprintf(text, text_bytes,
                        "from this machine's memory in %llu piece%s of %llu byte%s, %d at a time; %s; each piece:\n",
                        (unsigned long long)job.cut.pieces, hw_text_plural(job.cut.pieces),
                        (unsigned long long)bytes, hw_text_plural(bytes), SLOTS,
                        job.is_direct ? "transpose/97_send.cu writes the results" : "copied through pinned memory");
    if (used > 0 && (size_t)used < text_bytes)
        hw_gpu_transpose_explain(device, &piece, text + used, text_bytes - (size_t)used);
    return text;
}
