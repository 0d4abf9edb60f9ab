// hw_reduce on devices with kernels: every reduction of every type, and every way that a plan can take, against the
// plainest loop; NaN, ties, zeros of two signs; misuse. HW_TEST_DEVICE=cuda:0 (or cpu) runs the same there.
#include <math.h>

#include "base/alloc.h"
#include "device/device.h"
#include "group_device.h"
#include "op/common/family.h"
#include "op/reduce/reduce_plan.h"

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
    uint32_t offset_elems, ddof;
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
                      .ndim = m->rank, .dtype = m->dtype, .shape = (int64_t *)m->shape,
                      .strides = (int64_t *)m->stride};
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
    int64_t not_zero;
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
    t->not_zero += v != 0;
    t->largest += fabsl(v) > 1 ? fabsl(v) * (e->reduction == HW_REDUCE_NORM ? fabsl(v) : 1) : 1;
    t->n++;
}

// Of small integers, whose sum of squares is exact.
static double variance(const total *t, uint32_t ddof) {
    const double n = (double)t->n, mean = t->sum / n, squares = t->squares - mean * t->sum;
    return (squares < 0x1p-40 * t->squares ? 0 : squares) / fmax(n - ddof, 0);
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
    case HW_REDUCE_VAR: return variance(t, e->ddof);
    case HW_REDUCE_STD: return sqrt(variance(t, e->ddof));
    case HW_REDUCE_ANY: return t->not_zero != 0;
    case HW_REDUCE_ALL: return t->not_zero == t->n;
    case HW_REDUCE_COUNT_NONZERO: return (double)t->not_zero;
    default: return sqrt(t->squares);
    }
}

// Rounding of the result in out, and of at most 64 additions in the type of sums on any way to it.
static double tolerance(const example *e, const total *t, DLDataType in, DLDataType out, double wanted) {
    if (e->reduction == HW_REDUCE_MIN || e->reduction == HW_REDUCE_MAX || hw_reduction_is_arg(e->reduction)) return 0;
    const bool is_integer = out.code == kDLInt || out.code == kDLUInt || out.code == HW_BOOL;
    if (is_integer) return 0;
    const bool is_spread = hw_reduction_is_spread(e->reduction);   // rounded at the end alone
    const double eps = in.code == kDLFloat || in.code == kDLBfloat ? (in.bits == 64 ? 0x1p-53 : 0x1p-24) : 0x1p-53;
    const double out_eps = out.code == kDLBfloat ? 0x1p-8 : out.bits == 16 ? 0x1p-11 : eps;
    double spread = 64 * eps * (double)t->largest;
    if (e->reduction == HW_REDUCE_MEAN) spread /= (double)t->n;
    if (e->reduction == HW_REDUCE_NORM) spread = wanted > 0 ? spread / wanted : 0;
    if (e->reduction == HW_REDUCE_PRODUCT) spread = 64 * eps * fabs(wanted);
    if (is_spread) spread = 0x1p-40 * fabs(wanted) + 0x1p-40 * (out.bits < 64);
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
    if (is_left_out()) return;
    const uint64_t seed_of_next = seed;
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
    if (!status) status = hw_reduce(stream, e->reduction, &a, n_axes ? axes : NULL, n_axes,
                                     HW_REDUCE_DDOF(e->ddof), &b, &diag);
    if (!status) status = hw_copy(stream, out.host, out.on_device, out.all, &diag);
    if (!status) status = hw_stream_synchronize(stream, &diag);
    hw_reduce_explain(device, e->reduction, &a, n_axes ? axes : NULL, n_axes, HW_REDUCE_DDOF(e->ddof), text,
                      sizeof text, NULL);
    if (status) fail_msg("%s\n%s", diag.text, text);
    check_outputs(e, &in, &out, text);
    check_guards(&out, text);
    memory *both[] = {&in, &out};
    for (int i = 0; i < 2; i++) {
        hw_device_free(device, both[i]->on_device);
        free(both[i]->host);
    }
    seed = seed_of_next;
}

// ---- Examples -------------------------------------------------------------------------------------------------------

