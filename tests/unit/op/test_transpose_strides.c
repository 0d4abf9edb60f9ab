// hw_transpose of arrays that lie in memory in any way: negative and broadcast strides, gaps, addresses that are no
// multiples of an element; and with allocations that fail. HW_TEST_DEVICE=cuda:0 runs the same on a GPU.
#include "base/alloc.h"
#include "group_device.h"
#include "transpose_test.h"

// ---- One transpose against a loop -----------------------------------------------------------------------------------

enum { RANK = 6 };

// How an array's axes lie: the order in which they become slower, gaps behind each, which run backwards or stand still.
typedef struct manner {
    int rank;
    int64_t shape[RANK], stride[RANK], first, span;   // elements from the lowest to element (0, 0, ...), and in all
} manner;

static void lay_out(manner *m, const int *order, const int64_t *gap, const bool *backwards, const bool *still) {
    int64_t stride = 1;
    m->first = 0;
    m->span = 1;
    for (int i = 0; i < m->rank; i++) {
        int axis = order[i];
        int64_t reach = still[axis] ? 0 : (m->shape[axis] - 1) * stride;
        m->stride[axis] = still[axis] ? 0 : backwards[axis] ? -stride : stride;
        m->span += reach;
        if (backwards[axis]) m->first += reach;
        if (!still[axis]) stride = stride * m->shape[axis] + gap[axis];
    }
}

typedef struct example {
    uint32_t elem_bytes, in_offset, out_offset;   // bytes from a multiple of 256
    manner in, out;                               // axis k of out is axis axes[k] of in
    int axes[RANK];
} example;

static void check(const example *e) {
    if (is_left_out()) return;
    const uint64_t seed_of_next = seed;
    const size_t in_begin = GUARD + e->in_offset, in_all = in_begin + (size_t)e->in.span * e->elem_bytes + GUARD;
    const size_t out_begin = GUARD + e->out_offset, out_all = out_begin + (size_t)e->out.span * e->elem_bytes + GUARD;
    unsigned char *source = malloc(in_all), *wanted = malloc(out_all), *got = malloc(out_all);
    for (size_t i = 0; i < in_all; i++) source[i] = (unsigned char)below(256);
    memset(wanted, GUARD_BYTE, out_all);
    transpose_plainly(e->out.rank, e->axes, e->out.shape, e->elem_bytes,
                      source + in_begin + e->in.first * e->elem_bytes, e->in.stride,
                      wanted + out_begin + e->out.first * e->elem_bytes, e->out.stride);

    hw_stream *stream = hw_device_stream(device);
    hw_diag diag = {0};
    void *in = NULL, *out = NULL;
    hw_status status = hw_device_alloc(device, in_all, &in, &diag);
    if (!status) status = hw_device_alloc(device, out_all, &out, &diag);
    if (!status) status = hw_copy(stream, in, source, in_all, &diag);
    if (!status) status = hw_fill(stream, out, GUARD_BYTE, out_all, &diag);
    const DLDevice dl = hw_device_get_properties(device)->dl;
    const DLTensor a = {.data = (char *)in + in_begin + e->in.first * e->elem_bytes, .device = dl, .ndim = e->in.rank,
                        .dtype = type_of(e->elem_bytes), .shape = (int64_t *)e->in.shape,
                        .strides = (int64_t *)e->in.stride};
    DLTensor b = {.data = (char *)out + out_begin + e->out.first * e->elem_bytes, .device = dl, .ndim = e->out.rank,
                  .dtype = a.dtype, .shape = (int64_t *)e->out.shape, .strides = (int64_t *)e->out.stride};
    if (!status) status = hw_transpose(stream, &a, e->axes, &b, &diag);
    if (!status) status = hw_copy(stream, got, out, out_all, &diag);
    if (!status) status = hw_stream_synchronize(stream, &diag);
    char text[4096] = "";
    hw_transpose_explain(device, &a, e->axes, &b, text, sizeof text, NULL);
    if (status) fail_msg("%s\n%s", diag.text, text);
    expect_bytes(got, wanted, out_all, out_begin, text);
    expect_grammar(text);
    hw_device_free(device, in);
    hw_device_free(device, out);
    free(source);
    free(wanted);
    free(got);
    seed = seed_of_next;
}

// ---- Examples -------------------------------------------------------------------------------------------------------

// A matrix in C order, each axis of in forwards (1), backwards (-1) or the same element again and again (0).
static example matrix(int64_t rows, int64_t cols, uint32_t elem_bytes, int down, int across) {
    example e = {.elem_bytes = elem_bytes, .axes = {1, 0}};
    const int order[] = {1, 0};
    const int64_t gap[RANK] = {0};
    const bool forwards[RANK] = {0};
    e.in = (manner){.rank = 2, .shape = {rows, cols}};
    e.out = (manner){.rank = 2, .shape = {cols, rows}};
    lay_out(&e.in, order, gap, (bool[RANK]){down < 0, across < 0}, (bool[RANK]){!down, !across});
    lay_out(&e.out, order, gap, forwards, forwards);
    return e;
}

