// One call of hw_matmul against the plainest loops, in double or in whole numbers modulo 2^64: arrays with gaps between
// lines, guards around them, in any layout and batching. What lies between the elements of A and B is NaN, so that no
// kernel may as much as multiply it by zero.
#ifndef HW_TESTS_MATMUL_CHECK_H
#define HW_TESTS_MATMUL_CHECK_H

#include <math.h>
#include "op/common/family.h"
#include "op_test.h"

enum { MOST_BATCH_AXES = 6, GUARD_BYTES = 256, UNWRITTEN = 0xA5, NOT_A_NUMBER = 0xFF };

typedef struct matmul_example {
    const char *type, *out_type;     // out_type NULL: the same
    int64_t m, n, k;
    bool by_columns[3];              // A, B, C
    int gap, offset;                 // elements behind each line; before the first from a multiple of 256 bytes
    double alpha, beta;
    hw_precision precision;
    int n_batch;
    int64_t batch[MOST_BATCH_AXES];
    unsigned shared[2];              // of A and B: a bit for each batch axis of which one matrix serves all
    int missing[2];                  // of A and B: batch axes at the front that the array has not (they are shared)
} matmul_example;

typedef struct matmul_array {
    DLTensor tensor;
    DLDataType type;
    int64_t shape[MOST_BATCH_AXES + 2], strides[MOST_BATCH_AXES + 2];
    size_t bytes;                    // with guards
    char *host;
    void *memory;                    // on the device
    int64_t batch_strides[MOST_BATCH_AXES];   // by C's axes
    int64_t down, across;
} matmul_array;

static uint32_t matmul_random(uint32_t below) {
    static uint64_t state = 0x853c49e6748fea9bu;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % below);
}

// Of -1 to 1, which all types hold exactly.
static double matmul_number(void) { return ((double)matmul_random(257) - 128) / 128; }

static void matmul_lay_out(const matmul_example *e, int which, matmul_array *x) {
    const int64_t rows = which == 1 ? e->k : e->m, cols = which == 0 ? e->k : e->n;
    const bool by_columns = e->by_columns[which];
    const int64_t line = (by_columns ? rows : cols) + e->gap, lines = by_columns ? cols : rows;
    const int missing = which < 2 ? e->missing[which] : 0;
    int64_t elems = line * lines;
    memset(x, 0, sizeof *x);
    assert_true(hw_dtype_find(which == 2 && e->out_type ? e->out_type : e->type, &x->type));
    x->down = by_columns ? 1 : line;
    x->across = by_columns ? line : 1;
    for (int k = e->n_batch - 1; k >= 0; k--) {
        bool is_shared = k < missing || (which < 2 && e->shared[which] >> k & 1);
        x->batch_strides[k] = is_shared ? 0 : elems;
        if (k >= missing) {
            x->shape[k - missing] = is_shared ? 1 : e->batch[k];
            x->strides[k - missing] = is_shared ? 777 : elems;   // of an extent of 1 it is never used
        }
        if (!is_shared) elems *= e->batch[k];
    }
    const int rank = e->n_batch - missing + 2;
    x->shape[rank - 2] = rows;
    x->shape[rank - 1] = cols;
    x->strides[rank - 2] = x->down;
    x->strides[rank - 1] = x->across;
    x->bytes = 2 * GUARD_BYTES + (size_t)(elems + e->offset) * (x->type.bits / 8);
    x->host = malloc(x->bytes);
    memset(x->host, which < 2 ? NOT_A_NUMBER : UNWRITTEN, x->bytes);
    x->tensor = (DLTensor){.ndim = rank, .dtype = x->type, .shape = x->shape, .strides = x->strides,
                           .byte_offset = GUARD_BYTES + (uint64_t)e->offset * (x->type.bits / 8)};
}

static uint64_t matmul_batches(const matmul_example *e) {
    uint64_t batches = 1;
    for (int k = 0; k < e->n_batch; k++) batches *= (uint64_t)e->batch[k];
    return batches;
}

// The index of element (i, j) of a batch in the array.
static uint64_t matmul_at(const matmul_example *e, const matmul_array *x, uint64_t batch, int64_t i, int64_t j) {
    int64_t at = i * x->down + j * x->across;
    for (int k = e->n_batch - 1; k >= 0; k--) {
        at += (int64_t)(batch % (uint64_t)e->batch[k]) * x->batch_strides[k];
        batch /= (uint64_t)e->batch[k];
    }
    return (uint64_t)at;
}

static bool matmul_is_integer(DLDataType type) { return type.code == kDLInt || type.code == kDLUInt; }

// The element modulo 2^64.
static uint64_t matmul_integer(const matmul_array *x, const char *bytes, uint64_t at) {
    const unsigned unused = 64u - x->type.bits;
    uint64_t value = 0;
    memcpy(&value, bytes + x->tensor.byte_offset + at * (x->type.bits / 8u), x->type.bits / 8u);
    return x->type.code == kDLInt ? (uint64_t)((int64_t)(value << unused) >> unused) : value;
}