static const char *const dtypes[] = {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64"};
enum { N_DTYPES = sizeof dtypes / sizeof dtypes[0], N_REDUCTIONS = HW_REDUCTIONS };

static bool is_float(int type) { return type >= 8; }

// A kernel takes a third of a second to compile: a part of all pairs, every type and every reduction among them; all of
// them where another device is asked for.
static bool is_wanted(int type, int reduction, int every) {
    return getenv("HW_TEST_DEVICE") || (type + reduction) % every == 0;
}

static void test_types_of_rows(void **state) {
    (void)state;
    for (int t = 0; t < N_DTYPES; t++)
        for (int r = 0; r < N_REDUCTIONS; r++) {
            if (!is_wanted(t, r, 6) && strcmp(dtypes[t], "f32")) continue;
            const example whole = {.reduction = (hw_reduction)r, .dtype = dtypes[t], .rank = 1, .shape = {70011},
                                   .axes = 1, .offset_elems = 1, .filling = SPECIAL};
            check(&whole);
        }
}

static void test_types_of_columns(void **state) {
    (void)state;
    for (int t = 0; t < N_DTYPES; t++)
        for (int r = 0; r < N_REDUCTIONS; r++) {
            if (!is_wanted(t, r, 12)) continue;
            const example columns = {.reduction = (hw_reduction)r, .dtype = dtypes[t], .rank = 2, .shape = {300, 48},
                                     .axes = 1, .filling = is_float(t) ? SPECIAL : EQUAL};
            check(&columns);
        }
}

// Nothing, one, primes, around words, warps, blocks and what a block does alone. The kernels are few: most sizes share
// one.
static void test_sizes(void **state) {
    static const int64_t sizes[] = {0, 1, 2, 3, 4, 5, 31, 97, 127, 128, 129, 511, 512, 513, 2047, 2048, 2053,
                                    65535, 65536, 65537, 65540, 200003};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const example whole = {.reduction = HW_REDUCE_SUM, .dtype = "f32", .rank = 1, .shape = {sizes[i]}, .axes = 1};
        check(&whole);
    }
}

