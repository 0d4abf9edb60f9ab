// hw_transpose of arrays of this machine, in pieces through a device that has little memory; and the kernels that write
// this machine's memory, by a few blocks that take all boxes. With HW_TEST_DEVICE=cuda:0 the same on a GPU.
#include "device/device.h"
#include "op/transpose_gpu.h"
#include "transpose_test.h"

enum { RANK = 6 };

static hw_device *open_limited(uint64_t memory_limit) { return open_device_with(usual_device(), memory_limit, 0); }

typedef struct example {
    uint64_t memory_limit;
    uint32_t elem_bytes;
    bool is_pinned;
    int rank, axes[RANK];
    int64_t shape[RANK];
} example;

static void fill(unsigned char *bytes, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) bytes[i] = (unsigned char)((i * 2654435761u) >> 13);
}

static void *allocate(hw_device *device, const example *e, uint64_t bytes) {
    void *memory = NULL;
    if (!e->is_pinned) memory = malloc(bytes);
    else assert_int_equal(hw_host_alloc(device, bytes, &memory, NULL), HW_OK);
    assert_non_null(memory);
    return memory;
}

static void check(const example *e) {
    hw_device *device = open_limited(e->memory_limit);
    hw_diag diag = {0};
    const uint64_t bytes = count_elems(e->rank, e->shape) * e->elem_bytes, all = bytes + 2 * GUARD;
    unsigned char *in = allocate(device, e, all), *out = allocate(device, e, all), *wanted = malloc(all);
    fill(in, all);
    memset(out, GUARD_BYTE, all);
    memset(wanted, GUARD_BYTE, all);
    transpose_dense(e->rank, e->axes, e->shape, e->elem_bytes, in + GUARD, wanted + GUARD);
    int64_t out_shape[RANK];
    for (int i = 0; i < e->rank; i++) out_shape[i] = e->shape[e->axes[i]];
    DLTensor a = {.data = in + GUARD, .device = {e->is_pinned ? kDLCUDAHost : kDLCPU, 0}, .ndim = e->rank,
                  .dtype = type_of(e->elem_bytes), .shape = (int64_t *)e->shape};
    DLTensor b = a;
    b.data = out + GUARD;
    b.shape = out_shape;
    char text[4096];
    assert_int_equal(hw_transpose_explain(device, &a, e->axes, &b, text, sizeof text, &diag), HW_OK);
    assert_non_null(strstr(text, " piece"));
    expect_grammar(text);
    if (hw_transpose(hw_device_stream(device), &a, e->axes, &b, &diag)) fail_msg("%s\n%s", diag.text, text);
    expect_bytes(out, wanted, all, GUARD, text);
    if (e->is_pinned) {
        hw_host_free(device, in);
        hw_host_free(device, out);
    } else {
        free(in);
        free(out);
    }
    free(wanted);
    hw_device_close(device);
}

static void pieces(void **state) {
    (void)state;
    static const example examples[] = {
        {0, 4, false, 2, {1, 0}, {300, 500}},
        {256 << 10, 4, false, 2, {1, 0}, {300, 500}},     // 600,000 bytes each
        {256 << 10, 4, true, 2, {1, 0}, {701, 211}},
        {64 << 10, 4, false, 2, {1, 0}, {3, 50000}},      // in's slowest axis is out's fastest, and short
        {64 << 10, 4, true, 2, {1, 0}, {50000, 3}},
        {4096, 4, false, 2, {1, 0}, {64, 256}},           // not even a row at a time
        {4096, 1, false, 3, {2, 1, 0}, {2, 4096, 2}},
        {100000, 2, true, 2, {1, 0}, {900, 1100}},
        {30000, 8, false, 3, {2, 0, 1}, {17, 40, 33}},
        {9000, 4, false, 4, {2, 0, 3, 1}, {7, 11, 13, 9}},
        {9000, 4, true, 4, {3, 1, 2, 0}, {5, 12, 10, 16}},
        {20000, 16, false, 3, {1, 2, 0}, {31, 8, 24}},
        {700, 1, false, 5, {4, 3, 2, 1, 0}, {3, 5, 7, 4, 6}},
    };
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) check(&examples[i]);
}

