// The processor's reductions against the plainest loops: every reduction and type, shapes and strides of all kinds,
// NaN, ties and zeros; the same bits from any number of threads and at every level of vectors; memory that runs out;
// exact sums with the bits of a simulated H200's.
#include <float.h>
#include <math.h>

#include "base/alloc.h"
#include "op/reduce/cpu/fold.h"
#include "op/common/family.h"
#include "op/reduce/reduction.h"
#include "op_test.h"

enum { RANK = 4, N_TYPES = 12 };
static const char *const type_names[N_TYPES] = {"i8",  "i16", "i32", "i64",  "u8",  "u16",
                                                "u32", "u64", "f16", "bf16", "f32", "f64"};

static hw_device *one_thread, *three_threads;

static int setup(void **state) {
    (void)state;
    seed = 0x9e3779b97f4a7c15u;
    one_thread = open_device_with("cpu", 0, 1);
    three_threads = open_device_with("cpu", 0, 3);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    hw_device_close(one_thread);
    hw_device_close(three_threads);
    return 0;
}

// ---- An example ----------------------------------------------------------------------------------------------------

typedef struct example {
    DLDataType type;
    int rank, n_axes, axes[RANK];
    int64_t shape[RANK], stride[RANK], first;   // elements
    uint64_t elems, outputs, terms;             // elems of the memory that it lies in
    unsigned char *data;
    union term {
        double number;
        uint64_t integer;
    } *in_order;                                // the terms of the first output, of the second, ...
    char text[200];
} example;

static bool is_reduced(const example *e, int axis) {
    if (!e->n_axes) return true;
    for (int k = 0; k < e->n_axes; k++)
        if ((e->axes[k] + e->rank) % e->rank == axis) return true;
    return false;
}

// The place of a term: outputs and terms are counted in C order.
static uint64_t place_of(const example *e, uint64_t output, uint64_t term) {
    int64_t at = e->first;
    for (int a = e->rank - 1; a >= 0; a--) {
        uint64_t *rest = is_reduced(e, a) ? &term : &output;
        at += (int64_t)(*rest % (uint64_t)e->shape[a]) * e->stride[a];
        *rest /= (uint64_t)e->shape[a];
    }
    return (uint64_t)at;
}

static bool is_float(DLDataType type) { return type.code == kDLFloat || type.code == kDLBfloat; }

// kind 0: all values that the type has; 1: few, so that there are ties; 2: zeros of both signs; 3: NaNs among others.
static void fill(example *e, unsigned kind) {
    const size_t bytes = e->type.bits / 8u;
    e->data = malloc(e->elems * bytes + 1);
    for (uint64_t i = 0; i < e->elems; i++) {
        if (is_float(e->type)) {
            double value = kind == 1 ? below(3) : kind == 2 ? (below(2) ? 0.0 : -0.0) : (double)(below(2001)) / 500 - 2;
            if (kind == 3 && below(100) == 0) value = NAN;
            hw_dtype_set(e->type, e->data, i, value);
        } else {
            const uint64_t value = kind == 1 ? below(3) : random_bits();
            memcpy(e->data + i * bytes, &value, bytes);
        }
    }
}

static void make_example(example *e, DLDataType type) {
    const unsigned style = below(5);
    *e = (example){.type = type, .rank = style == 3 ? 2 : 1 + (int)below(RANK), .outputs = 1, .terms = 1};
    int64_t extent[RANK], jump[RANK], pitch = 1;
    int order[RANK];
    for (int a = 0; a < e->rank; a++) {
        const bool last = a == e->rank - 1;
        extent[a] = 1 + (style == 0 ? below(9) : style == 1 ? (last ? below(9000) : below(3))
                         : style == 2 ? below(20) : style == 3 ? (last ? below(12) : below(3000)) : below(300));
        if (style == 4 && a > 1) extent[a] = 1;
        jump[a] = below(4) ? 1 : 2;
        order[a] = a;
    }
    for (int a = e->rank - 1; a > 0; a--) {
        const int other = (int)below((uint32_t)a + 1), kept = order[a];
        order[a] = order[other];
        order[other] = kept;
    }
    // Axis order[a] of the view is axis a of the memory; every other axis may run backwards.
    for (int a = e->rank - 1; a >= 0; a--) {
        const int axis = order[a];
        const bool backward = below(5) == 0;
        e->shape[axis] = extent[a];
        e->stride[axis] = pitch * jump[a] * (backward ? -1 : 1);
        if (backward) e->first += (extent[a] - 1) * pitch * jump[a];
        pitch *= extent[a] * jump[a];
    }
    e->elems = (uint64_t)pitch;
    e->n_axes = (int)below((uint32_t)e->rank + 1);
    for (int k = 0; k < e->n_axes; k++) e->axes[k] = (order[k] + (int)below(2)) % e->rank;
    for (int k = 0; k < e->n_axes; k++)   // none twice
        for (int i = 0; i < k; i++)
            if (e->axes[i] == e->axes[k]) e->n_axes = k;
    for (int a = 0; a < e->rank; a++) *(is_reduced(e, a) ? &e->terms : &e->outputs) *= (uint64_t)e->shape[a];
    int used = snprintf(e->text, sizeof e->text, "%d axes:", e->n_axes);
    for (int k = 0; k < e->n_axes; k++)
        used += snprintf(e->text + used, sizeof e->text - (size_t)used, " %d", e->axes[k]);
    for (int a = 0; a < e->rank; a++)
        used += snprintf(e->text + used, sizeof e->text - (size_t)used, "%s%lld step %lld", a ? ", " : " of ",
                         (long long)e->shape[a], (long long)e->stride[a]);
}

