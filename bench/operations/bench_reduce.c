// hw_reduce, and as its limit a copy of the same bytes; on the processors, reading them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "bench.h"
#include "device/device.h"
#include "op/common/family.h"

enum { DTYPE = 1, OP, SHAPE, AXES, WORDS };   // of a line
enum { EXACT = 1, ALL_AXES = 2 };
// The array repeats a block of PERIOD numbers, a prime, from -127 to 127 (unsigned types: 1 to 255; floats: over 128),
// whose second half takes back what the first adds up to. So sums stay small and come out exact in every order, and one
// that leaves an element out is seen. One element is smaller than all.
enum { PERIOD = 262139, SMALLEST = -128, UNSIGNED_SHIFT = 128, SAMPLES = 500 };

typedef struct bench {
    const hw_bench_case *what;
    hw_device *device;
    hw_reduction op;
    DLDataType out_dtype;
    int64_t elems, out_elems, smallest_at;
    bool is_reduced[HW_BENCH_RANK];
    size_t bytes, out_bytes;
    void *in, *out, *copy, *got;
    int16_t *block;
} bench;

// ---- Cases ----------------------------------------------------------------------------------------------------------

static const struct {
    const char *name;
    hw_reduction value;
} ops[] = {{"sum", HW_REDUCE_SUM},       {"min", HW_REDUCE_MIN},       {"max", HW_REDUCE_MAX},
           {"argmin", HW_REDUCE_ARGMIN}, {"argmax", HW_REDUCE_ARGMAX}, {"mean", HW_REDUCE_MEAN},
           {"norm", HW_REDUCE_NORM}};
enum { N_OPS = sizeof ops / sizeof ops[0] };

static int find_op(const char *name) {
    size_t length = strcspn(name, "+");
    for (int i = 0; i < N_OPS; i++)
        if (strlen(ops[i].name) == length && strncmp(ops[i].name, name, length) == 0) return i;
    return -1;
}

static bool read_case_axes(hw_bench_case *what) {
    int64_t axes[HW_BENCH_RANK];
    if (strcmp(what->words[AXES], "all") == 0) {
        what->flags |= ALL_AXES;
        return true;
    }
    what->n_axes = hw_bench_read_numbers(what->words[AXES], what->rank - 1, axes);
    for (int i = 0; i < what->n_axes; i++) what->axes[i] = (int)axes[i];
    return what->n_axes > 0;
}

static bool read_reduce_case(hw_bench_case *what) {
    size_t bytes;
    const char *more;
    if (what->n_words != WORDS || !hw_bench_read_dtype(what->words[DTYPE], &what->dtype)) return false;
    if (what->dtype.code == kDLComplex || find_op(what->words[OP]) < 0) return false;
    more = strchr(what->words[OP], '+');
    if (more && strcmp(more, "+exact") != 0) return false;
    what->flags = more ? EXACT : 0;
    if (more && (what->dtype.code != kDLFloat || what->dtype.bits < 32 || find_op(what->words[OP]) != 0)) return false;
    what->rank = hw_bench_read_numbers(what->words[SHAPE], INT64_MAX / 2, what->shape);
    for (int k = 0; k < what->rank; k++)
        if (!what->shape[k]) return false;
    if (what->rank < 1 || !hw_bench_size(what->shape, what->rank, what->dtype.bits / 8, &bytes) ||
        !read_case_axes(what))
        return false;
    what->amount = (double)bytes;
    what->unit = "GB/s";
    what->rate_key = "gbs";
    what->unit_per_ns = 1;
    snprintf(what->name, sizeof what->name, "%.5s %.12s (%.40s) %.12s", what->words[DTYPE], what->words[OP],
             what->words[SHAPE], what->words[AXES]);
    return true;
}

static json_t *reduce_question(const hw_bench_case *what) {
    json_t *shape = json_array(), *axes = what->flags & ALL_AXES ? json_null() : json_array();
    for (int k = 0; k < what->rank; k++) json_array_append_new(shape, json_integer(what->shape[k]));
    for (int k = 0; k < what->n_axes; k++) json_array_append_new(axes, json_integer(what->axes[k]));
    return json_pack("{s:s, s:s, s:b, s:o, s:o}", "dtype", what->words[DTYPE], "op", ops[find_op(what->words[OP])].name,
                     "exact", what->flags & EXACT, "shape", shape, "axes", axes);
}

static json_t *reduce_record(const hw_bench_case *what) {
    json_t *object = reduce_question(what);
    json_object_set_new(object, "group", json_string(what->group));
    json_object_set_new(object, "bytes", json_integer((json_int_t)what->amount));
    return object;
}

