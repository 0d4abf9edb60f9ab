// hw_transpose, and as its limit a copy of the same bytes. Cases of the group gpu-host are arrays in this machine's
// pinned memory, transposed in pieces by a device that may allocate 2 GiB; their limit is plain copies to the device
// and from it at the same time.
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "bench.h"
#include "device/device.h"

enum { IN_PLACE = 1, IN_PIECES = 2 };         // flags of a case
enum { SHAPE = 2, AXES = 3 };                 // words of a line
enum { PIECE_BYTES = 64 << 20 };
static const unsigned long long PIECES_LIMIT = 2ull << 30;

// A case on its device.
typedef struct bench {
    const hw_bench_case *what;
    hw_device *device;
    hw_stream *stream;
    uint32_t elem_bytes;
    size_t bytes;
    void *in, *out, *host;
    bool on_host;               // in and out are in this machine's memory
    hw_stream *ways[2];         // of pieces: to the device and back, and memory there for either
    void *pieces[2];
} bench;

// ---- Cases ----------------------------------------------------------------------------------------------------------

static bool read_transpose_case(hw_bench_case *what) {
    enum { MOST_EXTENT = 1 << 30 };
    int64_t axes[HW_BENCH_RANK];
    unsigned used = 0;
    size_t bytes;
    if (what->n_words != 4 || !hw_bench_read_dtype(what->words[1], &what->dtype)) return false;
    what->rank = what->n_axes = hw_bench_read_numbers(what->words[SHAPE], MOST_EXTENT, what->shape);
    if (what->rank < 1 || hw_bench_read_numbers(what->words[AXES], what->rank - 1, axes) != what->rank) return false;
    for (int k = 0; k < what->rank; k++) {
        what->axes[k] = (int)axes[k];
        used |= 1u << axes[k];
        if (what->shape[k] == 0) return false;
    }
    if (used != (1u << what->rank) - 1 || !hw_bench_size(what->shape, what->rank, what->dtype.bits / 8, &bytes))
        return false;
    what->flags = strcmp(what->group, "inplace") == 0    ? IN_PLACE
                  : strcmp(what->group, "gpu-host") == 0 ? IN_PIECES
                                                         : 0;
    what->amount = 2 * (double)bytes;
    what->unit = "GB/s";
    what->rate_key = "gbs";
    what->unit_per_ns = 1;
    snprintf(what->name, sizeof what->name, "%.7s (%.40s) %.16s%s", what->words[1], what->words[SHAPE],
             what->words[AXES], what->flags == IN_PLACE ? " in place" : what->flags ? " on host" : "");
    return true;
}

// NULL for arrays that are larger than the device: no peer takes those.
static json_t *transpose_question(const hw_bench_case *what) {
    if (what->flags == IN_PIECES) return NULL;
    json_t *shape = json_array(), *axes = json_array();
    for (int k = 0; k < what->rank; k++) {
        json_array_append_new(shape, json_integer(what->shape[k]));
        json_array_append_new(axes, json_integer(what->axes[k]));
    }
    return json_pack("{s:s, s:o, s:o, s:b}", "dtype", what->words[1], "shape", shape, "axes", axes, "in_place",
                     what->flags == IN_PLACE);
}

static json_t *transpose_record(const hw_bench_case *what) {
    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:I}", "group", what->group, "dtype", what->words[1], "shape",
                     what->words[SHAPE], "axes", what->words[AXES], "in_place", what->flags == IN_PLACE, "bytes",
                     (json_int_t)(what->amount / 2));
}

// ---- The pattern ----------------------------------------------------------------------------------------------------

// Multiples of the golden ratio: neighbours differ in their upper bits.
static uint64_t mix_bits(uint64_t index) { return (index + 1) * 0x9e3779b97f4a7c15u; }