static void run(hw_device *device, const example *e, hw_reduction reduction, uint32_t flags, void *out) {
    hw_diag diag = {0};
    int64_t out_shape[RANK];
    int out_rank = 0;
    for (int a = 0; a < e->rank; a++)
        if (!is_reduced(e, a)) out_shape[out_rank++] = e->shape[a];
    DLTensor in = {.data = e->data, .device = {kDLCPU, 0}, .ndim = e->rank, .dtype = e->type,
                   .shape = (int64_t *)e->shape, .strides = (int64_t *)e->stride,
                   .byte_offset = (uint64_t)e->first * (e->type.bits / 8u)};
    DLTensor result = {.data = out, .device = {kDLCPU, 0}, .ndim = out_rank,
                       .dtype = hw_reduce_dtype(reduction, e->type), .shape = out_shape};
    if (hw_reduce(hw_device_stream(device), reduction, &in, e->axes, e->n_axes, flags, &result, &diag))
        fail_msg("%s: %s", e->text, diag.text);
}

// ---- The plainest loops --------------------------------------------------------------------------------------------

static uint64_t integer_at(const example *e, uint64_t at) {
    const unsigned bits = e->type.bits;
    uint64_t value = 0;
    memcpy(&value, e->data + at * (bits / 8), bits / 8);
    if (e->type.code == kDLInt && bits < 64 && value >> (bits - 1) & 1) value |= ~(uint64_t)0 << bits;
    return value;
}

static bool integer_less(const example *e, uint64_t a, uint64_t b) {
    return e->type.code == kDLInt ? (int64_t)a < (int64_t)b : a < b;
}

static void complain(const example *e, hw_reduction reduction, uint64_t output, const char *what) {
    char name[32], type[32];
    fail_msg("%s of %s, %s: output %llu %s", hw_reduction_name(reduction, name, sizeof name),
             hw_dtype_name(e->type, type, sizeof type), e->text, (unsigned long long)output, what);
}

static double tolerance(DLDataType type) {
    return type.code == kDLBfloat ? 0x1p-7 : type.bits == 16 ? 0x1p-10 : type.bits == 32 ? 0x1p-20 : 0x1p-48;
}

// The largest number of a type of floats, and the distance between its smallest ones.
static long double largest_of(DLDataType type) {
    if (type.bits == 64) return DBL_MAX;
    return type.bits == 16 && type.code == kDLFloat ? 65504 : FLT_MAX;
}

static long double least_of(DLDataType type) {
    if (type.bits == 64) return 0x1p-1074L;
    return type.code == kDLBfloat ? 0x1p-133L : type.bits == 16 ? 0x1p-24L : 0x1p-149L;
}

// As near as that to what is wanted; infinite where that is beyond the type, and either at its end.
static bool is_near(DLDataType type, double got, long double wanted, long double error) {
    const long double size = fabsl(wanted), largest = largest_of(type);
    const bool is_infinite = isinf(got) && !signbit(got) == !signbit((double)wanted);
    if (size - error > largest * (1 + 0x1p-8L)) return is_infinite;
    return fabsl(got - wanted) <= error + least_of(type) || (is_infinite && size + error > largest);
}

// A product of n terms has an error for each. What the terms above and below 1 make by themselves bounds what is
// multiplied on the way, in whatever order: where a float does not hold that the result is anything.
static uint64_t n_long_products;
static bool is_product(const example *e, const union term *terms, double got) {
    long double product = 1, above = 1, below_1 = 1;
    for (uint64_t t = 0; t < e->terms; t++) {
        const long double x = terms[t].number, size = fabsl(x);
        product *= x;
        if (size > 1) above *= size;
        else if (size > 0) below_1 *= size;
    }
    if (above > 1e38L || below_1 < 1e-37L) return true;
    n_long_products += e->terms > 12;
    return is_near(e->type, got, product, (e->terms / 8.0L + 2) * tolerance(e->type) * fabsl(product));
}

