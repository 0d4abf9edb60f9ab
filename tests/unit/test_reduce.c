// hw_reduce on devices with kernels: every reduction of every type, and every way that a plan can take, against the
// plainest loop; NaN, ties, zeros of two signs; misuse. HW_TEST_DEVICE=cuda:0 (or cpu) runs the same there.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "device/device.h"
#include "halfwarp.h"
#include "op/family.h"
#include "op/reduction.h"

static hw_device *device;
static const hw_device_properties *properties;

static hw_device *open_device(uint64_t memory_limit) {
    hw_device *opened = NULL;
    hw_diag diag = {0};
    const char *name = getenv("HW_TEST_DEVICE");
    const hw_device_options options = {
        .cache_dir = HW_BUILD_DIR "/test-cache", .search_path = getenv("PATH"), .memory_limit_bytes = memory_limit};
    if (hw_device_open(name ? name : "sim:h200", &options, &opened, &diag)) fail_msg("%s", diag.text);
    return opened;
}

static int setup(void **state) {
    (void)state;
    device = open_device(0);
    properties = hw_device_get_properties(device);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    hw_device_close(device);
    return 0;
}

static uint32_t below(uint32_t n) {
    static uint64_t state = 0x2545f4914f6cdd1du;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 32) % n);
}

// ---- One reduction against a loop ----------------------------------------------------------------------------------

enum { RANK = 6, GUARD = 256, ANY = 99 };

// What the elements are: small numbers; ones with NaN, infinite and both zeros; all equal.
typedef enum filling { PLAIN, SPECIAL, EQUAL } filling;

typedef struct example {
    hw_reduction reduction;
    const char *dtype;
    int rank;
    int64_t shape[RANK];
    int order[RANK];                  // axes of in from the densest on; all 0: C order
    int64_t gap;                      // elements behind each axis
    bool backwards[RANK], still[RANK];
    uint32_t axes;                    // a bit for each that goes
    bool keepdims, out_backwards;
    uint32_t offset_elems;
    filling filling;
} example;

typedef struct memory {
    DLDataType dtype;
    int rank;
    int64_t shape[RANK], stride[RANK], first, span;   // elements from the lowest to element (0, 0, ...), and in all
    unsigned char *host;                              // with guards and offset
    size_t begin, all;                                // bytes; of the lowest element
    void *on_device;
} memory;

static void lay_out_in(const example *e, memory *m) {
    int64_t stride = 1;
    bool is_c = true;
    for (int k = 0; k < e->rank; k++) is_c &= e->order[k] == 0;
    m->rank = e->rank;
    m->first = 0;
    m->span = 1;
    for (int i = 0; i < e->rank; i++) {
        const int axis = is_c ? e->rank - 1 - i : e->order[i];
        const int64_t extent = e->shape[axis], reach = e->still[axis] || !extent ? 0 : (extent - 1) * stride;
        m->shape[axis] = extent;
        m->stride[axis] = e->still[axis] ? 0 : e->backwards[axis] ? -stride : stride;
        m->span += reach;
        if (e->backwards[axis] && !e->still[axis]) m->first += reach;
        if (!e->still[axis]) stride = stride * extent + e->gap;
    }
}

static void lay_out_out(const example *e, memory *m) {
    int64_t stride = 1;
    m->rank = 0;
    m->first = 0;
    m->span = 1;
    for (int k = 0; k < e->rank; k++)
        if (!(e->axes >> k & 1) || e->keepdims) m->shape[m->rank++] = e->axes >> k & 1 ? 1 : e->shape[k];
    for (int k = m->rank; k-- > 0; stride *= m->shape[k]) {
        const int64_t reach = m->shape[k] ? (m->shape[k] - 1) * stride : 0;
        m->stride[k] = e->out_backwards ? -stride : stride;
        if (e->out_backwards) m->first += reach;
        m->span += reach;
    }
}

static void take_memory(memory *m, uint32_t offset_elems, int byte) {
    const size_t bytes = m->dtype.bits / 8;
    m->begin = GUARD + offset_elems * bytes;
    m->all = m->begin + (size_t)m->span * bytes + GUARD;
    m->host = malloc(m->all);
    memset(m->host, byte, m->all);
    hw_diag diag = {0};
    if (hw_device_alloc(device, m->all, &m->on_device, &diag)) fail_msg("%s", diag.text);
}

static DLTensor tensor_of(const memory *m) {
    const size_t bytes = m->dtype.bits / 8;
    return (DLTensor){.data = (char *)m->on_device + m->begin + m->first * (int64_t)bytes, .device = properties->dl,
                      .ndim = m->rank, .dtype = m->dtype, .shape = (int64_t *)m->shape, .strides = (int64_t *)m->stride};
}

static double special(uint32_t which, bool has_nan) {
    static const double all[] = {0.0, -0.0, INFINITY, 3, -INFINITY, NAN};
    return all[which % (has_nan ? 6 : 5)];
}