static const example chosen[] = {
    // Rows: a lane, some lanes, a warp, a block, several blocks for each.
    {.reduction = HW_REDUCE_SUM, .dtype = "f32", .rank = 2, .shape = {1031, 8}, .axes = 2},
    {.reduction = HW_REDUCE_SUM, .dtype = "f32", .rank = 2, .shape = {1031, 7}, .axes = 2, .keepdims = true},
    {.reduction = HW_REDUCE_SUM, .dtype = "f32", .rank = 2, .shape = {517, 64}, .axes = 2},
    {.reduction = HW_REDUCE_MIN, .dtype = "f32", .rank = 2, .shape = {129, 500}, .axes = 2, .filling = SPECIAL},
    {.reduction = HW_REDUCE_SUM, .dtype = "f32", .rank = 2, .shape = {33, 4097}, .axes = 2},
    {.reduction = HW_REDUCE_ARGMAX, .dtype = "f32", .rank = 2, .shape = {3, 70001}, .axes = 2, .filling = EQUAL},
    // Columns: few, many, of words that are not aligned, in parts.
    {.reduction = HW_REDUCE_SUM, .dtype = "f32", .rank = 2, .shape = {2000, 3}, .axes = 1},
    {.reduction = HW_REDUCE_SUM, .dtype = "f32", .rank = 2, .shape = {65, 1031}, .axes = 1},
    {.reduction = HW_REDUCE_ARGMIN, .dtype = "f32", .rank = 2, .shape = {3000, 64}, .axes = 1, .filling = EQUAL},
    {.reduction = HW_REDUCE_SUM, .dtype = "f32", .rank = 2, .shape = {8, 4096}, .axes = 1},
    {.reduction = HW_REDUCE_SUM, .dtype = "f32", .rank = 2, .shape = {3, 271000}, .axes = 1},
    // Several axes, of which some stay between.
    {.reduction = HW_REDUCE_SUM, .dtype = "f32", .rank = 3, .shape = {7, 11, 130}, .axes = 5},
    {.reduction = HW_REDUCE_SUM, .dtype = "f32", .rank = 3, .shape = {40, 6, 33}, .axes = 5, .keepdims = true},
    {.reduction = HW_REDUCE_SUM, .dtype = "f32", .rank = 4, .shape = {5, 9, 7, 12}, .axes = 5},
    {.reduction = HW_REDUCE_ARGMAX, .dtype = "f32", .rank = 4, .shape = {5, 9, 7, 12}, .axes = 10},
    {.reduction = HW_REDUCE_SUM, .dtype = "f32", .rank = 3, .shape = {50, 30, 2}, .axes = 5},
    // Backwards, apart, again and again, in another order.
    {.reduction = HW_REDUCE_SUM, .dtype = "f32", .rank = 2, .shape = {60, 70}, .axes = 2, .backwards = {true, true}},
    {.reduction = HW_REDUCE_ARGMIN, .dtype = "f32", .rank = 2, .shape = {60, 70}, .axes = 3,
     .backwards = {false, true}},
    {.reduction = HW_REDUCE_ARGMIN, .dtype = "f32", .rank = 2, .shape = {60, 70}, .axes = 3, .order = {0, 1},
     .filling = EQUAL},
    {.reduction = HW_REDUCE_MAX, .dtype = "f32", .rank = 2, .shape = {60, 70}, .axes = 1, .gap = 3,
     .out_backwards = true},
    {.reduction = HW_REDUCE_SUM, .dtype = "f32", .rank = 2, .shape = {60, 70}, .axes = 1, .still = {true, false}},
    {.reduction = HW_REDUCE_SUM, .dtype = "f32", .rank = 2, .shape = {60, 70}, .axes = 1, .still = {false, true}},
    {.reduction = HW_REDUCE_ARGMAX, .dtype = "f32", .rank = 2, .shape = {60, 70}, .axes = 3, .still = {true, true}},
    // Nothing to add, nothing to write, nothing to combine.
    {.reduction = HW_REDUCE_SUM, .dtype = "f32", .rank = 2, .shape = {5, 0}, .axes = 2},
    {.reduction = HW_REDUCE_MIN, .dtype = "f32", .rank = 2, .shape = {0, 5}, .axes = 2},
    {.reduction = HW_REDUCE_SUM, .dtype = "f32", .rank = 2, .shape = {1, 5}, .axes = 1},
    {.reduction = HW_REDUCE_ARGMAX, .dtype = "f32", .rank = 2, .shape = {300, 1}, .axes = 2},
    {.reduction = HW_REDUCE_NORM, .dtype = "f32", .rank = 0, .axes = 0},
    // What divides a variance: all but one, none, fewer than none.
    {.reduction = HW_REDUCE_VAR, .dtype = "f32", .rank = 2, .shape = {37, 1000}, .axes = 2, .ddof = 1},
    {.reduction = HW_REDUCE_STD, .dtype = "f64", .rank = 2, .shape = {3000, 64}, .axes = 1, .ddof = 1},
    {.reduction = HW_REDUCE_VAR, .dtype = "i32", .rank = 2, .shape = {3, 5}, .axes = 2, .ddof = 5},
    {.reduction = HW_REDUCE_STD, .dtype = "u8", .rank = 2, .shape = {3, 5}, .axes = 2, .ddof = 7},
    {.reduction = HW_REDUCE_VAR, .dtype = "f32", .rank = 2, .shape = {3, 1}, .axes = 2, .ddof = 1},
    // Few columns of many rows, which the processor takes several of at a time, with a rest.
    {.reduction = HW_REDUCE_VAR, .dtype = "i16", .rank = 2, .shape = {20011, 3}, .axes = 1},
    {.reduction = HW_REDUCE_COUNT_NONZERO, .dtype = "f16", .rank = 2, .shape = {20011, 3}, .axes = 1},
};

static void test_chosen(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof chosen / sizeof chosen[0]; i++) check(&chosen[i]);
}