// Finding them takes longer than what each of the reductions does with them.
static void put_in_order(example *e) {
    union term *to = e->in_order = malloc((e->outputs * e->terms + 1) * sizeof *to);
    assert_non_null(to);
    for (uint64_t o = 0; o < e->outputs; o++)
        for (uint64_t t = 0; t < e->terms; t++, to++) {
            const uint64_t place = place_of(e, o, t);
            if (is_float(e->type)) to->number = hw_dtype_get(e->type, e->data, place);
            else to->integer = integer_at(e, place);
        }
}

static double as_number(const example *e, uint64_t x) {
    return e->type.code == kDLInt ? (double)(int64_t)x : (double)x;
}

static uint64_t count_as(hw_reduction reduction, uint64_t not_zero, uint64_t terms) {
    return reduction == HW_REDUCE_ANY ? not_zero != 0 : reduction == HW_REDUCE_ALL ? not_zero == terms : not_zero;
}

// apart: the sum of squared distances from the mean.
static void check_spread(const example *e, hw_reduction reduction, uint64_t output, long double apart, double got) {
    const double eps = e->type.bits < 64 && is_float(e->type) ? tolerance(e->type) : 1e-12;
    const double var = (double)(apart / e->terms), wanted = reduction == HW_REDUCE_STD ? sqrt(var) : var;
    const DLDataType type = is_float(e->type) ? e->type : (DLDataType){kDLFloat, 64, 1};
    if (!is_near(type, got, wanted, eps * wanted)) complain(e, reduction, output, "is wrong");
}

static void check_integers(const example *e, hw_reduction reduction, const void *out) {
    const DLDataType type = hw_reduce_dtype(reduction, e->type);
    for (uint64_t o = 0; o < e->outputs; o++) {
        const union term *terms = e->in_order + o * e->terms;
        uint64_t sum = 0, product = 1, best = terms[0].integer, index = 0, not_zero = 0;
        double wide = 0, squares = 0;
        long double apart = 0, mean = 0;
        for (uint64_t t = 0; hw_reduction_is_spread(reduction) && t < e->terms; t++)
            mean += as_number(e, terms[t].integer) / (long double)e->terms;
        const bool least = reduction == HW_REDUCE_MIN || reduction == HW_REDUCE_ARGMIN;
        for (uint64_t t = 0; t < e->terms; t++) {
            const uint64_t x = terms[t].integer;
            const double number = as_number(e, x);
            sum += x;
            product *= x;
            wide += number;
            squares += number * number;
            apart += (number - mean) * (number - mean);
            not_zero += x != 0;
            if (least ? integer_less(e, x, best) : integer_less(e, best, x)) best = x, index = t;
        }
        uint64_t wanted = reduction == HW_REDUCE_SUM ? sum : reduction == HW_REDUCE_PRODUCT ? product
                          : hw_reduction_is_arg(reduction) ? index : best;
        if (hw_reduction_is_count(reduction)) wanted = count_as(reduction, not_zero, e->terms);
        if (hw_reduction_is_spread(reduction)) {
            check_spread(e, reduction, o, apart, ((const double *)out)[o]);
        } else if (type.code == kDLFloat) {
            const double number = reduction == HW_REDUCE_MEAN ? wide / (double)e->terms : sqrt(squares),
                         got = ((const double *)out)[o];
            if (!(fabs(got - number) <= 1e-12 * sqrt(squares))) complain(e, reduction, o, "is wrong");
        } else if (memcmp((const char *)out + o * (type.bits / 8u), &wanted, type.bits / 8u)) {
            complain(e, reduction, o, "is wrong");
        }
    }
}