// Numbers whose sums and products are exact or nearly so in every type.
static void fill_in(const example *e, memory *m) {
    const bool is_float = m->dtype.code == kDLFloat || m->dtype.code == kDLBfloat, is_signed = m->dtype.code != kDLUInt;
    for (int64_t i = 0; i < m->span; i++) {
        double value = is_signed ? (double)below(200) - 100 : (double)below(200);
        if (e->filling == EQUAL) value = 7;
        if (e->reduction == HW_REDUCE_PRODUCT) value = below(2000) ? 1 : 2;
        if (e->filling == SPECIAL && is_float && below(3) == 0) value = special(below(6), below(40) == 0);
        hw_dtype_set(m->dtype, m->host + m->begin, (uint64_t)i, value);
    }
}

// Integers of 64 bits come through double here: their examples stay small.
typedef struct total {
    double sum, product, squares, extreme;
    long double largest;   // of what was added
    bool has_nan;
    int64_t index, place, n;
} total;

static void add(const example *e, total *t, double v) {
    const bool is_least = e->reduction == HW_REDUCE_MIN || e->reduction == HW_REDUCE_ARGMIN;
    bool is_better = t->n == 0 || (is_least ? v < t->extreme : v > t->extreme);
    // -0.0 lies below 0.0 for min and max, and beside it for their places.
    if (v == 0 && t->extreme == 0 && t->n && !hw_reduction_is_arg(e->reduction))
        is_better = signbit(v) != signbit(t->extreme) && (is_least ? signbit(v) : !signbit(v));
    if (isnan(v) && !t->has_nan) is_better = true;
    else if (t->has_nan) is_better = false;
    if (isnan(v)) t->has_nan = true;
    if (is_better) {
        t->extreme = v;
        t->place = t->n;
    }
    t->sum += v;
    t->product *= v;
    t->squares += v * v;
    t->largest += fabsl(v) > 1 ? fabsl(v) * (e->reduction == HW_REDUCE_NORM ? fabsl(v) : 1) : 1;
    t->n++;
}

static double answer(const example *e, const total *t) {
    switch (e->reduction) {
    case HW_REDUCE_SUM: return t->sum;
    case HW_REDUCE_PRODUCT: return t->product;
    case HW_REDUCE_MIN:
    case HW_REDUCE_MAX: return t->extreme;
    case HW_REDUCE_ARGMIN:
    case HW_REDUCE_ARGMAX: return (double)t->place;
    case HW_REDUCE_MEAN: return t->sum / (double)t->n;
    default: return sqrt(t->squares);
    }
}

// Rounding of the result in out, and of at most 64 additions in the type of sums on any way to it.
static double tolerance(const example *e, const total *t, DLDataType in, DLDataType out, double wanted) {
    if (e->reduction == HW_REDUCE_MIN || e->reduction == HW_REDUCE_MAX || hw_reduction_is_arg(e->reduction)) return 0;
    const bool is_integer = out.code == kDLInt || out.code == kDLUInt;
    if (is_integer) return 0;
    const double eps = in.code == kDLFloat || in.code == kDLBfloat ? (in.bits == 64 ? 0x1p-53 : 0x1p-24) : 0x1p-53;
    const double out_eps = out.code == kDLBfloat ? 0x1p-8 : out.bits == 16 ? 0x1p-11 : eps;
    double spread = 64 * eps * (double)t->largest;
    if (e->reduction == HW_REDUCE_MEAN) spread /= (double)t->n;
    if (e->reduction == HW_REDUCE_NORM) spread = wanted > 0 ? spread / wanted : 0;
    if (e->reduction == HW_REDUCE_PRODUCT) spread = 64 * eps * fabs(wanted);
    return spread + 2 * out_eps * fabs(wanted);
}

static int64_t count(const memory *m) {
    int64_t n = 1;
    for (int k = 0; k < m->rank; k++) n *= m->shape[k];
    return n;
}

static void check_output(const example *e, const memory *in, const memory *out, const int64_t *at, int64_t to,
                         const char *text) {
    total t = {.product = 1};
    int64_t terms = 1, from = in->first;
    for (int k = 0; k < e->rank; k++) {
        if (e->axes >> k & 1) terms *= e->shape[k];
        else from += at[k] * in->stride[k];
    }
    for (int64_t i = 0; i < terms; i++) {
        int64_t rest = i, place = from;
        for (int k = e->rank; k-- > 0;) {
            if (!(e->axes >> k & 1)) continue;
            place += rest % e->shape[k] * in->stride[k];
            rest /= e->shape[k];
        }
        add(e, &t, hw_dtype_get(in->dtype, in->host + in->begin, (uint64_t)place));
    }
    const double wanted = answer(e, &t), got = hw_dtype_get(out->dtype, out->host + out->begin, (uint64_t)to);
    double most = tolerance(e, &t, in->dtype, out->dtype, wanted);
    // Beyond what the type of the result holds.
    bool is_same = isnan(wanted) ? isnan(got) : isinf(wanted) ? got == wanted : fabs(got - wanted) <= most;
    if (out->dtype.bits == 16 && fabs(wanted) > 65000) is_same = isinf(got) || is_same;
    if (is_same && wanted == 0 && (e->reduction == HW_REDUCE_MIN || e->reduction == HW_REDUCE_MAX))
        is_same = !signbit(got) == !signbit(wanted);
    char name[48];
    if (!is_same)
        fail_msg("%s of %s: output %lld is %.17g, not %.17g (within %g)\n%s",
                 hw_reduction_name(e->reduction, name, sizeof name), e->dtype, (long long)to, got, wanted, most, text);
}

