// hw_matmul. The inputs have no pattern, so that the relative error says something; the peers tell theirs for the same
// inputs.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "bench.h"
#include "op/common/family.h"

// Words of a line; what shape holds; and the numbers of a block, a prime, after which inputs repeat.
enum { DTYPE = 1, PRECISION, SHAPE, LAYOUT, WORDS };
enum { BATCH, M, N, K };
enum { TURNED_A = 1, TURNED_B = 2 };
enum { PERIOD = 262139, SAMPLES = 64 };

typedef struct bench {
    const hw_bench_case *what;
    hw_device *device;
    hw_precision precision;
    size_t bytes[3];
    void *array[3];          // a, b, c
    void *block[2];          // of a and b, on this machine
} bench;

// ---- Cases ----------------------------------------------------------------------------------------------------------

static const struct {
    const char *name;
    hw_precision value;
    double tolerance;        // of the relative error, for each sqrt(k): of results in the type of the sums
} precisions[] = {
    {"own", HW_PRECISION_OF_TYPE, 1e-6},  {"fp32", HW_PRECISION_FP32, 1e-6}, {"tf32", HW_PRECISION_TF32, 2e-3},
    {"bf16", HW_PRECISION_BF16, 1.6e-2}, {"fp64", HW_PRECISION_FP64, 2e-15},
};
enum { N_PRECISIONS = sizeof precisions / sizeof precisions[0] };

static int find_precision(const char *name) {
    for (int i = 0; i < N_PRECISIONS; i++)
        if (strcmp(precisions[i].name, name) == 0) return i;
    return -1;
}

// Integers up to MOST_INTEGER: sums of MOST_INTEGER_K products of two, 10^4 at most each, are exact in 32 bits and in
// double.
enum { MOST_INTEGER = 100, MOST_INTEGER_K = 1 << 17 };
static bool is_integer(const hw_bench_case *what) { return what->dtype.code == kDLInt; }

static DLDataType type_of(const hw_bench_case *what, int which) {
    const bool is_wider = which == 2 && is_integer(what) && what->dtype.bits < 32;
    return is_wider ? (DLDataType){kDLInt, 32, 1} : what->dtype;
}

static bool read_matmul_case(hw_bench_case *what) {
    enum { MOST_EXTENT = 1 << 24 };
    int64_t numbers[HW_BENCH_RANK];
    const char *layout = what->words[LAYOUT];
    if (what->n_words != WORDS || !hw_bench_read_dtype(what->words[DTYPE], &what->dtype)) return false;
    int count = hw_bench_read_numbers(what->words[SHAPE], MOST_EXTENT, numbers);
    if (count != 3 && count != 4) return false;
    what->rank = 4;
    what->shape[BATCH] = count == 4 ? numbers[0] : 1;
    memcpy(&what->shape[M], numbers + count - 3, 3 * sizeof numbers[0]);
    what->amount = 2;
    for (int i = 0; i < 4; i++) {
        if (!what->shape[i]) return false;
        what->amount *= (double)what->shape[i];
    }
    if (find_precision(what->words[PRECISION]) < 0 || what->dtype.code == kDLUInt ||
        what->dtype.code == kDLComplex || strspn(layout, "nt") != 2 || layout[2])
        return false;
    if (is_integer(what) && (strcmp(what->words[PRECISION], "own") || what->shape[K] > MOST_INTEGER_K)) return false;
    what->flags = (layout[0] == 't' ? TURNED_A : 0) | (layout[1] == 't' ? TURNED_B : 0);
    what->unit = "TFLOP/s";
    what->rate_key = "tflops";
    what->unit_per_ns = 1000;
    snprintf(what->name, sizeof what->name, "%.5s %.5s %.40s %.2s", what->words[DTYPE], what->words[PRECISION],
             what->words[SHAPE], layout);
    return true;
}

static json_t *matmul_question(const hw_bench_case *what) {
    return json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:I}", "dtype", what->words[DTYPE], "precision",
                     what->words[PRECISION], "layout", what->words[LAYOUT], "batch", (json_int_t)what->shape[BATCH],
                     "m", (json_int_t)what->shape[M], "n", (json_int_t)what->shape[N], "k",
                     (json_int_t)what->shape[K]);
}

static json_t *matmul_record(const hw_bench_case *what) {
    json_t *object = matmul_question(what);
    json_object_set_new(object, "group", json_string(what->group));
    json_object_set_new(object, "flop", json_real(what->amount));
    return object;
}