static void check_floats(const example *e, hw_reduction reduction, const void *out) {
    for (uint64_t o = 0; o < e->outputs; o++) {
        const union term *terms = e->in_order + o * e->terms;
        const double first = terms[0].number;
        long double sum = 0, size = 0, squares = 0, apart = 0;
        double best = first;
        uint64_t not_zero = 0;
        uint64_t index = 0;
        bool has_nan = isnan(first);
        const bool least = reduction == HW_REDUCE_MIN || reduction == HW_REDUCE_ARGMIN;
        for (uint64_t t = 0; t < e->terms; t++) {
            const double x = terms[t].number;
            has_nan |= isnan(x);
            not_zero += x != 0;
            if (!has_nan) {   // whose sums nobody asks for, and a long double of NaN takes a hundred times as long
                sum += x;
                size += fabs(x);
                squares += x * x;
            }
            // Of the zeros -0.0 is the lower one; places see no difference.
            const bool is_other_zero = x == best && !hw_reduction_is_arg(reduction) && signbit(least ? x : best);
            if (!isnan(best) && (isnan(x) || (least ? x < best : x > best) || is_other_zero)) best = x, index = t;
        }
        if (hw_reduction_is_arg(reduction)) {
            if (((const int64_t *)out)[o] != (int64_t)index) complain(e, reduction, o, "is wrong");
            continue;
        }
        if (hw_reduction_is_count(reduction)) {
            const DLDataType type = hw_reduce_dtype(reduction, e->type);
            if (hw_dtype_get(type, out, o) != (double)count_as(reduction, not_zero, e->terms))
                complain(e, reduction, o, "is wrong");
            continue;
        }
        if (hw_reduction_is_spread(reduction) && !has_nan) {
            const long double mean = sum / e->terms;
            for (uint64_t t = 0; t < e->terms; t++) {
                const long double away = terms[t].number - mean;
                apart += away * away;
            }
            check_spread(e, reduction, o, apart, hw_dtype_get(e->type, out, o));
            continue;
        }
        const double got = hw_dtype_get(e->type, out, o), eps = tolerance(e->type);
        bool right = true;
        switch (reduction) {
            case HW_REDUCE_SUM: right = is_near(e->type, got, sum, eps * size); break;
            case HW_REDUCE_MEAN: right = is_near(e->type, got, sum / e->terms, eps * size / e->terms); break;
            case HW_REDUCE_NORM: right = is_near(e->type, got, sqrtl(squares), eps * sqrtl(squares)); break;
            case HW_REDUCE_PRODUCT: right = has_nan || is_product(e, terms, got); break;
            default: right = got == best && !signbit(got) == !signbit(best); break;
        }
        if (has_nan ? !isnan(got) : !right) complain(e, reduction, o, "is wrong");
    }
}

static void check_example(example *e) {
    const uint64_t bytes = e->outputs * 8;
    char *first = malloc(bytes), *second = malloc(bytes);
    put_in_order(e);
    for (int r = HW_REDUCE_SUM; r < HW_REDUCTIONS; r++) {
        memset(first, 0x5a, bytes);
        memset(second, 0x5a, bytes);
        run(one_thread, e, (hw_reduction)r, 0, first);
        run(three_threads, e, (hw_reduction)r, 0, second);
        if (memcmp(first, second, bytes)) complain(e, (hw_reduction)r, 0, "depends on the number of threads");
        if (is_float(e->type)) check_floats(e, (hw_reduction)r, first);
        else check_integers(e, (hw_reduction)r, first);
    }
    free(first);
    free(second);
    free(e->in_order);
}

// Of random cases: sanitizers find in a fifth of them what they find in all.
static int rounds(int of_all) { return is_sanitized() ? of_all / 5 : of_all; }

static void shapes_types_and_strides(void **state) {
    (void)state;
    for (int i = 0; i < rounds(15) * N_TYPES; i++) {
        example e;
        DLDataType type;
        assert_true(hw_dtype_find(type_names[i % N_TYPES], &type));
        do make_example(&e, type);
        while (e.elems > 40000);
        fill(&e, below(4));
        check_example(&e);
        free(e.data);
    }
}

// Each shape has every second type, and each type every second shape: all of them together take ten seconds.
static size_t every(void) { return is_sanitized() ? 8 : 2; }

// Arrays that are cut into parts: one output; a few; dense columns; wide ones.

static void parts(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{1, 300001}, {3, 150001}, {150001, 3}, {3000, 200}, {70001, 1}};
    static const char *const names[] = {"f32", "i8", "f16", "i64", "f64"};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (size_t t = s % every(); t < sizeof names / sizeof names[0]; t += every()) {
            const int64_t rows = shapes[s][0], cols = shapes[s][1];
            example e = {.rank = 2, .shape = {rows, cols}, .stride = {cols, 1}, .elems = (uint64_t)(rows * cols),
                         .n_axes = 1, .axes = {rows > cols ? 0 : -1}};
            hw_dtype_find(names[t], &e.type);
            e.outputs = (uint64_t)(rows > cols ? cols : rows);
            e.terms = e.elems / e.outputs;
            snprintf(e.text, sizeof e.text, "%lld x %lld", (long long)rows, (long long)cols);
            fill(&e, (unsigned)(s + t) % 4);
            check_example(&e);
            free(e.data);
        }
}