// ---- The numbers ----------------------------------------------------------------------------------------------------

static bool is_float(const bench *b) { return b->what->dtype.code == kDLFloat || b->what->dtype.code == kDLBfloat; }

// For sums that are exact the exponents differ as well: by so many powers of two.
enum { EXPONENTS = 41, LEAST_EXPONENT = -20 };
static int exponent_at(const bench *b, int64_t index) {
    if (!(b->what->flags & EXACT)) return 0;
    return (int)(hw_bench_hash((uint32_t)(index % PERIOD + PERIOD)) % EXPONENTS) + LEAST_EXPONENT;
}

static int whole_at(const bench *b, int64_t index) {
    if (index == b->smallest_at) return SMALLEST;
    return b->block[index % PERIOD];
}

// What the array has there.
static double number_at(const bench *b, int64_t index) {
    if (is_float(b)) return ldexp(whole_at(b, index) / 128.0, index == b->smallest_at ? 0 : exponent_at(b, index));
    return whole_at(b, index) + (b->what->dtype.code == kDLUInt ? UNSIGNED_SHIFT : 0);
}

static hw_status fill_array(bench *b, hw_diag *diag) {
    size_t each = b->what->dtype.bits / 8u, count = b->elems < PERIOD ? (size_t)b->elems : PERIOD;
    int64_t smallest_at = b->smallest_at;
    char *values = malloc(PERIOD * each), one[16];
    b->block = malloc(PERIOD * sizeof *b->block);
    if (!values || !b->block) {
        free(values);
        return hw_diag_no_memory(diag);
    }
    for (uint32_t i = 0; i < PERIOD / 2; i++) {
        b->block[i] = (int16_t)((int)(hw_bench_hash(i) % 255) - 127);
        b->block[PERIOD - 1 - i] = (int16_t)-b->block[i];
    }
    b->block[PERIOD / 2] = 0;
    b->smallest_at = -1;
    for (size_t i = 0; i < count; i++) hw_dtype_set(b->what->dtype, values, i, number_at(b, (int64_t)i));
    b->smallest_at = smallest_at;
    hw_dtype_set(b->what->dtype, one, 0, number_at(b, smallest_at));
    hw_status status = hw_bench_fill(b->device, b->in, b->bytes, values, count * each, diag);
    hw_stream *stream = hw_device_stream(b->device);
    if (!status) status = hw_copy(stream, (char *)b->in + (size_t)smallest_at * each, one, each, diag);
    if (!status) status = hw_stream_synchronize(stream, diag);
    free(values);
    return status;
}

// ---- What must come out ---------------------------------------------------------------------------------------------

// What a right result of each reduction is made of, over the elements of one result.
typedef struct tally {
    __int128 sum;            // of whole numbers; of exact sums in units of 2^(LEAST_EXPONENT - 7)
    int64_t count, squares;
    int least, most;
    int64_t least_at, most_at;   // among them
} tally;

static void add_to_tally(const bench *b, int64_t index, int64_t times, tally *t) {
    int value = whole_at(b, index), shift = index == b->smallest_at ? 0 : exponent_at(b, index);
    __int128 weight = b->what->flags & EXACT ? (__int128)1 << (shift - LEAST_EXPONENT) : 1;
    if (!t->count || value < t->least) t->least = value, t->least_at = t->count;
    if (!t->count || value > t->most) t->most = value, t->most_at = t->count;
    t->sum += weight * value * times;
    t->squares += (int64_t)value * value * times;
    t->count += times;
}

// Adds the whole array to the tally; a repeated block counts as often as it repeats.
static void tally_all(bench *b, tally *t) {
    int64_t at = b->smallest_at, distinct = b->elems < PERIOD ? b->elems : PERIOD;
    b->smallest_at = -1;
    for (int64_t i = 0; i < distinct; i++) add_to_tally(b, i, 1, t);
    for (int64_t i = 0; i < distinct; i++) {
        int64_t times = (b->elems - i - 1) / PERIOD;
        if (times) add_to_tally(b, i, times, t);
    }
    add_to_tally(b, at, -1, t);
    b->smallest_at = at;
    add_to_tally(b, at, 1, t);
    t->least_at = at;
}