// Any bits.
static void matmul_set_integer(const matmul_array *x, uint64_t at) {
    const uint64_t value = (uint64_t)matmul_random(1u << 31) << 40 ^ (uint64_t)matmul_random(1u << 31) << 20 ^
                           matmul_random(1u << 31);
    memcpy(x->host + x->tensor.byte_offset + at * (x->type.bits / 8u), &value, x->type.bits / 8u);
}

static void matmul_fill(const matmul_example *e, int which, matmul_array *x) {
    const int64_t rows = which == 1 ? e->k : e->m, cols = which == 0 ? e->k : e->n;
    char *first = x->host + x->tensor.byte_offset;
    for (uint64_t batch = 0; batch < matmul_batches(e); batch++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < cols; j++) {
                const bool is_unread = which == 2 && e->beta == 0;
                if (matmul_is_integer(x->type)) matmul_set_integer(x, matmul_at(e, x, batch, i, j));
                else hw_dtype_set(x->type, first, matmul_at(e, x, batch, i, j), is_unread ? NAN : matmul_number());
            }
}

// Half of the distance between neighbours next to 1.
static double matmul_unit(DLDataType type) {
    return type.bits == 64 ? 0x1p-53 : type.bits == 32 ? 0x1p-24 : type.code == kDLBfloat ? 0x1p-9 : 0x1p-12;
}

// An element of a type that is not whole, or modulo 2^64.
typedef union matmul_element {
    double number;
    uint64_t integer;
} matmul_element;

static matmul_element matmul_get(const matmul_array *x, const char *bytes, uint64_t at) {
    if (matmul_is_integer(x->type)) return (matmul_element){.integer = matmul_integer(x, bytes, at)};
    return (matmul_element){.number = hw_dtype_get(x->type, bytes + x->tensor.byte_offset, at)};
}

// A batch's rows of A, or columns of B, of k elements each that lie side by side: each is needed many times.
static matmul_element *matmul_lines(const matmul_example *e, const matmul_array x[3], int which, uint64_t batch) {
    const int64_t lines = which ? e->n : e->m;
    matmul_element *all = malloc((size_t)(lines * e->k + 1) * sizeof *all);
    assert_non_null(all);
    for (int64_t i = 0; i < lines; i++)
        for (int64_t p = 0; p < e->k; p++)
            all[i * e->k + p] = matmul_get(&x[which], x[which].host,
                                           matmul_at(e, &x[which], batch, which ? p : i, which ? i : p));
    return all;
}

// The element as it should be, a being its row of A, b its column of B, before what C held; and how far it may be off.
static double matmul_expect(const matmul_example *e, const matmul_array x[3], const matmul_element *a,
                            const matmul_element *b, matmul_element before, double *tolerance) {
    double sum = 0, sizes = 0;
    for (int64_t p = 0; p < e->k; p++) {
        sum += a[p].number * b[p].number;
        sizes += fabs(a[p].number * b[p].number);
    }
    const double kept = e->beta == 0 ? 0 : e->beta * before.number;
    const double value = (e->alpha == 0 ? 0 : e->alpha * sum) + kept;
    const double sums = x[0].type.bits == 64 ? 0x1p-53 : 0x1p-24;
    const double inputs = e->precision == HW_PRECISION_TF32 ? 0x1p-11 : e->precision == HW_PRECISION_BF16 ? 0x1p-9 : 0;
    *tolerance = fabs(e->alpha) * sizes * (((double)e->k + 4) * sums + 2.01 * inputs) + 4 * sums * fabs(kept) +
                 2.02 * matmul_unit(x[2].type) * fabs(value) + 0x1p-24 * (x[2].type.bits == 16);
    return value;
}

static uint64_t matmul_expect_integer(const matmul_example *e, const matmul_element *a, const matmul_element *b,
                                      matmul_element before) {
    uint64_t sum = 0;
    for (int64_t p = 0; p < e->k; p++) sum += a[p].integer * b[p].integer;
    return (uint64_t)(int64_t)e->alpha * sum + (uint64_t)(int64_t)e->beta * before.integer;
}