// Many outputs with few terms each, which are combined several at a time: rows side by side, with gaps, turned round,
// of two axes; and rows of narrow matrices, which are added up where they lie.
static void short_runs(void **state) {
    (void)state;
    static const struct {
        int64_t shape[3], stride[3], first;
        int axis;
    } cases[] = {
        {{1, 2100, 33}, {0, 33, 1}, 0, -1},     {{1, 2100, 50}, {0, 61, 1}, 0, -1},
        {{2, 1050, 64}, {70000, 64, 1}, 0, -1}, {{50, 42, 35}, {1500, 35, 1}, 0, -1},
        {{2100, 1, 40}, {-41, 0, 1}, 2099 * 41, -1}, {{3, 5, 1500}, {8000, 1500, 1}, 0, -1},
        {{60, 40, 16}, {640, 16, 1}, 0, 1},     {{7, 300, 30}, {9000, 30, 1}, 0, 1},
        {{5, 130, 47}, {6500, 50, 1}, 0, 1},    {{300, 3, 20}, {60, 20, 1}, 0, 1},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (size_t t = c % every(); t < N_TYPES; t += every()) {
            example e = {.rank = 3, .first = cases[c].first, .n_axes = 1, .axes = {cases[c].axis}, .outputs = 1,
                         .elems = 1 + (uint64_t)cases[c].first};
            hw_dtype_find(type_names[t], &e.type);
            for (int a = 0; a < 3; a++) {
                e.shape[a] = cases[c].shape[a];
                e.stride[a] = cases[c].stride[a];
                if (e.stride[a] > 0) e.elems += (uint64_t)((e.shape[a] - 1) * e.stride[a]);
                if (is_reduced(&e, a)) e.terms = (uint64_t)e.shape[a];
                else e.outputs *= (uint64_t)e.shape[a];
            }
            snprintf(e.text, sizeof e.text, "short runs %d", (int)c);
            fill(&e, (unsigned)(c + (size_t)t) % 4);
            check_example(&e);
            free(e.data);
        }
}

// One zero of the other sign among many, wherever parts, blocks and lanes end: min has a negative one, max a positive.
static void lower_zero(void **state) {
    (void)state;
    for (int i = 0; i < 120; i++) {
        const int64_t n = 1 + below(i % 2 ? 40 : 20000), cols = i % 3 ? 1 : 5;
        const bool least = i % 5 > 1, negative = below(2);
        example e = {.rank = 2, .shape = {n, cols}, .stride = {cols, 1}, .elems = (uint64_t)(n * cols), .n_axes = 1,
                     .axes = {0}, .outputs = (uint64_t)cols, .terms = (uint64_t)n};
        hw_dtype_find(i % 7 == 0 ? "f16" : i % 4 ? "f32" : "f64", &e.type);
        fill(&e, 2);
        for (uint64_t k = 0; k < e.elems; k++) hw_dtype_set(e.type, e.data, k, negative ? -0.0 : 0.0);
        const int64_t other = below((uint32_t)cols);
        hw_dtype_set(e.type, e.data, (uint64_t)(below((uint32_t)n) * cols + other), negative ? 0.0 : -0.0);
        double out[5];
        run(three_threads, &e, least ? HW_REDUCE_MIN : HW_REDUCE_MAX, 0, out);
        for (int64_t c = 0; c < cols; c++) {
            const bool both = c == other && n > 1, is_negative = c == other && n == 1 ? !negative : negative;
            assert_int_equal(signbit(hw_dtype_get(e.type, out, (uint64_t)c)) != 0, both ? least : is_negative);
        }
        free(e.data);
    }
}

// Results that do not lie side by side, forwards and backwards, with others between them.
static void strided_results(void **state) {
    (void)state;
    static const int steps[] = {1, 2, -1, -3};
    static const hw_reduction reductions[] = {HW_REDUCE_SUM, HW_REDUCE_MAX, HW_REDUCE_MEAN};
    for (int i = 0; i < 24; i++) {
        const int64_t rows = i % 2 ? 9 : 40, cols = 300, step = steps[i % 4];
        const int axis = i / 4 % 2;
        const hw_reduction reduction = reductions[i % 3];
        int64_t shape = axis ? rows : cols, stride = step;
        float in[40 * 300], out[3 * 300 + 1];
        for (int k = 0; k < rows * cols; k++) in[k] = (float)below(64);
        for (int k = 0; k < 3 * 300 + 1; k++) out[k] = -7;
        const int64_t size[2] = {rows, cols}, first = step < 0 ? -step * (shape - 1) : 0;
        DLTensor from = {.data = in, .device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLFloat, 32, 1},
                         .shape = (int64_t *)size};
        DLTensor to = {.data = out + first, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1},
                       .shape = &shape, .strides = &stride};
        assert_int_equal(hw_reduce(hw_device_stream(three_threads), reduction, &from, &axis, 1, 0, &to, NULL), HW_OK);
        const int64_t terms = axis ? cols : rows, used = (step < 0 ? -step : step) * (shape - 1) + 1;
        for (int64_t k = 0, at = first; k < shape; k++, at += step) {
            float sum = 0, most = 0;
            for (int64_t t = 0; t < terms; t++) {
                const float x = axis ? in[k * cols + t] : in[t * cols + k];
                sum += x;
                most = x > most ? x : most;
            }
            const float wanted = reduction == HW_REDUCE_SUM ? sum : reduction == HW_REDUCE_MAX ? most
                                 : sum / (float)terms;
            assert_true(out[at] == wanted);
            out[at] = -7;
        }
        for (int64_t k = 0; k < used + 1; k++) assert_true(out[k] == -7);
    }
}