// Adds the elements of result `which` to the tally.
static void tally_one(const bench *b, int64_t which, tally *t) {
    const hw_bench_case *what = b->what;
    int64_t strides[HW_BENCH_RANK], step = 1, first = 0, place[HW_BENCH_RANK] = {0};
    for (int k = what->rank - 1; k >= 0; step *= what->shape[k--]) strides[k] = step;
    for (int k = what->rank - 1; k >= 0; k--)
        if (!b->is_reduced[k]) {
            first += which % what->shape[k] * strides[k];
            which /= what->shape[k];
        }
    for (int64_t left = b->elems / b->out_elems, index = first; left; left--) {
        add_to_tally(b, index, 1, t);
        for (int k = what->rank - 1; k >= 0; k--) {
            if (!b->is_reduced[k]) continue;
            index += strides[k];
            if (++place[k] < what->shape[k]) break;
            index -= place[k] * strides[k];
            place[k] = 0;
        }
    }
}

// Half a unit in the last place of the type.
static double rounding_of(DLDataType dtype) {
    if (dtype.code == kDLBfloat) return 0x1p-8;
    return dtype.bits == 16 ? 0x1p-11 : dtype.bits == 32 ? 0x1p-24 : 0x1p-53;
}

static bool is_near(double got, double right, double tolerance) { return fabs(got - right) <= tolerance * fabs(right); }

static bool is_right(const bench *b, const tally *t, double got) {
    double scale = is_float(b) ? 0x1p-7 : 1, shift = b->what->dtype.code == kDLUInt ? UNSIGNED_SHIFT : 0;
    double rounding = is_float(b) ? rounding_of(b->out_dtype) : 0x1p-53, count = (double)t->count;
    double sum = (double)t->sum * scale + shift * count;
    double squares = (double)t->squares * scale * scale + 2 * shift * (double)t->sum + shift * shift * count;
    switch (b->op) {
    case HW_REDUCE_SUM:
        if (!(b->what->flags & EXACT)) return is_near(got, sum, rounding);
        // Rounded once, from 128 bits.
        return got == ldexp(b->out_dtype.bits == 32 ? (double)(float)t->sum : (double)t->sum, LEAST_EXPONENT - 7);
    case HW_REDUCE_MEAN: return is_near(got, sum / count, 4 * rounding);
    case HW_REDUCE_NORM: return is_near(got, sqrt(squares), 64 * rounding);
    case HW_REDUCE_MIN: return got == t->least * scale + shift;
    case HW_REDUCE_MAX: return got == t->most * scale + shift;
    case HW_REDUCE_ARGMIN: return got == (double)t->least_at;
    default: return got == (double)t->most_at;
    }
}

// Checks all results where that is cheap, else some of them.
static hw_status verify_reduce(void *context, hw_bench_result *result, hw_diag *diag) {
    bench *b = context;
    int64_t step = b->out_elems > SAMPLES && b->elems > 1 << 22 ? b->out_elems / SAMPLES : 1;
    hw_status status = hw_copy(hw_device_stream(b->device), b->got, b->out, b->out_bytes, diag);
    if (!status) status = hw_stream_synchronize(hw_device_stream(b->device), diag);
    if (status) return status;
    for (int64_t i = 0; i < b->out_elems; i += step) {
        tally t = {0};
        if (b->out_elems == 1) tally_all(b, &t);
        else tally_one(b, i, &t);
        double got = hw_dtype_get(b->out_dtype, b->got, (uint64_t)i);
        result->wrong = !is_right(b, &t, got);
        if (result->wrong)
            return hw_diag_set(diag, HW_FAULT, "wrong: element %lld of the result is %.9g", (long long)i, got);
    }
    return HW_OK;
}

// ---- The two that are measured --------------------------------------------------------------------------------------

static hw_status run_reduce(void *context, hw_diag *diag) {
    bench *b = context;
    const hw_bench_case *what = b->what;
    DLDevice here = hw_device_get_properties(b->device)->dl;
    int64_t shape[HW_BENCH_RANK], out_shape[HW_BENCH_RANK];
    int rank = 0;
    for (int k = 0; k < what->rank; k++) {
        shape[k] = what->shape[k];
        if (!b->is_reduced[k]) out_shape[rank++] = shape[k];
    }
    DLTensor in = {.data = b->in, .device = here, .ndim = what->rank, .dtype = what->dtype, .shape = shape};
    DLTensor out = {.data = b->out, .device = here, .ndim = rank, .dtype = b->out_dtype, .shape = out_shape};
    return hw_reduce(hw_device_stream(b->device), b->op, &in, what->n_axes ? what->axes : NULL, what->n_axes,
                     what->flags & EXACT ? HW_REDUCE_EXACT : 0, &out, diag);
}