// The value for nothing: 0, 1, NaN.
static void test_nothing(void **state) {
    static const struct {
        hw_reduction reduction;
        const char *dtype;
        double value;
    } all[] = {{HW_REDUCE_PRODUCT, "i32", 1}, {HW_REDUCE_PRODUCT, "f16", 1}, {HW_REDUCE_NORM, "u8", 0},
               {HW_REDUCE_MEAN, "f64", NAN},  {HW_REDUCE_MEAN, "i64", NAN},
               {HW_REDUCE_VAR, "f32", NAN},   {HW_REDUCE_STD, "u16", NAN},     {HW_REDUCE_ANY, "f32", 0},
               {HW_REDUCE_ALL, "i8", 1},      {HW_REDUCE_COUNT_NONZERO, "f64", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        int64_t shape[1] = {0};
        DLDataType dtype;
        hw_diag diag = {0};
        void *memory;
        uint64_t got[1];
        assert_true(hw_dtype_find(all[i].dtype, &dtype));
        assert_int_equal(hw_device_alloc(device, 8, &memory, &diag), HW_OK);
        const DLTensor in = {.device = properties->dl, .ndim = 1, .dtype = dtype, .shape = shape};
        DLTensor out = {.data = memory, .device = properties->dl, .dtype = hw_reduce_dtype(all[i].reduction, dtype)};
        hw_stream *stream = hw_device_stream(device);
        hw_status status = hw_reduce(stream, all[i].reduction, &in, NULL, 0, 0, &out, &diag);
        if (!status) status = hw_copy(stream, got, memory, out.dtype.bits / 8, &diag);
        if (!status) status = hw_stream_synchronize(stream, &diag);
        if (status) fail_msg("%s", diag.text);
        const double value = hw_dtype_get(out.dtype, got, 0);
        if (isnan(all[i].value) ? !isnan(value) : value != all[i].value) fail_msg("%g, not %g", value, all[i].value);
        hw_device_free(device, memory);
    }
}

static double reduce_to(hw_reduction reduction, uint32_t flags, DLDataType type, int64_t n, const void *host,
                        DLDataType out_type) {
    void *memory[2];
    unsigned char got[8];
    hw_diag diag = {0};
    hw_stream *stream = hw_device_stream(device);
    const size_t bytes = (size_t)n * (type.bits / 8u);
    assert_int_equal(hw_device_alloc(device, bytes, &memory[0], NULL), HW_OK);
    assert_int_equal(hw_device_alloc(device, sizeof got, &memory[1], NULL), HW_OK);
    const DLTensor in = {.data = memory[0], .device = properties->dl, .ndim = 1, .dtype = type, .shape = &n};
    DLTensor out = {.data = memory[1], .device = properties->dl, .dtype = out_type};
    hw_status status = hw_copy(stream, memory[0], host, bytes, &diag);
    if (!status) status = hw_reduce(stream, reduction, &in, NULL, 0, flags, &out, &diag);
    if (!status) status = hw_copy(stream, got, memory[1], out_type.bits / 8u, &diag);
    if (!status) status = hw_stream_synchronize(stream, &diag);
    if (status) fail_msg("%s", diag.text);
    for (int i = 0; i < 2; i++) hw_device_free(device, memory[i]);
    return hw_dtype_get(out_type, got, 0);
}

// Truths are bytes: their sums count, of their extremes and of any and all the type is bool, or u8 where that is asked
// for.
static void test_truths(void **state) {
    enum { N = 5003 };
    static unsigned char truths[N];
    const DLDataType type = {HW_BOOL, 8, 1}, u8 = {kDLUInt, 8, 1};
    double count = 0;
    (void)state;
    for (int i = 0; i < N; i++) count += truths[i] = (unsigned char)(i % 3 != 0);
    const double wanted[HW_REDUCTIONS] = {
        [HW_REDUCE_SUM] = count, [HW_REDUCE_MAX] = 1, [HW_REDUCE_ARGMAX] = 1, [HW_REDUCE_MEAN] = count / N,
        [HW_REDUCE_NORM] = sqrt(count), [HW_REDUCE_VAR] = count / N * (1 - count / N),
        [HW_REDUCE_STD] = sqrt(count / N * (1 - count / N)), [HW_REDUCE_ANY] = 1, [HW_REDUCE_COUNT_NONZERO] = count};
    for (int r = 0; r < HW_REDUCTIONS; r++) {
        const DLDataType out = hw_reduce_dtype((hw_reduction)r, type);
        const double got = reduce_to((hw_reduction)r, 0, type, N, truths, out);
        if (!(fabs(got - wanted[r]) <= 1e-12)) fail_msg("%s of truths: %g", hw_reduction_names[r], got);
        assert_int_equal(out.code == HW_BOOL, r == HW_REDUCE_MIN || r == HW_REDUCE_MAX || r == HW_REDUCE_ANY ||
                                                  r == HW_REDUCE_ALL);
    }
    assert_true(reduce_to(HW_REDUCE_ANY, 0, type, N, truths, u8) == 1);
    memset(truths, 0, sizeof truths);
    assert_true(reduce_to(HW_REDUCE_ANY, 0, type, N, truths, type) == 0);
    truths[N - 1] = 1;
    assert_true(reduce_to(HW_REDUCE_ANY, 0, type, N, truths, type) == 1);
}

// Far from zero, where a sum of squares has lost everything; and beyond f32.
static void test_sound_variances(void **state) {
    enum { N = 40001 };
    static double far[N];
    static float large[N];
    const DLDataType f64 = {kDLFloat, 64, 1}, f32 = {kDLFloat, 32, 1};
    (void)state;
    for (int i = 0; i < N; i++) {
        far[i] = 1e9 + (i < N - 1 ? (i % 2 ? 1 : -1) : 0);
        large[i] = i % 2 ? 1e30f : 2e30f;
    }
    const double var = reduce_to(HW_REDUCE_VAR, HW_REDUCE_DDOF(1), f64, N, far, f64);
    if (!(fabs(var - 1) <= 1e-9)) fail_msg("the variance is %.17g, not 1", var);
    const double std = reduce_to(HW_REDUCE_STD, 0, f32, N - 1, large, f32);
    if (!(fabs(std / ((2e30f - 1e30f) / 2.0) - 1) <= 1e-7)) fail_msg("the deviation is %.9g", std);
    for (int i = 0; i < N; i++) far[i] = 1e308 / 3;
    assert_true(reduce_to(HW_REDUCE_VAR, 0, f64, 3, far, f64) == 0);
    assert_true(reduce_to(HW_REDUCE_VAR, HW_REDUCE_DDOF(3), f64, 3, (double[]){1, 2, 3}, f64) == INFINITY);
}

// Indices of 64 bits, which only arrays of 2^31 elements have: the same places as with 32.
static void test_index64(void **state) {
    enum { A = 6, B = 50, C = 70 };
    static float host[A * B * C];
    static const int axes[][2] = {{0, 2}, {0, 1}};   // rows of several runs; columns
    int64_t shape[3] = {A, B, C}, got[2][C];
    hw_diag diag = {0};
    void *in, *out, *scratch;
    hw_stream *stream = hw_device_stream(device);
    (void)state;
    if (properties->kind == HW_DEVICE_CPU) skip();
    for (int i = 0; i < A * B * C; i++) host[i] = (float)below(1000);
    assert_int_equal(hw_device_alloc(device, sizeof host, &in, &diag), HW_OK);
    assert_int_equal(hw_device_alloc(device, sizeof got[0], &out, &diag), HW_OK);
    assert_int_equal(hw_copy(stream, in, host, sizeof host, &diag), HW_OK);
    for (int way = 0; way < 2; way++) {
        const int64_t outputs = way ? C : B;
        DLTensor a = {.data = in, .device = properties->dl, .ndim = 3, .dtype = {kDLFloat, 32, 1}, .shape = shape};
        DLTensor b = {.data = out, .device = properties->dl, .ndim = 1, .dtype = {kDLInt, 64, 1},
                      .shape = (int64_t *)&outputs};
        for (int wide = 0; wide < 2; wide++) {
            hw_reduction_form form;
            hw_reduce_plan plan;
            hw_plan launches;
            assert_int_equal(hw_reduction_make(HW_REDUCE_ARGMAX, &a, axes[way], 2, 0, &b, true, &form, &diag), HW_OK);
            const hw_reduce_goals goals = hw_reduce_goals_for(&form, properties);
            hw_reduce_plan_make(&form, &goals, &plan);
            assert_int_equal(plan.way, way ? HW_REDUCE_COLUMNS : HW_REDUCE_ROWS);
            plan.index64 = wide;
            assert_int_equal(hw_stream_scratch(stream, HW_SCRATCH_ZEROS + 2 * plan.scratch_bytes, &scratch, &diag),
                             HW_OK);
            void *const arrays[] = {in, out, scratch};
            hw_reduce_plan_launch(&form, &plan, 0, 1, 2, HW_SCRATCH_ZEROS, &launches);
            if (hw_plan_run(stream, &launches, arrays, &diag)) fail_msg("%s", diag.text);
            assert_int_equal(hw_copy(stream, got[wide], out, (size_t)outputs * 8, &diag), HW_OK);
            assert_int_equal(hw_stream_synchronize(stream, &diag), HW_OK);
        }
        assert_memory_equal(got[0], got[1], (size_t)outputs * 8);
    }
    hw_device_free(device, in);
    hw_device_free(device, out);
}

// Any shapes, axes and strides; sums and places.
static void test_random(void **state) {
    const int rounds = getenv("HW_TEST_DEVICE") ? 400 : 25;
    (void)state;
    for (int i = 0; i < rounds; i++) {
        static const hw_reduction some[] = {HW_REDUCE_SUM, HW_REDUCE_ARGMIN, HW_REDUCE_STD, HW_REDUCE_COUNT_NONZERO};
        example e = {.reduction = some[below(4)], .dtype = below(2) ? "f32" : "u8",
                     .rank = 1 + (int)below(4), .gap = below(3) ? 0 : below(4), .keepdims = below(2),
                     .out_backwards = below(2), .offset_elems = below(5), .filling = below(2) ? PLAIN : EQUAL};
        if (below(2)) shuffle(e.order, e.rank);
        for (int k = 0; k < e.rank; k++) {
            static const int64_t extents[] = {1, 2, 3, 5, 8, 16, 37};
            e.shape[k] = extents[below(7)];
            e.backwards[k] = below(4) == 0;
            e.still[k] = below(8) == 0;
        }
        e.axes = 1 + below((1u << e.rank) - 1);
        check(&e);
    }
}

// The sum of many numbers of all sizes, twice: the same bits.
static void test_same_bits(void **state) {
    enum { N = 300000 };
    (void)state;
    float *host = malloc(N * sizeof *host), got[4];
    hw_diag diag = {0};
    void *in, *out;
    int64_t shape[1] = {N};
    for (int i = 0; i < N; i++) host[i] = ldexpf((float)below(1 << 20), (int)below(40) - 20);
    assert_int_equal(hw_device_alloc(device, N * sizeof *host, &in, &diag), HW_OK);
    assert_int_equal(hw_device_alloc(device, sizeof *host, &out, &diag), HW_OK);
    hw_stream *stream = hw_device_stream(device);
    hw_status status = hw_copy(stream, in, host, N * sizeof *host, &diag);
    const DLTensor a = {.data = in, .device = properties->dl, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = shape};
    DLTensor b = {.data = out, .device = properties->dl, .dtype = {kDLFloat, 32, 1}};
    for (int i = 0; i < 4 && !status; i++) {
        status = hw_reduce(stream, HW_REDUCE_SUM, &a, NULL, 0, 0, &b, &diag);
        if (!status) status = hw_copy(stream, &got[i], out, sizeof *host, &diag);
        if (!status) status = hw_stream_synchronize(stream, &diag);
    }
    if (status) fail_msg("%s", diag.text);
    for (int i = 1; i < 4; i++) assert_memory_equal(&got[0], &got[i], sizeof *got);
    hw_device_free(device, in);
    hw_device_free(device, out);
    free(host);
}

// ---- Misuse ---------------------------------------------------------------------------------------------------------

typedef struct question {
    hw_reduction reduction;
    DLDataType in_type, out_type;
    int in_rank, out_rank, n_axes, axes[2];
    int64_t in_shape[2], in_stride[2], out_shape[2], out_stride[2];
    uint32_t flags;
    int in_offset, out_offset;   // bytes
    DLDevice in_device;          // of type 0: the stream's
    hw_status status;
    const char *words;
} question;

#define F32 {kDLFloat, 32, 1}
static const question refused[] = {
    {.in_type = F32, .out_type = F32, .in_rank = 1, .in_shape = {4}, .out_rank = 1, .out_shape = {4}, .out_stride = {1},
     .status = HW_USAGE, .words = "the extent 4"},
    {.in_type = F32, .out_type = F32, .in_rank = 2, .in_shape = {4, 4}, .out_rank = 0, .n_axes = 1, .status = HW_USAGE,
     .words = "out has rank 0"},
    {.in_type = F32, .out_type = F32, .in_rank = 2, .in_shape = {4, 4}, .n_axes = 1, .axes = {2}, .status = HW_USAGE,
     .words = "2 is no axis"},
    {.in_type = F32, .out_type = F32, .in_rank = 2, .in_shape = {4, 4}, .n_axes = 2, .axes = {1, -1},
     .status = HW_USAGE, .words = "axis 1 comes twice"},
    {.in_type = F32, .out_type = F32, .in_rank = 2, .in_shape = {4, 4}, .n_axes = -1, .status = HW_USAGE,
     .words = "the number of axes is -1"},
    {.in_type = F32, .out_type = {kDLFloat, 64, 1}, .in_rank = 1, .in_shape = {4}, .status = HW_USAGE, .words = "f64"},
    {.in_type = {kDLComplex, 64, 1}, .out_type = F32, .in_rank = 1, .in_shape = {4}, .status = HW_UNSUPPORTED,
     .words = "c64"},
    {.in_type = {kDLFloat, 32, 2}, .out_type = F32, .in_rank = 1, .in_shape = {4}, .status = HW_UNSUPPORTED,
     .words = "lanes"},
    {.reduction = HW_REDUCE_MAX, .in_type = F32, .out_type = F32, .in_rank = 1, .in_shape = {4},
     .flags = HW_REDUCE_EXACT, .status = HW_UNSUPPORTED, .words = "a max of f32"},
    {.in_type = F32, .out_type = F32, .in_rank = 1, .in_shape = {4}, .flags = 8, .status = HW_USAGE,
     .words = "flags 0x8"},
    {.reduction = (hw_reduction)HW_REDUCTIONS, .in_type = F32, .out_type = F32, .in_rank = 1, .in_shape = {4},
     .status = HW_USAGE, .words = "number 13"},
    {.in_type = F32, .out_type = F32, .in_rank = 1, .in_shape = {4}, .flags = HW_REDUCE_DDOF(1), .status = HW_USAGE,
     .words = "not for sum"},
    {.reduction = HW_REDUCE_ANY, .in_type = F32, .out_type = F32, .in_rank = 1, .in_shape = {4}, .status = HW_USAGE,
     .words = "the any of in is bool"},
    {.reduction = HW_REDUCE_ARGMIN, .in_type = F32, .out_type = {kDLInt, 64, 1}, .in_rank = 1, .in_shape = {0},
     .status = HW_USAGE, .words = "no argmin of no elements"},
    {.in_type = F32, .out_type = F32, .in_rank = 1, .in_shape = {-1}, .status = HW_USAGE, .words = "extent -1"},
    {.in_type = F32, .out_type = F32, .in_rank = 1, .in_shape = {4}, .in_offset = 2, .status = HW_USAGE,
     .words = "in begins at no multiple"},
    {.in_type = F32, .out_type = F32, .in_rank = 1, .in_shape = {64}, .out_offset = -512 + 128, .status = HW_USAGE,
     .words = "in and out share memory"},
    {.in_type = F32, .out_type = F32, .in_rank = 2, .in_shape = {4, 4}, .n_axes = 1, .out_rank = 1, .out_shape = {4},
     .out_stride = {0}, .status = HW_USAGE, .words = "two of its elements"},
    {.in_type = F32, .out_type = F32, .in_rank = 1, .in_shape = {4}, .in_device = {kDLROCM, 3}, .status = HW_USAGE,
     .words = "in is on a device of DLPack type 10"},
    {.in_type = F32, .out_type = F32, .in_rank = 2, .in_shape = {1ll << 30, 1ll << 30}, .in_stride = {0, 0},
     .status = HW_UNSUPPORTED, .words = "2^40"},
};

static void test_misuse(void **state) {
    hw_diag diag = {0};
    char *memory;
    (void)state;
    assert_int_equal(hw_device_alloc(device, 1024, (void **)&memory, &diag), HW_OK);
    hw_stream *stream = hw_device_stream(device);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const question *q = &refused[i];
        diag = (hw_diag){0};
        const bool is_strided = i + 1 == sizeof refused / sizeof refused[0];
        const DLTensor in = {.data = memory + q->in_offset,
                             .device = q->in_device.device_type ? q->in_device : properties->dl,
                             .ndim = q->in_rank, .dtype = q->in_type, .shape = (int64_t *)q->in_shape,
                             .strides = is_strided ? (int64_t *)q->in_stride : NULL};
        DLTensor out = {.data = memory + 512 + q->out_offset, .device = properties->dl, .ndim = q->out_rank,
                        .dtype = q->out_type, .shape = (int64_t *)q->out_shape, .strides = (int64_t *)q->out_stride};
        hw_status status = hw_reduce(stream, q->reduction, &in, q->axes, q->n_axes, q->flags, &out, &diag);
        if (status != q->status || !strstr(diag.text, q->words))
            fail_msg("question %d: status %d, \"%s\", not %d with \"%s\"", (int)i, (int)status, diag.text,
                     (int)q->status, q->words);
    }
    int64_t shape[1] = {4};
    const DLTensor in = {.data = memory, .device = properties->dl, .ndim = 1, .dtype = F32, .shape = shape};
    DLTensor out = {.data = memory + 512, .device = properties->dl, .dtype = F32};
    assert_int_equal(hw_reduce(NULL, HW_REDUCE_SUM, &in, NULL, 0, 0, &out, &diag), HW_USAGE);
    assert_int_equal(hw_reduce(stream, HW_REDUCE_SUM, NULL, NULL, 0, 0, &out, &diag), HW_USAGE);
    assert_int_equal(hw_reduce(stream, HW_REDUCE_SUM, &in, NULL, 0, 0, NULL, &diag), HW_USAGE);
    assert_int_equal(hw_reduce(stream, HW_REDUCE_SUM, &in, NULL, 1, 0, &out, &diag), HW_USAGE);
    assert_int_equal(hw_reduce_explain(device, HW_REDUCE_SUM, &in, NULL, 0, 0, NULL, 0, &diag), HW_USAGE);
    hw_device_free(device, memory);
}

