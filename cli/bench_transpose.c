// hw_transpose, and as its limit a copy of the same bytes.
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "bench.h"
#include "device/device.h"

enum { IN_PLACE = 1, SHAPE = 2, AXES = 3 };   // the last two: words of a line

// A case on its device.
typedef struct bench {
    const hw_bench_case *what;
    hw_device *device;
    hw_stream *stream;
    uint32_t elem_bytes;
    size_t bytes;
    void *in, *out, *host;
    bool on_host;   // the device's memory is this machine's
    hw_diag diag;
} bench;

// ---- Cases ----------------------------------------------------------------------------------------------------------

static bool read_case(hw_bench_case *what) {
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
    what->flags = strcmp(what->group, "inplace") == 0 ? IN_PLACE : 0;
    what->amount = 2 * (double)bytes;
    what->unit = "GB/s";
    what->rate_key = "gbs";
    what->unit_per_ns = 1;
    snprintf(what->name, sizeof what->name, "%.7s (%.40s) %.16s%s", what->words[1], what->words[SHAPE],
             what->words[AXES], what->flags ? " in place" : "");
    return true;
}

static json_t *question(const hw_bench_case *what) {
    json_t *shape = json_array(), *axes = json_array();
    for (int k = 0; k < what->rank; k++) {
        json_array_append_new(shape, json_integer(what->shape[k]));
        json_array_append_new(axes, json_integer(what->axes[k]));
    }
    return json_pack("{s:s, s:o, s:o, s:b}", "dtype", what->words[1], "shape", shape, "axes", axes, "in_place",
                     what->flags);
}

static json_t *record(const hw_bench_case *what) {
    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:I}", "group", what->group, "dtype", what->words[1], "shape",
                     what->words[SHAPE], "axes", what->words[AXES], "in_place", what->flags, "bytes",
                     (json_int_t)(what->amount / 2));
}

// ---- The pattern ----------------------------------------------------------------------------------------------------

// Multiples of the golden ratio: neighbours differ in their upper bits.
static uint64_t mix(uint64_t index) { return (index + 1) * 0x9e3779b97f4a7c15u; }

static void pattern(uint64_t index, uint32_t bytes, uint8_t element[16]) {
    uint64_t low = bytes < 8 ? mix(index) >> (64 - 8 * bytes) : mix(index), high = mix(~index);
    memcpy(element, &low, 8);
    memcpy(element + 8, &high, 8);
}

static void fill(const bench *b, uint8_t *to) {
    uint8_t element[16];
    for (uint64_t i = 0; i < b->bytes / b->elem_bytes; i++, to += b->elem_bytes) {
        pattern(i, b->elem_bytes, element);
        memcpy(to, element, b->elem_bytes);
    }
}

// Every element of the transposed array; the first wrong one into the diag.
static hw_status verify(bench *b, const uint8_t *got) {
    const hw_bench_case *what = b->what;
    int64_t strides[HW_BENCH_RANK], step = 1, place[HW_BENCH_RANK] = {0};
    for (int k = what->rank - 1; k >= 0; step *= what->shape[k--]) strides[k] = step;
    int64_t index = 0;
    for (int64_t i = 0; i < step; i++, got += b->elem_bytes) {
        uint8_t element[16];
        pattern((uint64_t)index, b->elem_bytes, element);
        if (memcmp(got, element, b->elem_bytes) != 0)
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
    DLTensor out = in;
    out.shape = out_shape;
    if (!what->flags) out.data = b->out;
    return hw_transpose(b->stream, &in, what->axes, &out, diag);
}

static hw_status run_copy(void *context, hw_diag *diag) {
    bench *b = context;
    return hw_bench_copy(b->device, b->out, b->in, b->bytes, diag);
}

// ---- One case -------------------------------------------------------------------------------------------------------

static hw_status open_bench(bench *b) {
    hw_status status = hw_device_alloc(b->device, b->bytes, &b->in, &b->diag);
    if (!status) status = hw_device_alloc(b->device, b->bytes, &b->out, &b->diag);
    if (!status && !b->on_host && !(b->host = malloc(b->bytes))) status = hw_diag_no_memory(&b->diag);
    return status;
}

static hw_status fill_arrays(bench *b) {
    fill(b, b->on_host ? b->in : b->host);
    hw_status status = b->on_host ? HW_OK : hw_copy(b->stream, b->in, b->host, b->bytes, &b->diag);
    return status ? status : hw_fill(b->stream, b->out, 0xa5, b->bytes, &b->diag);
}

static hw_status verify_result(bench *b) {
    const void *result = b->what->flags ? b->in : b->out;
    hw_status status = HW_OK;
    if (!b->on_host) status = hw_copy(b->stream, b->host, result, b->bytes, &b->diag);
    if (!status) status = hw_stream_synchronize(b->stream, &b->diag);
    return status ? status : verify(b, b->on_host ? result : b->host);
}

static void measure(hw_device *device, double seconds, hw_bench_row *row) {
    bench b = {.what = &row->what, .device = device, .stream = hw_device_stream(device),
               .elem_bytes = row->what.dtype.bits / 8u, .bytes = (size_t)(row->what.amount / 2),
               .on_host = hw_device_get_properties(device)->kind == HW_DEVICE_CPU};
    const hw_bench_job job = {.device = device, .context = &b, .run = run_transpose, .limit = run_copy};
    snprintf(row->limit.who, sizeof row->limit.who, "copy");
    row->limit_amount = row->what.amount;
    hw_status status = open_bench(&b);
    if (!status) status = fill_arrays(&b);
    if (!status) status = run_transpose(&b, &b.diag);
    if (!status) status = verify_result(&b);
    row->halfwarp.wrong = strncmp(b.diag.text, "wrong", 5) == 0;
    if (!status) status = hw_bench_measure(&job, seconds, row, &b.diag);
    if (status) snprintf(row->halfwarp.problem, sizeof row->halfwarp.problem, "%.199s", b.diag.text);
    hw_device_free(device, b.in);
    hw_device_free(device, b.out);
    free(b.host);
}

const hw_bench_family hw_bench_transpose = {
    .name = "transpose",
    .form = "a group, a dtype, a shape and axes such as `peers f32 8192,6000 1,0`",
    .legend = "GB/s: 10^9 bytes read and written a second, median; share: of a copy of the same bytes",
    .read = read_case,
    .question = question,
    .record = record,
    .measure = measure,
};