static hw_status run_reduce_copy(void *context, hw_diag *diag) {
    bench *b = context;
    return hw_bench_copy(b->device, b->copy, b->in, b->bytes, diag);
}

typedef uint64_t words __attribute__((vector_size(32)));

typedef struct read_job {
    const bench *b;
    uint32_t n_workers;
} read_job;

// Words of 16 bytes do not ask for enough at a time on processors that have longer ones.
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__
#define WITH_LONG_WORDS __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define WITH_LONG_WORDS
#endif

WITH_LONG_WORDS static void read_part(void *context, uint32_t index) {
    read_job *job = context;
    size_t count = job->b->bytes / sizeof(words), from = count / job->n_workers * index;
    size_t to = index + 1 == job->n_workers ? count : from + count / job->n_workers, i = from;
    const words *at = job->b->in;
    words x[4] = {{0}};
    for (; i + 4 <= to; i += 4)
        for (int k = 0; k < 4; k++) x[k] ^= at[i + (size_t)k];
    for (; i < to; i++) x[0] ^= at[i];
    words all = x[0] ^ x[1] ^ x[2] ^ x[3];
    volatile uint64_t seen = all[0] ^ all[1] ^ all[2] ^ all[3];   // or the compiler would leave the reading out
    (void)seen;
}

static hw_status run_read(void *context, hw_diag *diag) {
    bench *b = context;
    read_job job = {.b = b};
    hw_pool *pool = hw_device_pool(b->device, &job.n_workers);
    (void)diag;
    hw_pool_run(pool, job.n_workers, read_part, &job);
    return HW_OK;
}

// ---- One case -------------------------------------------------------------------------------------------------------

static hw_status open_reduce_bench(void *context, hw_diag *diag) {
    bench *b = context;
    const bool is_cpu = hw_device_get_properties(b->device)->kind == HW_DEVICE_CPU;
    const hw_bench_case *what = b->what;
    b->elems = b->out_elems = 1;
    for (int i = 0; i < what->n_axes; i++) b->is_reduced[what->axes[i]] = true;
    for (int k = 0; k < what->rank; k++) {
        if (what->flags & ALL_AXES) b->is_reduced[k] = true;
        b->elems *= what->shape[k];
        if (!b->is_reduced[k]) b->out_elems *= what->shape[k];
    }
    b->smallest_at = b->elems - b->elems / 10 - 1;
    b->out_dtype = hw_reduce_dtype(b->op, what->dtype);
    b->bytes = (size_t)what->amount;
    b->out_bytes = (size_t)b->out_elems * b->out_dtype.bits / 8;
    b->got = malloc(b->out_bytes);
    if (!b->got) return hw_diag_no_memory(diag);
    hw_status status = hw_device_alloc(b->device, b->bytes, &b->in, diag);
    if (!status) status = hw_device_alloc(b->device, b->out_bytes, &b->out, diag);
    if (!status && !is_cpu) status = hw_device_alloc(b->device, b->bytes, &b->copy, diag);
    if (!status) status = fill_array(b, diag);
    return status ? status : hw_fill(hw_device_stream(b->device), b->out, 0xa5, b->out_bytes, diag);
}

static void measure_reduce(hw_device *device, double seconds, hw_bench_row *row) {
    bench b = {.what = &row->what, .device = device, .op = ops[find_op(row->what.words[OP])].value};
    bool is_cpu = hw_device_get_properties(device)->kind == HW_DEVICE_CPU;
    const hw_bench_job job = {.device = device, .context = &b, .open = open_reduce_bench, .run = run_reduce,
                              .limit = is_cpu ? run_read : run_reduce_copy, .verify = verify_reduce};
    snprintf(row->limit.who, sizeof row->limit.who, is_cpu ? "read" : "copy");
    row->limit_amount = row->what.amount * (is_cpu ? 1 : 2);
    hw_bench_measure(&job, seconds, row);
    hw_device_free(device, b.in);
    hw_device_free(device, b.out);
    hw_device_free(device, b.copy);
    free(b.got);
    free(b.block);
}

const hw_bench_family hw_bench_reduce = {
    .name = "reduce",
    .form = "a group, a dtype, an operation, a shape and axes such as `axes f32 sum 4096,4096 0`, or `all` of them",
    .legend = "GB/s: 10^9 bytes of the array a second, median; share: of the bandwidth of a copy of them (read and "
              "written), on the processors of reading them",
    .read = read_reduce_case,
    .question = reduce_question,
    .record = reduce_record,
    .measure = measure_reduce,
};
