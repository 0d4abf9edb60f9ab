// Exact sums and means at the ends of the range, on the processor and on a device with kernels: the largest numbers,
// whose sums overflow on their way though not at its end, the smallest, infinities and NaNs among them; against numbers
// of a byte for each bit, and sums recorded from Python's fractions. HW_TEST_DEVICE=cuda:0 runs the same there.
#include <math.h>

#include "bit_number.h"
#include "op/common/family.h"
#include "op_test.h"

#define MOST64 0x1.fffffffffffffp1023
#define MOST32 0x1.fffffep127

static hw_device *devices[3];   // the processor with one thread and with three; one with kernels
enum { N_DEVICES = 3 };

static int setup(void **state) {
    (void)state;
    devices[0] = open_device_with("cpu", 0, 1);
    devices[1] = open_device_with("cpu", 0, 3);
    devices[2] = open_device(usual_device());
    return 0;
}

static int teardown(void **state) {
    (void)state;
    for (int d = 0; d < N_DEVICES; d++) hw_device_close(devices[d]);
    return 0;
}

// ---- A matrix whose sums are wanted --------------------------------------------------------------------------------

// `outputs` sums of `terms` each, which lie side by side, or a row apart.
typedef struct matrix {
    int64_t outputs, terms;
    bool in_columns, f64, no_mean;
    double *numbers;   // output after output
    const char *kind;
} matrix;

static double *term_of(const matrix *m, int64_t output, int64_t term) {
    return &m->numbers[output * m->terms + term];
}

static double wanted_result(const double *terms, int64_t n, bool mean, bool f64) {
    bool plus = false, minus = false, nan = false, all_minus_zero = true;
    for (int64_t k = 0; k < n; k++) {
        plus |= terms[k] == INFINITY;
        minus |= terms[k] == -INFINITY;
        nan |= isnan(terms[k]);
        all_minus_zero &= terms[k] == 0 && signbit(terms[k]);
    }
    if (nan || (plus && minus)) return NAN;
    if (plus || minus) return plus ? INFINITY : -INFINITY;
    if (all_minus_zero) return -0.0;
    return bit_number_sum(terms, (size_t)n, mean ? (uint64_t)n : 1, f64);
}

static void reduce_on(hw_device *device, const matrix *m, const void *elements, bool mean, void *results) {
    hw_stream *stream = hw_device_stream(device);
    const hw_device_properties *properties = hw_device_get_properties(device);
    const size_t size = m->f64 ? 8 : 4, bytes = (size_t)(m->outputs * m->terms) * size;
    void *in = NULL, *out = NULL;
    hw_diag diag = {0};
    int64_t shape[2] = {m->outputs, m->terms}, columns[2] = {m->terms, m->outputs}, outputs = m->outputs;
    const int axis = m->in_columns ? 0 : 1;
    hw_status status = hw_device_alloc(device, bytes, &in, &diag);
    if (!status) status = hw_device_alloc(device, (size_t)outputs * size, &out, &diag);
    if (!status) status = hw_copy(stream, in, elements, bytes, &diag);
    const DLTensor a = {.data = in, .device = properties->dl, .ndim = 2, .shape = m->in_columns ? columns : shape,
                        .dtype = {kDLFloat, (uint8_t)(8 * size), 1}};
    DLTensor b = {.data = out, .device = properties->dl, .ndim = 1, .shape = &outputs, .dtype = a.dtype};
    if (!status)
        status = hw_reduce(stream, mean ? HW_REDUCE_MEAN : HW_REDUCE_SUM, &a, &axis, 1, HW_REDUCE_EXACT, &b, &diag);
    if (!status) status = hw_copy(stream, results, out, (size_t)outputs * size, &diag);
    if (!status) status = hw_stream_synchronize(stream, &diag);
    if (status) fail_msg("%s", diag.text);
    hw_device_free(device, in);
    hw_device_free(device, out);
}

static void check_result(const matrix *m, int device, int64_t output, bool mean, double got, double wanted) {
    // A sum of 0 is +0 unless every term is -0.
    const bool is_right = isnan(wanted) ? isnan(got) : got == wanted && !signbit(got) == !signbit(wanted);
    if (!is_right)
        fail_msg("%s of f%d, %s: output %lld of %lld, of %lld terms%s, is %a on device %d, not %a",
                 mean ? "mean" : "sum", m->f64 ? 64 : 32, m->kind, (long long)output, (long long)m->outputs,
                 (long long)m->terms, m->in_columns ? " in columns" : "", got, device, wanted);
}