static void no_terms(void **state) {
    (void)state;
    static const double wanted[] = {0, 1, 0, 0, 0, 0, NAN, 0};
    for (int r = HW_REDUCE_SUM; r <= HW_REDUCE_NORM; r++) {
        if (r >= HW_REDUCE_MIN && r <= HW_REDUCE_ARGMAX) continue;
        example e = {.rank = 2, .shape = {3, 0}, .stride = {0, 1}, .n_axes = 1, .axes = {1}, .type = {kDLFloat, 32, 1}};
        float out[3] = {5, 5, 5};
        run(one_thread, &e, (hw_reduction)r, 0, out);
        for (int i = 0; i < 3; i++) assert_true(isnan(wanted[r]) ? isnan(out[i]) : out[i] == (float)wanted[r]);
    }
}

// Integers whose sum is beyond 64 bits have an exact mean.
static void wide_means(void **state) {
    (void)state;
    static uint64_t numbers[5000];
    example e = {.rank = 1, .shape = {5000}, .stride = {1}, .elems = 5000, .type = {kDLUInt, 64, 1},
                 .data = (unsigned char *)numbers};
    double out;
    for (int i = 0; i < 5000; i++) numbers[i] = UINT64_MAX;
    run(one_thread, &e, HW_REDUCE_MEAN, 0, &out);
    assert_true(out == 0x1p64);
    e.type.code = kDLInt;
    for (int i = 0; i < 5000; i++) numbers[i] = (uint64_t)INT64_MIN;
    run(one_thread, &e, HW_REDUCE_MEAN, 0, &out);
    assert_true(out == -0x1p63);
}

// ---- Levels --------------------------------------------------------------------------------------------------------

static void levels_agree(void **state) {
    (void)state;
    static _Alignas(64) unsigned char terms[HW_FOLD_BLOCK * 8], sums[2][HW_FOLD_WIDTH * 16];
    static uint32_t rows[2][HW_FOLD_WIDTH];
    for (unsigned l = 1; hw_fold_level_at(l); l++)
        for (int i = 0; i < rounds(200); i++) {
            const hw_fold_level *base = hw_fold_level_at(0), *level = hw_fold_level_at(l);
            const size_t n = 1 + below(i % 2 ? 100 : 2000);
            for (size_t k = 0; k < sizeof terms; k++) terms[k] = (unsigned char)random_bits();
            for (int type = 0; type < HW_FOLD_TYPES; type++) {
                if (type == HW_FOLD_F32)
                    for (size_t k = 0; k < HW_FOLD_BLOCK; k++) ((float *)terms)[k] = (float)below(2000) / 64 - 9;
                if (type == HW_FOLD_F64)
                    for (size_t k = 0; k < HW_FOLD_BLOCK; k++) ((double *)terms)[k] = (double)below(2000) / 3 - 9;
                for (int op = 0; op < HW_FOLD_OPS; op++) {
                    hw_fold_number a = {0}, b = {0};
                    if (!base->run[op][type]) continue;
                    base->run[op][type](terms, 0, 1, n, &a);
                    level->run[op][type](terms, 0, 1, n, &b);
                    assert_memory_equal(&a, &b, sizeof a);
                    assert_int_equal(base->find[type](terms, n, &a), level->find[type](terms, n, &a));
                    memset(sums, 0, sizeof sums);
                    if (op == HW_FOLD_SPREAD) {
                        base->spread[type]((double *)sums[0], (char *)terms, 64, 7, n / 4, 5);
                        level->spread[type]((double *)sums[1], (char *)terms, 64, 7, n / 4, 5);
                        assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
                        continue;
                    }
                    base->columns[op][type](sums[0], (char *)terms, 64, 7, n / 4);
                    level->columns[op][type](sums[1], (char *)terms, 64, 7, n / 4);
                    assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
                }
                memset(sums, 0, sizeof sums);
                memset(rows, 0, sizeof rows);
                base->least_at[type](sums[0], rows[0], (char *)terms, 64, 7, n / 4, 3);
                level->least_at[type](sums[1], rows[1], (char *)terms, 64, 7, n / 4, 3);
                assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
                assert_memory_equal(rows[0], rows[1], sizeof rows[0]);
            }
        }
}