static void too_large(void **state) {
    (void)state;
    hw_device *small = open_limited(100);   // a piece is at least one element
    hw_diag diag = {0};
    static char in[1 << 12], out[1 << 12];
    int64_t shape[] = {16, 16};
    DLTensor a = {.data = in, .device = {kDLCPU, 0}, .ndim = 2, .dtype = type_of(16), .shape = shape};
    DLTensor b = a;
    b.data = out;
    assert_int_equal(hw_transpose(hw_device_stream(small), &a, NULL, &b, &diag), HW_NO_MEMORY);
    assert_non_null(strstr(diag.text, "too few"));
    hw_device_close(small);
}

// The plan for an out in this machine's memory, with an out on the device, so that a simulation can run it too.
static void check_few_blocks(hw_device *device, const example *e) {
    hw_stream *stream = hw_device_stream(device);
    hw_diag diag = {0};
    const uint64_t bytes = count_elems(e->rank, e->shape) * e->elem_bytes, all = bytes + 2 * GUARD;
    unsigned char *source = malloc(all), *got = malloc(all), *wanted = malloc(all);
    void *in = NULL, *out = NULL;
    fill(source, all);
    memset(wanted, GUARD_BYTE, all);
    transpose_dense(e->rank, e->axes, e->shape, e->elem_bytes, source + GUARD, wanted + GUARD);
    assert_int_equal(hw_device_alloc(device, all, &in, &diag), HW_OK);
    assert_int_equal(hw_device_alloc(device, all, &out, &diag), HW_OK);
    assert_int_equal(hw_copy(stream, in, source, all, &diag), HW_OK);
    assert_int_equal(hw_fill(stream, out, GUARD_BYTE, all, &diag), HW_OK);
    int64_t out_shape[RANK];
    for (int i = 0; i < e->rank; i++) out_shape[i] = e->shape[e->axes[i]];
    const DLDevice dl = hw_device_get_properties(device)->dl;
    DLTensor a = {.data = (char *)in + GUARD, .device = dl, .ndim = e->rank, .dtype = type_of(e->elem_bytes),
                  .shape = (int64_t *)e->shape};
    DLTensor b = a;
    b.data = (char *)out + GUARD;
    b.shape = out_shape;
    hw_permutation p;
    assert_int_equal(hw_permutation_make(&a, e->axes, &b, true, &p, &diag), HW_OK);
    hw_permutation_merge(&p);
    char text[4096];
    hw_gpu_transpose_explain(device, &p, true, text, sizeof text);
    assert_non_null(strstr(text, "at a time: 8 blocks"));
    if (hw_gpu_transpose_to_host(stream, &p, &diag)) fail_msg("%s", diag.text);
    assert_int_equal(hw_copy(stream, got, out, all, &diag), HW_OK);
    if (hw_stream_synchronize(stream, &diag)) fail_msg("%s", diag.text);
    expect_bytes(got, wanted, all, GUARD, text);
    expect_grammar(text);
    hw_device_free(device, in);
    hw_device_free(device, out);
    free(source);
    free(got);
    free(wanted);
}

static void few_blocks_take_all_boxes(void **state) {
    (void)state;
    static const example examples[] = {
        {0, 4, false, 2, {1, 0}, {600, 400}},     {0, 4, false, 2, {1, 0}, {517, 331}},
        {0, 1, false, 2, {1, 0}, {1024, 256}},    {0, 1, false, 2, {1, 0}, {701, 499}},
        {0, 2, false, 2, {1, 0}, {333, 777}},     {0, 8, false, 2, {1, 0}, {257, 259}},
        {0, 16, false, 2, {1, 0}, {100, 70}},     {0, 4, false, 3, {0, 2, 1}, {9, 65, 130}},
        {0, 4, false, 3, {1, 0, 2}, {40, 50, 60}}, {0, 4, false, 2, {1, 0}, {20000, 3}},
        {0, 2, false, 4, {3, 1, 2, 0}, {20, 6, 10, 30}},
    };
    hw_device *device = open_limited(0);
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) check_few_blocks(device, &examples[i]);
    hw_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces),
        cmocka_unit_test(too_large),
        cmocka_unit_test(few_blocks_take_all_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