static void check_outputs(const example *e, const memory *in, const memory *out, const char *text) {
    const int64_t outputs = count(out);
    for (int64_t o = 0; o < outputs; o++) {
        int64_t rest = o, to = out->first, at[RANK] = {0};
        for (int k = e->rank, axis = out->rank; k-- > 0;) {
            if (e->axes >> k & 1 && !e->keepdims) continue;
            axis--;
            if (e->axes >> k & 1) continue;
            at[k] = rest % e->shape[k];
            rest /= e->shape[k];
            to += at[k] * out->stride[axis];
        }
        check_output(e, in, out, at, to, text);
    }
}

static void check_guards(const memory *m, const char *text) {
    const size_t bytes = m->dtype.bits / 8, end = m->begin + (size_t)m->span * bytes;
    for (size_t i = 0; i < m->all; i++)
        if ((i < m->begin || i >= end) && m->host[i] != 0xA5)
            fail_msg("byte %lld of out, outside of it, was written\n%s", (long long)i - (long long)m->begin, text);
}

static void check(const example *e) {
    memory in = {0}, out = {0};
    hw_stream *stream = hw_device_stream(device);
    hw_diag diag = {0};
    char text[4096] = "";
    int axes[RANK], n_axes = 0;
    assert_true(hw_dtype_find(e->dtype, &in.dtype));
    out.dtype = hw_reduce_dtype(e->reduction, in.dtype);
    lay_out_in(e, &in);
    lay_out_out(e, &out);
    take_memory(&in, e->offset_elems, 0x11);
    take_memory(&out, e->offset_elems, 0xA5);
    fill_in(e, &in);
    // Negative ones, and the last first: order and sign do not matter.
    for (int k = e->rank; k-- > 0;)
        if (e->axes >> k & 1) axes[n_axes++] = k % 2 ? k - e->rank : k;
    hw_status status = hw_copy(stream, in.on_device, in.host, in.all, &diag);
    if (!status) status = hw_copy(stream, out.on_device, out.host, out.all, &diag);
    const DLTensor a = tensor_of(&in);
    DLTensor b = tensor_of(&out);
    if (!status) status = hw_reduce(stream, e->reduction, &a, n_axes ? axes : NULL, n_axes, 0, &b, &diag);
    if (!status) status = hw_copy(stream, out.host, out.on_device, out.all, &diag);
    if (!status) status = hw_stream_synchronize(stream, &diag);
    hw_reduce_explain(device, e->reduction, &a, n_axes ? axes : NULL, n_axes, 0, text, sizeof text, NULL);
    if (status) fail_msg("%s\n%s", diag.text, text);
    check_outputs(e, &in, &out, text);
    check_guards(&out, text);
    memory *both[] = {&in, &out};
    for (int i = 0; i < 2; i++) {
        hw_device_free(device, both[i]->on_device);
        free(both[i]->host);
    }
}

// ---- Examples -------------------------------------------------------------------------------------------------------

static const char *const dtypes[] = {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64"};
enum { N_DTYPES = sizeof dtypes / sizeof dtypes[0], N_REDUCTIONS = HW_REDUCE_NORM + 1 };

static bool is_float(int type) { return type >= 8; }

// Every type with one reduction, and every reduction with one type, with the other going round: all pairs in time.
static void test_types(void **state) {
    const bool is_all = getenv("HW_TEST_DEVICE") != NULL;
    (void)state;
    for (int t = 0; t < N_DTYPES; t++)
        for (int r = 0; r < N_REDUCTIONS; r++) {
            if (!is_all && (t + r) % 4 && strcmp(dtypes[t], "f32")) continue;
            const example whole = {.reduction = (hw_reduction)r, .dtype = dtypes[t], .rank = 1, .shape = {20011}, .axes = 1,
                                   .offset_elems = 1, .filling = SPECIAL};
            check(&whole);
        }
}

static void test_all_columns(void **state) {
    const bool is_all = getenv("HW_TEST_DEVICE") != NULL;
    (void)state;
    for (int t = 0; t < N_DTYPES; t++)
        for (int r = 0; r < N_REDUCTIONS; r++) {
            if (!is_all && (t + r) % 8) continue;
            const example columns = {.reduction = (hw_reduction)r, .dtype = dtypes[t], .rank = 2, .shape = {300, 48},
                                     .axes = 1, .filling = is_float(t) ? SPECIAL : EQUAL};
            check(&columns);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_all_columns),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