// Runs in one call have the bits that they have one by one, whatever lies behind them, at every level.
static void runs_in_one_call(void **state) {
    (void)state;
    static _Alignas(64) unsigned char terms[HW_FOLD_BLOCK * 8];
    for (unsigned l = 0; hw_fold_level_at(l); l++)
        for (int i = 0; i < rounds(300); i++) {
            const hw_fold_level *level = hw_fold_level_at(l);
            const size_t n = 1 + below(i % 2 ? 40 : 150), n_runs = 1 + below(20), gap = i % 3 ? 0 : below(5);
            for (int type = 0; type < HW_FOLD_TYPES; type++) {
                static const size_t sizes[HW_FOLD_TYPES] = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8};
                const ptrdiff_t pitch = (ptrdiff_t)((n + gap) * sizes[type]);
                for (size_t k = 0; k < sizeof terms; k++) terms[k] = (unsigned char)random_bits();
                for (size_t k = 0; k < HW_FOLD_BLOCK; k++) {
                    const double value = below(300) ? (double)below(2000) / 64 - 9 : NAN;
                    if (type == HW_FOLD_F32) ((float *)terms)[k] = (float)value;
                    if (type == HW_FOLD_F64) ((double *)terms)[k] = value;
                }
                for (int op = 0; op < HW_FOLD_OPS; op++) {
                    hw_fold_number together[20] = {0};
                    if (!level->run[op][type]) continue;
                    level->run[op][type](terms, pitch, n_runs, n, together);
                    for (size_t r = 0; r < n_runs; r++) {
                        hw_fold_number alone = {0};
                        level->run[op][type](terms + (ptrdiff_t)r * pitch, 0, 1, n, &alone);
                        if (memcmp(&alone, &together[r], sizeof alone))
                            fail_msg("%s: run %d of %d, of %d terms of type %d, by operation %d", level->name, (int)r,
                                     (int)n_runs, (int)n, type, op);
                    }
                }
            }
        }
}

// Every f16 and bf16 at every level.
static void all_halves(void **state) {
    (void)state;
    static uint16_t halves[1 << 16];
    static float widened[1 << 16];
    for (int i = 0; i < 1 << 16; i++) halves[i] = (uint16_t)i;
    for (unsigned l = 0; hw_fold_level_at(l); l++)
        for (int bf = 0; bf < 2; bf++) {
            const DLDataType type = {(uint8_t)(bf ? kDLBfloat : kDLFloat), 16, 1};
            (bf ? hw_fold_level_at(l)->widen_bf16 : hw_fold_level_at(l)->widen_f16)(widened, halves, 1 << 16);
            for (int i = 0; i < 1 << 16; i++) {
                const float wanted = (float)hw_dtype_get(type, halves, (uint64_t)i);
                if (isnan(wanted)) assert_true(isnan(widened[i]));
                else assert_memory_equal(&wanted, &widened[i], sizeof wanted);
            }
        }
}

// ---- Memory that runs out ------------------------------------------------------------------------------------------

static void memory_runs_out(void **state) {
    (void)state;
    static float numbers[300000];
    float out = 0;
    int64_t shape = 300000;
    DLTensor in = {.data = numbers, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = &shape};
    DLTensor result = {.data = &out, .device = {kDLCPU, 0}, .ndim = 0, .dtype = {kDLFloat, 32, 1}};
    for (uint32_t flags = 0; flags < 2; flags++)
        for (long successes = 0;; successes++) {
            hw_diag diag = {0};
            hw_alloc_fail_after(successes);
            const hw_status status =
                hw_reduce(hw_device_stream(one_thread), HW_REDUCE_SUM, &in, NULL, 0, flags, &result, &diag);
            hw_alloc_fail_after(-1);
            if (status == HW_OK) {
                assert_true(successes >= 2);
                break;
            }
            assert_int_equal(status, HW_NO_MEMORY);
        }
}

// ---- Exact sums ----------------------------------------------------------------------------------------------------