// More than one box along each axis, so that blocks step backwards as well as lanes.
static void test_directions(void **state) {
    (void)state;
    for (int down = -1; down <= 1; down++)
        for (int across = -1; across <= 1; across++)
            for (uint32_t bytes = 1; bytes <= 16; bytes *= 4) {
                example even = matrix(256, 384, bytes, down, across), odd = matrix(211, 197, bytes, down, across);
                check(&even);
                check(&odd);
            }
}

static void test_random(void **state) {
    (void)state;
    const int rounds = getenv("HW_TEST_DEVICE") ? 400 : 25;   // most of them have a kernel of their own to compile
    for (int i = 0; i < rounds; i++) {
        example e = {.elem_bytes = 1u << below(5)};
        e.in.rank = e.out.rank = 1 + (int)below(RANK);
        int64_t elems;
        do {
            elems = 1;
            for (int k = 0; k < e.in.rank; k++) elems *= e.in.shape[k] = 1 + below(below(3) ? 20 : 300);
        } while (elems > 40000);
        shuffle(e.axes, e.in.rank);
        for (int k = 0; k < e.in.rank; k++) e.out.shape[k] = e.in.shape[e.axes[k]];
        int in_order[RANK], out_order[RANK];
        int64_t in_gap[RANK], out_gap[RANK];
        bool in_back[RANK], out_back[RANK], in_still[RANK], out_still[RANK] = {0};
        shuffle(in_order, e.in.rank);
        shuffle(out_order, e.in.rank);
        for (int k = 0; k < e.in.rank; k++) {
            in_gap[k] = below(4) ? 0 : below(4);
            out_gap[k] = below(4) ? 0 : below(4);
            in_back[k] = below(3) == 0;
            out_back[k] = below(3) == 0;
            in_still[k] = below(6) == 0;
        }
        lay_out(&e.in, in_order, in_gap, in_back, in_still);
        lay_out(&e.out, out_order, out_gap, out_back, out_still);
        e.in_offset = below(3) * e.elem_bytes;
        e.out_offset = below(3) * e.elem_bytes;
        check(&e);
    }
}

// Addresses that are multiples of less than an element, or of nothing.
static void test_addresses(void **state) {
    (void)state;
    for (uint32_t bytes = 2; bytes <= 16; bytes *= 2)
        for (uint32_t offset = 1; offset < bytes; offset *= 2) {
            example to = matrix(131, 97, bytes, 1, 1), from = to, both = matrix(64, 96, bytes, -1, 1);
            to.out_offset = from.in_offset = offset;
            both.in_offset = both.out_offset = 3 * offset;
            check(&to);
            check(&from);
            check(&both);
        }
}

// A square matrix in place, at an odd address.
static void test_address_in_place(void **state) {
    (void)state;
    enum { N = 75 };
    static uint64_t source[N][N], got[N][N];
    hw_stream *stream = hw_device_stream(device);
    hw_diag diag = {0};
    void *memory = NULL;
    for (int r = 0; r < N; r++)
        for (int c = 0; c < N; c++) source[r][c] = (uint64_t)(r * N + c) * 0x9e3779b97f4a7c15u;
    hw_status status = hw_device_alloc(device, sizeof source + 4, &memory, &diag);
    int64_t shape[] = {N, N};
    DLTensor a = {.data = (char *)memory + 4, .device = hw_device_get_properties(device)->dl, .ndim = 2,
                  .dtype = type_of(8),
                  .shape = shape};
    if (!status) status = hw_copy(stream, a.data, source, sizeof source, &diag);
    if (!status) status = hw_transpose(stream, &a, NULL, &a, &diag);
    if (!status) status = hw_copy(stream, got, a.data, sizeof got, &diag);
    if (!status) status = hw_stream_synchronize(stream, &diag);
    if (status) fail_msg("%s", diag.text);
    for (int r = 0; r < N; r++)
        for (int c = 0; c < N; c++) assert_int_equal(got[r][c], source[c][r]);
    hw_device_free(device, memory);
}

// Arrays of this machine that the processor does for the device: after what is queued on the stream.
static void test_in_order(void **state) {
    (void)state;
    enum { N = 1024, COPIES = 20 };
    hw_stream *stream = hw_device_stream(device);
    hw_diag diag = {0};
    const size_t bytes = (size_t)N * N * 4;
    uint32_t *here = NULL;
    void *there = NULL;
    assert_int_equal(hw_host_alloc(device, bytes, (void **)&here, &diag), HW_OK);
    assert_int_equal(hw_device_alloc(device, bytes, &there, &diag), HW_OK);
    for (uint32_t i = 0; i < N * N; i++) here[i] = i;
    assert_int_equal(hw_copy(stream, there, here, bytes, &diag), HW_OK);
    assert_int_equal(hw_stream_synchronize(stream, &diag), HW_OK);
    memset(here, 0, bytes);
    int64_t shape[] = {N, N};
    const DLTensor a = {.data = here, .device = {kDLCUDAHost, 0}, .ndim = 2, .dtype = type_of(4), .shape = shape};
    DLTensor b = a;
    for (int i = 0; i < COPIES; i++) assert_int_equal(hw_copy(stream, here, there, bytes, &diag), HW_OK);
    if (hw_transpose(stream, &a, NULL, &b, &diag)) fail_msg("%s", diag.text);
    assert_int_equal(hw_stream_synchronize(stream, &diag), HW_OK);
    for (uint32_t i = 0; i < N * N; i++) assert_int_equal(here[i], i % N * N + i / N);
    hw_host_free(device, here);
    hw_device_free(device, there);
}