static void matmul_compare_batch(const matmul_example *e, const matmul_array x[3], uint64_t batch, char *got,
                                 const char *text) {
    const size_t elem = x[2].type.bits / 8;
    const uint64_t first = x[2].tensor.byte_offset;
    matmul_element *rows = matmul_lines(e, x, 0, batch), *columns = matmul_lines(e, x, 1, batch);
    for (int64_t i = 0; i < e->m; i++)
        for (int64_t j = 0; j < e->n; j++) {
            const matmul_element *a = rows + i * e->k, *b = columns + j * e->k;
            const uint64_t at = matmul_at(e, &x[2], batch, i, j);
            const matmul_element before = matmul_get(&x[2], x[2].host, at), is = matmul_get(&x[2], got, at);
            if (matmul_is_integer(x[2].type)) {
                const uint64_t right = matmul_expect_integer(e, a, b, before);
                if (memcmp(got + first + at * elem, &right, elem))
                    fail_msg("%s %lldx%lldx%lld %d%d%d gap %d offset %d: (%llu, %lld, %lld) is wrong\n%s", e->type,
                             (long long)e->m, (long long)e->n, (long long)e->k, e->by_columns[0], e->by_columns[1],
                             e->by_columns[2], e->gap, e->offset, (unsigned long long)batch, (long long)i,
                             (long long)j, text);
            } else {
                double tolerance, wanted = matmul_expect(e, x, a, b, before, &tolerance);
                if (!(fabs(is.number - wanted) <= tolerance))
                    fail_msg("%s %lldx%lldx%lld %d%d%d gap %d offset %d precision %d: (%llu, %lld, %lld) is %.9g, not "
                             "%.9g +- %.3g\n%s", e->type, (long long)e->m, (long long)e->n, (long long)e->k,
                             e->by_columns[0], e->by_columns[1], e->by_columns[2], e->gap, e->offset, e->precision,
                             (unsigned long long)batch, (long long)i, (long long)j, is.number, wanted, tolerance, text);
            }
            memcpy(got + first + at * elem, x[2].host + first + at * elem, elem);
        }
    free(rows);
    free(columns);
}

// got: all bytes of C afterwards. What is no element of C has to be as it was.
static void matmul_compare(const matmul_example *e, const matmul_array x[3], char *got, const char *text) {
    for (uint64_t batch = 0; batch < matmul_batches(e); batch++) matmul_compare_batch(e, x, batch, got, text);
    if (memcmp(got, x[2].host, x[2].bytes)) fail_msg("%s: wrote what is no element of C\n%s", e->type, text);
}

static hw_status matmul_send(hw_device *device, matmul_array *x, hw_diag *diag) {
    const hw_device_properties *properties = hw_device_get_properties(device);
    hw_status status = hw_device_alloc(device, x->bytes, &x->memory, diag);
    if (!status) status = hw_copy(hw_device_stream(device), x->memory, x->host, x->bytes, diag);
    x->tensor.data = x->memory;
    x->tensor.device = properties->dl;
    return status;
}

// x: three arrays, filled, on the device.
static void matmul_open(hw_device *device, const matmul_example *e, matmul_array x[3]) {
    hw_diag diag = {0};
    for (int which = 0; which < 3; which++) {
        matmul_lay_out(e, which, &x[which]);
        matmul_fill(e, which, &x[which]);
        if (matmul_send(device, &x[which], &diag)) fail_msg("%s", diag.text);
    }
}

static void matmul_close(hw_device *device, matmul_array x[3]) {
    for (int which = 0; which < 3; which++) {
        hw_device_free(device, x[which].memory);
        free(x[which].host);
    }
}

static void matmul_run(hw_device *device, const matmul_example *e) {
    matmul_array x[3];
    hw_diag diag = {0};
    char text[4096] = "";
    if (hw_device_get_properties(device)->kind == HW_DEVICE_SIM && is_left_out()) return;
    matmul_open(device, e, x);
    char *got = malloc(x[2].bytes);
    hw_stream *stream = hw_device_stream(device);
    hw_matmul_explain(device, &x[0].tensor, &x[1].tensor, &x[2].tensor, e->precision, text, sizeof text, NULL);
    hw_status status = hw_matmul(stream, e->alpha, &x[0].tensor, &x[1].tensor, e->beta, &x[2].tensor, e->precision,
                                 &diag);
    if (!status) status = hw_copy(stream, got, x[2].memory, x[2].bytes, &diag);
    if (!status) status = hw_stream_synchronize(stream, &diag);
    if (status)
        fail_msg("%s %lldx%lldx%lld: %s\n%s", e->type, (long long)e->m, (long long)e->n, (long long)e->k, diag.text,
                 text);
    matmul_compare(e, x, got, text);
    matmul_close(device, x);
    free(got);
}

// ---- Where they run -------------------------------------------------------------------------------------------------

// HW_TEST_DEVICE alone, or the processors, a simulated GPU, and a GPU where there is one.
static hw_device *devices[3];
static int n_devices;

static inline int open_devices(void **state) {
    const char *const names[] = {"cpu", "sim:h200", "cuda:0"}, *only = getenv("HW_TEST_DEVICE");
    (void)state;
    if (only) devices[n_devices++] = find_device(only);
    for (int i = 0; i < 3 && !only; i++)
        if ((devices[n_devices] = find_device(names[i]))) n_devices++;
    return n_devices && devices[0] ? 0 : -1;
}

static inline int close_devices(void **state) {
    (void)state;
    while (n_devices) hw_device_close(devices[--n_devices]);
    return 0;
}

static inline bool is_sim(const hw_device *device) { return hw_device_get_properties(device)->kind == HW_DEVICE_SIM; }

static inline void run_everywhere(const matmul_example *e) {
    for (int i = 0; i < n_devices; i++) matmul_run(devices[i], e);
}

#endif