// ---- The numbers ----------------------------------------------------------------------------------------------------

// Element `index` of the inputs: from -1 to 1 with 24 bits, before it is rounded to the type; for integer types a whole
// number.
static double matmul_number(const hw_bench_case *what, uint32_t index) {
    if (is_integer(what)) return (double)(hw_bench_hash(index) % (2 * MOST_INTEGER + 1)) - MOST_INTEGER;
    return (hw_bench_hash(index) >> 8) * 0x1p-23 - 1;
}

static hw_status make_block(bench *b, int which, hw_diag *diag) {
    size_t each = b->what->dtype.bits / 8u;
    b->block[which] = malloc(PERIOD * each);
    if (!b->block[which]) return hw_diag_no_memory(diag);
    for (uint32_t i = 0; i < PERIOD; i++)
        hw_dtype_set(b->what->dtype, b->block[which], i,
                     matmul_number(b->what, i + (which ? PERIOD : 0)));
    return hw_bench_fill(b->device, b->array[which], b->bytes[which], b->block[which], PERIOD * each, diag);
}

static hw_status open_matmul_bench(void *context, hw_diag *diag) {
    bench *b = context;
    const int64_t *n = b->what->shape;
    const int64_t elems[3] = {n[BATCH] * n[M] * n[K], n[BATCH] * n[K] * n[N], n[BATCH] * n[M] * n[N]};
    hw_status status = HW_OK;
    for (int i = 0; i < 3 && !status; i++) {
        b->bytes[i] = (size_t)elems[i] * type_of(b->what, i).bits / 8;
        status = hw_device_alloc(b->device, b->bytes[i], &b->array[i], diag);
    }
    for (int i = 0; i < 2 && !status; i++) status = make_block(b, i, diag);
    return status ? status : hw_fill(hw_device_stream(b->device), b->array[2], 0xff, b->bytes[2], diag);
}

// ---- The operation --------------------------------------------------------------------------------------------------

// rows x cols of each batch; turned: it lies in memory as cols x rows.
typedef struct matrix {
    DLTensor tensor;
    int64_t shape[3], strides[3];
} matrix;

static void set_matrix(const bench *b, int which, int64_t rows, int64_t cols, bool is_turned, matrix *m) {
    *m = (matrix){.shape = {b->what->shape[BATCH], rows, cols},
                  .strides = {rows * cols, is_turned ? 1 : cols, is_turned ? rows : 1}};
    m->tensor = (DLTensor){.data = b->array[which], .device = hw_device_get_properties(b->device)->dl, .ndim = 3,
                           .dtype = type_of(b->what, which), .shape = m->shape, .strides = m->strides};
}

static hw_status run_matmul(void *context, hw_diag *diag) {
    bench *b = context;
    const int64_t *n = b->what->shape;
    matrix a, second, c;
    set_matrix(b, 0, n[M], n[K], b->what->flags & TURNED_A, &a);
    set_matrix(b, 1, n[K], n[N], b->what->flags & TURNED_B, &second);
    set_matrix(b, 2, n[M], n[N], false, &c);
    return hw_matmul(hw_device_stream(b->device), 1, &a.tensor, &second.tensor, 0, &c.tensor, b->precision, diag);
}

// ---- The error ------------------------------------------------------------------------------------------------------

// Row or column number `index` that is compared: up to SAMPLES of each of the last batch, evenly spread, the same as in
// bench/peers/matmul.py.
static int64_t sample_at(int64_t extent, int index) {
    int64_t count = extent < SAMPLES ? extent : SAMPLES;
    return index < count ? extent * index / count : -1;
}

// Element (row, col) of an operand of rows x cols as the device got it.
static double element_of(const bench *b, int which, int64_t rows, int64_t cols, int64_t row, int64_t col) {
    bool is_turned = b->what->flags & (which ? TURNED_B : TURNED_A);
    int64_t first = (b->what->shape[BATCH] - 1) * rows * cols;
    int64_t index = first + (is_turned ? col * rows + row : row * cols + col);
    return hw_dtype_get(b->what->dtype, b->block[which], (uint64_t)(index % PERIOD));
}

typedef struct sums {
    double error, all;   // squares
} sums;