// Every allocation fails in turn, of a device of its own, whose stream has no scratch memory yet.
static void test_no_memory(void **state) {
    enum { N = 100000 };
    (void)state;
    hw_status status = HW_NO_MEMORY;
    long allowed = 0;
    // Some hundred, but for launches that take so long that a kernel is compiled meanwhile.
    for (; status == HW_NO_MEMORY && allowed < 100000; allowed++) {
        hw_device *own = open_device(usual_device());
        hw_diag diag = {0};
        void *in, *out;
        int64_t shape[1] = {N};
        assert_int_equal(hw_device_alloc(own, N * 4, &in, &diag), HW_OK);
        assert_int_equal(hw_device_alloc(own, 4, &out, &diag), HW_OK);
        assert_int_equal(hw_fill(hw_device_stream(own), in, 0, N * 4, &diag), HW_OK);
        const DLTensor a = {.data = in, .device = hw_device_get_properties(own)->dl, .ndim = 1, .dtype = F32,
                            .shape = shape};
        DLTensor b = {.data = out, .device = a.device, .dtype = F32};
        hw_alloc_fail_after(allowed);
        status = hw_reduce(hw_device_stream(own), HW_REDUCE_SUM, &a, NULL, 0, 0, &b, &diag);
        hw_alloc_fail_after(-1);
        if (status && status != HW_NO_MEMORY) fail_msg("%d: %s", (int)status, diag.text);
        if (status == HW_OK) {
            float sum = 1;
            assert_int_equal(hw_copy(hw_device_stream(own), &sum, out, 4, &diag), HW_OK);
            assert_int_equal(hw_stream_synchronize(hw_device_stream(own), &diag), HW_OK);
            assert_true(sum == 0);
        }
        hw_device_close(own);
    }
    assert_int_equal(status, HW_OK);
    assert_true(allowed > 1);
}