static void check(const matrix *m) {
    const DLDataType type = {kDLFloat, m->f64 ? 64 : 32, 1};
    const uint64_t n = (uint64_t)(m->outputs * m->terms);
    unsigned char *elements = malloc(n * 8), *results = malloc((size_t)m->outputs * 8 * N_DEVICES);
    for (int64_t o = 0; o < m->outputs; o++)
        for (int64_t t = 0; t < m->terms; t++) {
            const int64_t at = m->in_columns ? t * m->outputs + o : o * m->terms + t;
            hw_dtype_set(type, elements, (uint64_t)at, *term_of(m, o, t));
        }
    for (int mean = 0; mean < 2 - m->no_mean; mean++) {
        for (int d = 0; d < N_DEVICES; d++) reduce_on(devices[d], m, elements, mean, results + d * m->outputs * 8);
        for (int64_t o = 0; o < m->outputs; o++) {
            const double wanted = wanted_result(term_of(m, o, 0), m->terms, mean, m->f64);
            for (int d = 0; d < N_DEVICES; d++)
                check_result(m, d, o, mean, hw_dtype_get(type, results + d * m->outputs * 8, (uint64_t)o), wanted);
        }
    }
    free(elements);
    free(results);
}

// ---- Terms ----------------------------------------------------------------------------------------------------------

static double largest(bool f64) { return f64 ? MOST64 : MOST32; }

static double signed_at_random(double size) { return below(2) ? size : -size; }

// One of the largest numbers and of powers of two below: 2^1023 (f32: 2^127), 2^1022, 2^1020 and 2^1012.
static double large(bool f64) {
    static const int below_the_end[] = {1, 2, 4, 12};
    const uint32_t which = below(5);
    return which == 4 ? largest(f64) : ldexp(1, (f64 ? 1024 : 128) - below_the_end[which]);
}

static double tiny(bool f64) {
    switch (below(4)) {
        case 0: return ldexp(1 + below(100), f64 ? -1074 : -149);
        case 1: return f64 ? 0x1.8p-1022 : 0x1.8p-126;
        case 2: return ldexp(1 + below(1000), (int)below(60) - 30);
        default: return 0;
    }
}

static double any_bits(bool f64) {
    for (;;) {
        double value;
        float narrow;
        const uint64_t bits = random_bits();
        memcpy(&value, &bits, sizeof value);
        memcpy(&narrow, &bits, sizeof narrow);
        if (!f64) value = narrow;
        if (isfinite(value)) return value;
    }
}

// Half of the terms are a number, and half minus it: the sums of 1024 of them side by side do not fit in f64.
static void fill_halves(const matrix *m, double number) {
    for (int64_t o = 0; o < m->outputs; o++)
        for (int64_t t = 0; t < m->terms; t++) *term_of(m, o, t) = t < m->terms / 2 ? number : -number;
}

static void fill_large(const matrix *m) {
    for (int64_t k = 0; k < m->outputs * m->terms; k++) m->numbers[k] = signed_at_random(large(m->f64));
}

static void fill_mixed(const matrix *m) {
    for (int64_t k = 0; k < m->outputs * m->terms; k++)
        m->numbers[k] = signed_at_random(below(3) ? tiny(m->f64) : large(m->f64));
}

// Everything cancels but one tiny number, or its double or nothing.
static void fill_cancelling(const matrix *m) {
    for (int64_t o = 0; o < m->outputs; o++) {
        double *terms = term_of(m, o, 0);
        for (int64_t t = 0; t < m->terms; t++)
            terms[t] = t % 2 ? -terms[t - 1] : t + 1 == m->terms ? tiny(m->f64) : signed_at_random(large(m->f64));
        for (int64_t t = m->terms; t > 1; t--) {
            const int64_t other = below((uint32_t)t);
            const double kept = terms[t - 1];
            terms[t - 1] = terms[other];
            terms[other] = kept;
        }
    }
}

// Terms of one sign: their sum is an infinity, their mean a number.
static void fill_one_sign(const matrix *m) {
    for (int64_t k = 0; k < m->outputs * m->terms; k++) m->numbers[k] = -large(m->f64);
}

// Large numbers with an infinity, a NaN, or two infinities in some outputs.
static void fill_not_finite(const matrix *m) {
    fill_large(m);
    for (int64_t o = 0; o < m->outputs; o++) {
        const uint32_t which = below(5), at = below((uint32_t)m->terms);
        if (which == 4) continue;
        *term_of(m, o, at) = which == 0 ? NAN : which == 1 ? -INFINITY : INFINITY;
        if (which == 3) *term_of(m, o, (at + 1) % m->terms) = -INFINITY;
    }
}

static void fill_smallest(const matrix *m) {
    for (int64_t k = 0; k < m->outputs * m->terms; k++)
        m->numbers[k] = signed_at_random(ldexp(below(1u << below(25)), m->f64 ? -1074 : -149));
}

static void fill_zeros(const matrix *m) {
    for (int64_t k = 0; k < m->outputs * m->terms; k++) m->numbers[k] = -0.0;
    m->numbers[m->terms - 1] = 0.0;   // of the first output
}

static void fill_any_bits(const matrix *m) {
    for (int64_t k = 0; k < m->outputs * m->terms; k++) m->numbers[k] = any_bits(m->f64);
}