// Row `row` of the result, as it came, against columns (n x k, a row each) of b.
static void add_row_product(const bench *b, int64_t row, const double *columns, double *a_row, const void *got,
                            sums *s) {
    const int64_t *n = b->what->shape;
    for (int64_t l = 0; l < n[K]; l++) a_row[l] = element_of(b, 0, n[M], n[K], row, l);
    for (int j = 0; j < SAMPLES && sample_at(n[N], j) >= 0; j++) {
        const double *column = columns + j * n[K];
        double right = 0;
        for (int64_t l = 0; l < n[K]; l++) right += a_row[l] * column[l];
        double error = hw_dtype_get(type_of(b->what, 2), got, (uint64_t)sample_at(n[N], j)) - right;
        s->error += error * error;
        s->all += right * right;
    }
}

static hw_status sum_errors(const bench *b, double *columns, double *a_row, void *got, sums *s, hw_diag *diag) {
    const int64_t *n = b->what->shape;
    size_t row_bytes = (size_t)n[N] * type_of(b->what, 2).bits / 8;
    hw_stream *stream = hw_device_stream(b->device);
    hw_status status = HW_OK;
    for (int j = 0; j < SAMPLES && sample_at(n[N], j) >= 0; j++)
        for (int64_t l = 0; l < n[K]; l++) columns[j * n[K] + l] = element_of(b, 1, n[K], n[N], l, sample_at(n[N], j));
    for (int i = 0; i < SAMPLES && sample_at(n[M], i) >= 0 && !status; i++) {
        int64_t row = sample_at(n[M], i), at = (n[BATCH] - 1) * n[M] + row;
        status = hw_copy(stream, got, (const char *)b->array[2] + (size_t)at * row_bytes, row_bytes, diag);
        if (!status) status = hw_stream_synchronize(stream, diag);
        if (!status) add_row_product(b, row, columns, a_row, got, s);
    }
    return status;
}

// What the type of the result adds, as a share of it.
static double rounding_of(DLDataType dtype) {
    return dtype.bits > 16 ? 0 : dtype.code == kDLBfloat ? 0x1p-8 : 0x1p-11;
}

static hw_status verify_matmul(void *context, hw_bench_result *result, hw_diag *diag) {
    const bench *b = context;
    const int64_t *n = b->what->shape;
    double *columns = malloc(SAMPLES * (size_t)n[K] * sizeof *columns), *a_row = malloc((size_t)n[K] * sizeof *a_row);
    void *got = malloc((size_t)n[N] * type_of(b->what, 2).bits / 8);
    sums s = {0};
    hw_status status = columns && a_row && got ? sum_errors(b, columns, a_row, got, &s, diag) : hw_diag_no_memory(diag);
    free(columns);
    free(a_row);
    free(got);
    if (status) return status;
    double tolerance = precisions[find_precision(b->what->words[PRECISION])].tolerance;
    if (b->what->dtype.bits == 64) tolerance = precisions[find_precision("fp64")].tolerance;
    tolerance = tolerance * sqrt((double)n[K]) / 8 + tolerance + rounding_of(b->what->dtype);
    if (is_integer(b->what)) tolerance = 0;   // exact
    result->error = sqrt(s.error / s.all);
    result->has_error = true;
    result->wrong = !(result->error <= tolerance);
    if (!result->wrong) return HW_OK;
    return hw_diag_set(diag, HW_FAULT, "wrong: relative error %.3g, and %.3g is allowed", result->error, tolerance);
}

// ---- One case -------------------------------------------------------------------------------------------------------

static void measure_matmul(hw_device *device, double seconds, hw_bench_row *row) {
    bench b = {.what = &row->what, .device = device,
               .precision = precisions[find_precision(row->what.words[PRECISION])].value};
    const hw_bench_job job = {.device = device, .context = &b, .open = open_matmul_bench, .run = run_matmul,
                              .verify = verify_matmul};
    hw_bench_measure(&job, seconds, row);
    for (int i = 0; i < 3; i++) hw_device_free(device, b.array[i]);
    free(b.block[0]);
    free(b.block[1]);
}

const hw_bench_family hw_bench_matmul = {
    .name = "matmul",
    .form = "a group, a dtype, a precision, m,n,k or batch,m,n,k, and how a and b lie (n or t each), such as "
            "`square f32 fp32 4096,4096,4096 nn`",
    .legend = "TFLOP/s: 10^12 multiplications and additions a second, median; times: as fast as this peer",
    .read = read_matmul_case,
    .question = matmul_question,
    .record = matmul_record,
    .measure = measure_matmul,
};