// The result of a simulated GPU.
static void run_there(hw_device *device, const example *e, hw_reduction reduction, void *out) {
    hw_stream *stream = hw_device_stream(device);
    const hw_device_properties *properties = hw_device_get_properties(device);
    const size_t bytes = e->elems * (e->type.bits / 8u), out_bytes = e->outputs * (e->type.bits / 8u);
    void *data = NULL, *results = NULL;
    hw_diag diag = {0};
    int64_t out_shape[RANK];
    int out_rank = 0;
    for (int a = 0; a < e->rank; a++)
        if (!is_reduced(e, a)) out_shape[out_rank++] = e->shape[a];
    hw_status status = hw_device_alloc(device, bytes, &data, &diag);
    if (!status) status = hw_device_alloc(device, out_bytes, &results, &diag);
    if (!status) status = hw_copy(stream, data, e->data, bytes, &diag);
    DLTensor in = {.data = data, .device = properties->dl, .ndim = e->rank, .dtype = e->type,
                   .shape = (int64_t *)e->shape, .strides = (int64_t *)e->stride};
    DLTensor result = in;
    result.data = results;
    result.ndim = out_rank;
    result.shape = out_shape;
    result.strides = NULL;
    if (!status) status = hw_reduce(stream, reduction, &in, e->axes, e->n_axes, HW_REDUCE_EXACT, &result, &diag);
    if (!status) status = hw_copy(stream, out, results, out_bytes, &diag);
    if (!status) status = hw_stream_synchronize(stream, &diag);
    if (status) fail_msg("%s", diag.text);
    hw_device_free(device, data);
    hw_device_free(device, results);
}

static double special(bool f64) {
    static const double some[] = {INFINITY, -INFINITY, NAN, -0.0, 0x1.fffffep127, -0x1.fffffep127, 0x1p-149};
    static const double more[] = {0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023, 0x1p-1074};
    return f64 && below(2) ? more[below(3)] : some[below(7)];
}

// Sums and means of terms of every magnitude, with the bits of the processor, whatever its number of threads.
static void exact_everywhere(void **state) {
    (void)state;
    static const struct {
        int64_t rows, cols;
        int axis;
        bool f64, mean;
    } cases[] = {
        {1, 200001, 1, false, false}, {1, 90001, 1, true, true}, {3, 5003, 1, true, false},
        {5001, 3, 0, false, true},    {60, 5000, 0, true, false}, {301, 5, 1, false, false},
    };
    hw_device *gpu = open_device("sim:h200");
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (int kind = 0; kind < 4; kind++) {
            const int64_t rows = cases[c].rows, cols = cases[c].cols;
            example e = {.rank = 2, .shape = {rows, cols}, .stride = {cols, 1}, .elems = (uint64_t)(rows * cols),
                         .n_axes = 1, .axes = {cases[c].axis},
                         .type = {kDLFloat, (uint8_t)(cases[c].f64 ? 64 : 32), 1}};
            e.outputs = (uint64_t)(cases[c].axis ? rows : cols);
            e.terms = e.elems / e.outputs;
            const size_t bytes = e.outputs * (e.type.bits / 8u);
            e.data = malloc(e.elems * 8);
            for (uint64_t i = 0; i < e.elems; i++) {
                double value = ldexp((double)(random_bits() >> 11), -53);
                const int spread = cases[c].f64 ? 2000 : 250;
                if (kind == 1) value = ldexp(value - 0.5, (int)below((uint32_t)spread) - spread / 2 - 10);
                if (kind == 2) value = -0.0;
                if (kind == 3 && below(20000) == 0) value = special(cases[c].f64);
                hw_dtype_set(e.type, e.data, i, value);
            }
            char *one = malloc(bytes), *three = malloc(bytes), *there = malloc(bytes);
            const hw_reduction reduction = cases[c].mean ? HW_REDUCE_MEAN : HW_REDUCE_SUM;
            run(one_thread, &e, reduction, HW_REDUCE_EXACT, one);
            run(three_threads, &e, reduction, HW_REDUCE_EXACT, three);
            run_there(gpu, &e, reduction, there);
            assert_memory_equal(one, three, bytes);
            assert_memory_equal(one, there, bytes);
            free(one);
            free(three);
            free(there);
            free(e.data);
        }
    hw_device_close(gpu);
}

// Of the tests before it.
static void long_products_were_compared(void **state) {
    (void)state;
    assert_true(n_long_products > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_types_and_strides), cmocka_unit_test(parts),      cmocka_unit_test(short_runs),
        cmocka_unit_test(lower_zero),               cmocka_unit_test(strided_results),
        cmocka_unit_test(no_terms),                 cmocka_unit_test(wide_means), cmocka_unit_test(levels_agree),
        cmocka_unit_test(runs_in_one_call),         cmocka_unit_test(all_halves), cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(exact_everywhere), cmocka_unit_test(long_products_were_compared),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