// What kernels leave each other: zeros where counters are, the same memory while it is large enough, one for each
// stream.
static void test_scratch(void **state) {
    enum { MORE = 3 << 20 };
    hw_diag diag = {0};
    hw_stream *streams[2];
    void *first[2], *again;
    unsigned char *got = malloc(HW_SCRATCH_ZEROS), *zeros = calloc(HW_SCRATCH_ZEROS, 1);
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(hw_stream_create(device, &streams[i], &diag), HW_OK);
        assert_int_equal(hw_stream_scratch(streams[i], HW_SCRATCH_ZEROS, &first[i], &diag), HW_OK);
    }
    assert_ptr_not_equal(first[0], first[1]);
    assert_int_equal(hw_stream_scratch(streams[0], HW_SCRATCH_ZEROS, &again, &diag), HW_OK);
    assert_ptr_equal(again, first[0]);
    assert_int_equal(hw_fill(streams[0], again, 1, HW_SCRATCH_ZEROS, &diag), HW_OK);
    assert_int_equal(hw_stream_scratch(streams[0], MORE, &again, &diag), HW_OK);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(hw_copy(streams[0], got, again, HW_SCRATCH_ZEROS, &diag), HW_OK);
        assert_int_equal(hw_stream_synchronize(streams[0], &diag), HW_OK);
        assert_memory_equal(got, zeros, HW_SCRATCH_ZEROS);
        assert_int_equal(hw_fill(streams[0], again, 1, MORE, &diag), HW_OK);
        hw_stream_scratch_drop(streams[0]);
        assert_int_equal(hw_stream_scratch(streams[0], MORE, &again, &diag), HW_OK);
    }
    for (int i = 0; i < 2; i++) hw_stream_destroy(streams[i]);
    free(got);
    free(zeros);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),           cmocka_unit_test(test_chosen),  cmocka_unit_test(test_types_of_rows),
        cmocka_unit_test(test_types_of_columns), cmocka_unit_test(test_nothing), cmocka_unit_test(test_random),
        cmocka_unit_test(test_same_bits),       cmocka_unit_test(test_misuse),  cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_scratch),         cmocka_unit_test(test_index64), cmocka_unit_test(test_truths),
        cmocka_unit_test(test_sound_variances),
    };
    return cmocka_run_group_tests(tests, open_group_device, close_group_device);
}