static void element_pattern(uint64_t index, uint32_t bytes, uint8_t element[16]) {
    uint64_t low = bytes < 8 ? mix_bits(index) >> (64 - 8 * bytes) : mix_bits(index), high = mix_bits(~index);
    memcpy(element, &low, 8);
    memcpy(element + 8, &high, 8);
}

static void fill_array(const bench *b, uint8_t *to) {
    uint8_t element[16];
    for (uint64_t i = 0; i < b->bytes / b->elem_bytes; i++, to += b->elem_bytes) {
        element_pattern(i, b->elem_bytes, element);
        memcpy(to, element, b->elem_bytes);
    }
}

// Every element of the transposed array; the first wrong one into the diag.
static hw_status verify_elements(const bench *b, const uint8_t *got, hw_bench_result *result, hw_diag *diag) {
    const hw_bench_case *what = b->what;
    int64_t strides[HW_BENCH_RANK], step = 1, place[HW_BENCH_RANK] = {0};
    for (int k = what->rank - 1; k >= 0; step *= what->shape[k--]) strides[k] = step;
    int64_t index = 0;
    for (int64_t i = 0; i < step; i++, got += b->elem_bytes) {
        uint8_t element[16];
        element_pattern((uint64_t)index, b->elem_bytes, element);
        result->wrong = memcmp(got, element, b->elem_bytes) != 0;
        if (result->wrong)
            return hw_diag_set(diag, HW_FAULT, "wrong: element %lld of the result", (long long)i);
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

static hw_status run_transpose(void *context, hw_diag *diag) {
    bench *b = context;
    const hw_bench_case *what = b->what;
    int64_t in_shape[HW_BENCH_RANK], out_shape[HW_BENCH_RANK];
    for (int k = 0; k < what->rank; k++) {
        in_shape[k] = what->shape[k];
        out_shape[k] = what->shape[what->axes[k]];
    }
    DLTensor in = {.data = b->in, .device = hw_device_get_properties(b->device)->dl, .ndim = what->rank,
                   .dtype = {kDLUInt, (uint8_t)(b->elem_bytes * 8), 1}, .shape = in_shape};
    if (what->flags == IN_PIECES) in.device = (DLDevice){kDLCUDAHost, 0};
    DLTensor out = in;
    out.shape = out_shape;
    if (what->flags != IN_PLACE) out.data = b->out;
    return hw_transpose(b->stream, &in, what->axes, &out, diag);
}

static hw_status run_transpose_copy(void *context, hw_diag *diag) {
    bench *b = context;
    return hw_bench_copy(b->device, b->out, b->in, b->bytes, diag);
}

// Copies all of in to the device, and at the same time as many bytes from the device to out.
static hw_status run_both_ways(void *context, hw_diag *diag) {
    bench *b = context;
    hw_status status = HW_OK;
    for (size_t at = 0; at < b->bytes && !status; at += PIECE_BYTES) {
        const size_t bytes = b->bytes - at < PIECE_BYTES ? b->bytes - at : PIECE_BYTES;
        status = hw_copy(b->ways[0], b->pieces[0], (const char *)b->in + at, bytes, diag);
        if (!status) status = hw_copy(b->ways[1], (char *)b->out + at, b->pieces[1], bytes, diag);
    }
    for (int k = 0; k < 2 && !status; k++) status = hw_stream_synchronize(b->ways[k], diag);
    return status;
}

// ---- One case -------------------------------------------------------------------------------------------------------

static hw_status open_pieces(bench *b, hw_diag *diag) {
    hw_status status = hw_host_alloc(b->device, b->bytes, &b->in, diag);
    if (!status) status = hw_host_alloc(b->device, b->bytes, &b->out, diag);
    for (int k = 0; k < 2 && !status; k++) {
        status = hw_stream_create(b->device, &b->ways[k], diag);
        if (!status) status = hw_device_alloc(b->device, PIECE_BYTES, &b->pieces[k], diag);
    }
    return status;
}

static hw_status open_arrays(bench *b, hw_diag *diag) {
    if (b->what->flags == IN_PIECES) return open_pieces(b, diag);
    hw_status status = hw_device_alloc(b->device, b->bytes, &b->in, diag);
    if (!status) status = hw_device_alloc(b->device, b->bytes, &b->out, diag);
    if (!status && !b->on_host && !(b->host = malloc(b->bytes))) status = hw_diag_no_memory(diag);
    return status;
}

static void close_bench(bench *b) {
    void (*give_back)(hw_device *, void *) = b->what->flags == IN_PIECES ? hw_host_free : hw_device_free;
    give_back(b->device, b->in);
    give_back(b->device, b->out);
    for (int k = 0; k < 2; k++) {
        if (b->ways[k]) hw_stream_destroy(b->ways[k]);
        hw_device_free(b->device, b->pieces[k]);
    }
    free(b->host);
}

static hw_status fill_arrays(bench *b, hw_diag *diag) {
    fill_array(b, b->on_host ? b->in : b->host);
    if (b->what->flags == IN_PIECES) {
        memset(b->out, 0xa5, b->bytes);
        return HW_OK;
    }
    hw_status status = b->on_host ? HW_OK : hw_copy(b->stream, b->in, b->host, b->bytes, diag);
    return status ? status : hw_fill(b->stream, b->out, 0xa5, b->bytes, diag);
}

static hw_status open_transpose_bench(void *context, hw_diag *diag) {
    hw_status status = open_arrays(context, diag);
    return status ? status : fill_arrays(context, diag);
}

static hw_status verify_transpose(void *context, hw_bench_result *found, hw_diag *diag) {
    const bench *b = context;
    const void *result = b->what->flags == IN_PLACE ? b->in : b->out;
    hw_status status = HW_OK;
    if (!b->on_host) status = hw_copy(b->stream, b->host, result, b->bytes, diag);
    if (!status) status = hw_stream_synchronize(b->stream, diag);
    return status ? status : verify_elements(b, b->on_host ? result : b->host, found, diag);
}

static void measure_on(hw_device *device, double seconds, hw_bench_row *row) {
    const bool in_pieces = row->what.flags == IN_PIECES;
    bench b = {.what = &row->what, .device = device, .stream = hw_device_stream(device),
               .elem_bytes = row->what.dtype.bits / 8u, .bytes = (size_t)(row->what.amount / 2),
               .on_host = in_pieces || hw_device_get_properties(device)->kind == HW_DEVICE_CPU};
    const hw_bench_job job = {.device = device, .context = &b, .open = open_transpose_bench, .run = run_transpose,
                              .limit = in_pieces ? run_both_ways : run_transpose_copy, .verify = verify_transpose};
    snprintf(row->limit.who, sizeof row->limit.who, "copy");
    row->limit_amount = row->what.amount;
    hw_bench_measure(&job, seconds, row);
    close_bench(&b);
}

static void measure_transpose(hw_device *device, double seconds, hw_bench_row *row) {
    char name[32];
    hw_device *small;
    if (row->what.flags != IN_PIECES) {
        measure_on(device, seconds, row);
        return;
    }
    snprintf(name, sizeof name, "cuda:%d", hw_device_get_properties(device)->dl.device_id);
    if (hw_cli_open_device(name, PIECES_LIMIT, &small)) {
        snprintf(row->halfwarp.problem, sizeof row->halfwarp.problem, "%s cannot be opened again", name);
        return;
    }
    measure_on(small, seconds, row);
    hw_device_close(small);
}

const hw_bench_family hw_bench_transpose = {
    .name = "transpose",
    .form = "a group, a dtype, a shape and axes such as `peers f32 8192,6000 1,0`",
    .legend = "GB/s: 10^9 bytes read and written a second, median; share: of a copy of the same bytes (on host: of "
              "pinned copies to the GPU and from it at once)",
    .read = read_transpose_case,
    .question = transpose_question,
    .record = transpose_record,
    .measure = measure_transpose,
};