// ---- Allocations that fail ------------------------------------------------------------------------------------------

// One thread, as what is allocated on others cannot be counted. on_host: in pieces.
static hw_device *open_small(bool on_host) {
    hw_device *opened = NULL;
    hw_diag diag = {0};
    const hw_device_options options = {.cache_dir = HW_TEST_CACHE, .search_path = getenv("PATH"), .threads = 1,
                                       .memory_limit_bytes = on_host ? 40000 : 0};
    if (hw_device_open("sim:h200", &options, &opened, &diag)) fail_msg("%s", diag.text);
    return opened;
}

// The transpose of a matrix of bytes of which the nth allocation fails. True when it was done all the same.
static bool transpose_failing(long successes, int64_t rows, int64_t cols, bool on_host, bool in_place) {
    static unsigned char source[1 << 16], out[1 << 16];
    const size_t bytes = (size_t)(rows * cols);
    hw_device *small = open_small(on_host);
    hw_stream *stream = hw_device_stream(small);
    hw_diag diag = {0};
    void *from = source, *to = out;
    for (size_t i = 0; i < bytes; i++) source[i] = (unsigned char)(i * 2654435761u >> 20);
    memset(out, GUARD_BYTE, sizeof out);
    if (!on_host) {
        assert_int_equal(hw_device_alloc(small, bytes, &from, &diag), HW_OK);
        assert_int_equal(hw_copy(stream, from, source, bytes, &diag), HW_OK);
        to = from;
        if (!in_place) assert_int_equal(hw_device_alloc(small, bytes, &to, &diag), HW_OK);
        if (!in_place) assert_int_equal(hw_copy(stream, to, out, bytes, &diag), HW_OK);
    }
    int64_t shape[] = {rows, cols}, turned[] = {cols, rows};
    const DLDevice here = {kDLCPU, 0}, there = hw_device_get_properties(small)->dl;
    DLTensor a = {.data = from, .device = on_host ? here : there, .ndim = 2, .dtype = type_of(1), .shape = shape};
    DLTensor b = a;
    b.data = to;
    b.shape = turned;
    hw_alloc_fail_after(successes);
    hw_status status = hw_transpose(stream, &a, NULL, &b, &diag);
    hw_alloc_fail_after(-1);
    if (!on_host) assert_int_equal(hw_copy(stream, out, to, bytes, NULL), HW_OK);
    for (size_t i = 0; i < bytes; i++) {
        const unsigned char done = source[i % (size_t)rows * (size_t)cols + i / (size_t)rows];
        const unsigned char before = in_place ? source[i] : GUARD_BYTE;
        bool in_part = strstr(diag.text, "out may be written in part") && (in_place || out[i] == done);
        if (out[i] != (status == HW_OK ? done : before) && !in_part)
            fail_msg("byte %zu of %zu is wrong after allocation %ld failed: %s", i, bytes, successes, diag.text);
    }
    if (status != HW_OK && (status != HW_NO_MEMORY || !diag.text[0]))
        fail_msg("allocation %ld: status %d, %s", successes, (int)status, diag.text);
    hw_device_close(small);
    return status == HW_OK;
}

static void test_no_memory(void **state) {
    (void)state;
    if (hw_device_get_properties(device)->kind != HW_DEVICE_SIM) skip();
    const struct {
        int64_t rows, cols;
        bool on_host, in_place;
    } cases[] = {{100, 120, false, false}, {100, 120, false, true}, {96, 96, false, true}, {200, 300, true, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(transpose_failing(-1, cases[i].rows, cases[i].cols, cases[i].on_host, cases[i].in_place));
#ifdef HW_SANITIZED   // which allocation fails differs from case to case
        enum { STEP = 5 };
#else
        enum { STEP = 1 };
#endif
        long n = (long)i % STEP;
        while (!transpose_failing(n, cases[i].rows, cases[i].cols, cases[i].on_host, cases[i].in_place)) n += STEP;
        assert_true(n > 3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_directions),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_address_in_place),
        cmocka_unit_test(test_in_order),
        cmocka_unit_test(test_no_memory),
    };
    seed = 0x9e3779b97f4a7c15u;
    return cmocka_run_group_tests(tests, open_group_device, close_group_device);
}