static const struct {
    const char *name;
    void (*fill)(const matrix *m);
} kinds[] = {
    {"large numbers", fill_large},            {"large and tiny numbers", fill_mixed},
    {"numbers that cancel", fill_cancelling}, {"numbers of one sign", fill_one_sign},
    {"infinities and NaNs", fill_not_finite}, {"subnormal numbers", fill_smallest},
    {"zeros", fill_zeros},                    {"any bits", fill_any_bits},
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

// ---- Tests ----------------------------------------------------------------------------------------------------------

// A thread for each output, a block, several blocks; terms that lie apart. Every kernel takes a second to compile: not
// all of them here.
static const struct {
    int64_t outputs, terms;
    bool in_columns, mean, f32;
} shapes[] = {
    {1, 3, false, true, false},     {7, 4, false, false, false}, {3, 31, false, false, true},
    {1, 40000, false, true, true},  {3, 1500, false, false, false},
    {5, 3, true, false, false},     {2, 500, true, false, false}, {2, 3000, true, false, false},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

static matrix new_matrix(int shape, bool f64, const char *kind) {
    const bool all = getenv("HW_TEST_DEVICE");
    matrix m = {.outputs = shapes[shape].outputs, .terms = shapes[shape].terms, .f64 = f64, .kind = kind,
                .in_columns = shapes[shape].in_columns, .no_mean = !all && !shapes[shape].mean};
    m.numbers = malloc((size_t)(m.outputs * m.terms) * sizeof *m.numbers);
    return m;
}

static void ends_of_the_range(void **state) {
    const bool all = getenv("HW_TEST_DEVICE");
    (void)state;
    for (int s = 0; s < N_SHAPES; s++)
        for (int k = 0; k < N_KINDS; k++)
            for (int f64 = 0; f64 < 2; f64++) {
                if (!f64 && !all && !shapes[s].f32) continue;
                const matrix m = new_matrix(s, f64, kinds[k].name);
                kinds[k].fill(&m);
                check(&m);
                free(m.numbers);
            }
}

// From the end of the range down to where no sum of 40000 terms overflows.
static void halves(void **state) {
    (void)state;
    for (int s = 0; s < N_SHAPES; s++)
        for (int exponent = 1024; exponent > 1004; exponent -= exponent > 1018 ? 1 : 4) {
            const matrix m = new_matrix(s, true, "halves");
            fill_halves(&m, exponent == 1024 ? MOST64 : ldexp(1, exponent));
            check(&m);
            free(m.numbers);
        }
}

// What fractions.Fraction of Python 3.11 made of sums and means of few terms.
static void recorded(void **state) {
    static const struct {
        double terms[6];
        int64_t n;
        double sum, mean;
    } all[] = {
        {{0x1p1023, 0x1p1023, -0x1p1023}, 3, 0x1p1023, 0x1.5555555555555p1021},
        {{MOST64, MOST64, MOST64, -MOST64, -MOST64}, 5, MOST64, 0x1.9999999999999p1021},
        {{MOST64, -MOST64, MOST64}, 3, MOST64, 0x1.5555555555555p1022},
        {{MOST64, 0x1p-1074, -MOST64}, 3, 0x1p-1074, 0},
        {{0x1p1023, 0x1p970, 0x1p916, -MOST64, 0x1p-1074}, 5, -0x1.ffffffffffffdp1022, -0x1.9999999999997p1020},
        {{MOST64, MOST64, MOST64, MOST64}, 4, INFINITY, MOST64},
        {{MOST64, MOST64, MOST64, 0x1p1020, -0x1p1022, 1.5}, 6, INFINITY, 0x1.dffffffffffffp1022},
        {{0x1p1022, 0x1p1022, 0x1p1022, 0x1p1022}, 4, INFINITY, 0x1p1022},
        {{-MOST64, -0x1p969, -0x1p-1074}, 3, -MOST64, -0x1.5555555555555p1022},
        {{-MOST64, -0x1p969, 0x1p-1074}, 3, -MOST64, -0x1.5555555555555p1022},
        {{0x1p1020, MOST64, -0x1p1022, -MOST64, 0x1p1022, 3e-310}, 6, 0x1p1020, 0x1.5555555555555p1017},
        {{MOST64, 0x1p970}, 2, INFINITY, 0x1p1023},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (int d = 0; d < N_DEVICES; d++) {
            const matrix m = {.outputs = 1, .terms = all[i].n, .f64 = true};
            double got[2];
            for (int mean = 0; mean < 2; mean++) reduce_on(devices[d], &m, all[i].terms, mean, &got[mean]);
            if (got[0] != all[i].sum || got[1] != all[i].mean)
                fail_msg("example %d on device %d: %a, %a instead of %a, %a", (int)i, d, got[0], got[1], all[i].sum,
                         all[i].mean);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_of_the_range), cmocka_unit_test(halves), cmocka_unit_test(recorded),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
