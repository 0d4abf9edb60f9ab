// hw_transpose of arrays of this machine, in pieces through a device that has little memory; and the kernels that write
// this machine's memory, by a few blocks that take all boxes. With HW_TEST_DEVICE=cuda:0 the same on a GPU.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"
#include "halfwarp.h"
#include "op/transpose_gpu.h"

enum { RANK = 6, GUARD = 256 };

static hw_device *open_device(uint64_t memory_limit) {
    hw_device *opened = NULL;
    hw_diag diag = {0};
    const char *name = getenv("HW_TEST_DEVICE");
    const hw_device_options options = {
        .cache_dir = HW_TEST_CACHE, .search_path = getenv("PATH"), .memory_limit_bytes = memory_limit};
    if (hw_device_open(name ? name : "sim:h200", &options, &opened, &diag)) fail_msg("%s", diag.text);
    return opened;
}

typedef struct example {
    uint64_t memory_limit;
    uint32_t elem_bytes;
    bool is_pinned;
    int rank, axes[RANK];
    int64_t shape[RANK];
} example;

static uint64_t elems_of(const example *e) {
    uint64_t elems = 1;
    for (int i = 0; i < e->rank; i++) elems *= (uint64_t)e->shape[i];
    return elems;
}

static DLDataType type_of(uint32_t bytes) {
    return (DLDataType){kDLUInt, (uint8_t)(bytes == 16 ? 64 : 8 * bytes), bytes == 16 ? 2 : 1};
}

static void expect(const example *e, const unsigned char *in, unsigned char *out) {
    for (uint64_t o = 0; o < elems_of(e); o++) {
        int64_t at[RANK], index = 0;
        uint64_t rest = o;
        for (int i = e->rank - 1; i >= 0; i--) {
            at[e->axes[i]] = (int64_t)(rest % (uint64_t)e->shape[e->axes[i]]);
            rest /= (uint64_t)e->shape[e->axes[i]];
        }
        for (int i = 0; i < e->rank; i++) index = index * e->shape[i] + at[i];
        memcpy(out + o * e->elem_bytes, in + (uint64_t)index * e->elem_bytes, e->elem_bytes);
    }
}

static void fill(unsigned char *bytes, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) bytes[i] = (unsigned char)((i * 2654435761u) >> 13);
}

static void assert_same(const example *e, const unsigned char *got, const unsigned char *wanted, uint64_t bytes,
                        const char *text) {
    uint64_t at = 0;
    while (at < bytes && got[at] == wanted[at]) at++;
    if (at < bytes)
        fail_msg("%u bytes an element, shape %lld %lld ..., limit %llu: byte %lld is wrong:\n%s", e->elem_bytes,
                 (long long)e->shape[0], (long long)e->shape[1], (unsigned long long)e->memory_limit,
                 (long long)at - GUARD, text);
}

static void *allocate(hw_device *device, const example *e, uint64_t bytes) {
    void *memory = NULL;
    if (!e->is_pinned) memory = malloc(bytes);
    else assert_int_equal(hw_host_alloc(device, bytes, &memory, NULL), HW_OK);
    assert_non_null(memory);
    return memory;
}

static void check(const example *e) {
    hw_device *device = open_device(e->memory_limit);
    hw_diag diag = {0};
    const uint64_t bytes = elems_of(e) * e->elem_bytes, all = bytes + 2 * GUARD;
    unsigned char *in = allocate(device, e, all), *out = allocate(device, e, all), *wanted = malloc(all);
    fill(in, all);
    memset(out, 0xA5, all);
    memset(wanted, 0xA5, all);
    expect(e, in + GUARD, wanted + GUARD);
    int64_t out_shape[RANK];
    for (int i = 0; i < e->rank; i++) out_shape[i] = e->shape[e->axes[i]];
    DLTensor a = {.data = in + GUARD, .device = {e->is_pinned ? kDLCUDAHost : kDLCPU, 0}, .ndim = e->rank,
                  .dtype = type_of(e->elem_bytes), .shape = (int64_t *)e->shape};
    DLTensor b = a;
    b.data = out + GUARD;
    b.shape = out_shape;
    char text[4096];
    assert_int_equal(hw_transpose_explain(device, &a, e->axes, &b, text, sizeof text, &diag), HW_OK);
    assert_non_null(strstr(text, "pieces"));
    if (hw_transpose(hw_device_stream(device), &a, e->axes, &b, &diag)) fail_msg("%s\n%s", diag.text, text);
    assert_same(e, out, wanted, all, text);
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
    hw_device *small = open_device(100);   // a piece is at least one element
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
    const uint64_t bytes = elems_of(e) * e->elem_bytes, all = bytes + 2 * GUARD;
    unsigned char *source = malloc(all), *got = malloc(all), *wanted = malloc(all);
    void *in = NULL, *out = NULL;
    fill(source, all);
    memset(wanted, 0xA5, all);
    expect(e, source + GUARD, wanted + GUARD);
    assert_int_equal(hw_device_alloc(device, all, &in, &diag), HW_OK);
    assert_int_equal(hw_device_alloc(device, all, &out, &diag), HW_OK);
    assert_int_equal(hw_copy(stream, in, source, all, &diag), HW_OK);
    assert_int_equal(hw_fill(stream, out, 0xA5, all, &diag), HW_OK);
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
    assert_same(e, got, wanted, all, text);
    hw_device_free(device, in);
    hw_device_free(device, out);
    free(source);
    free(got);
    free(wanted);
}

static void few_blocks_take_all_boxes(void **state) {
    (void)state;
    static const example examples[] = {
        {0, 4, false, 2, {1, 0}, {600, 400}}, {0, 4, false, 2, {1, 0}, {517, 331}}, {0, 1, false, 2, {1, 0}, {1024, 256}},
        {0, 1, false, 2, {1, 0}, {701, 499}}, {0, 2, false, 2, {1, 0}, {333, 777}}, {0, 8, false, 2, {1, 0}, {257, 259}},
        {0, 16, false, 2, {1, 0}, {100, 70}}, {0, 4, false, 3, {0, 2, 1}, {9, 65, 130}},
        {0, 4, false, 3, {1, 0, 2}, {40, 50, 60}}, {0, 4, false, 2, {1, 0}, {20000, 3}},
        {0, 2, false, 4, {3, 1, 2, 0}, {20, 6, 10, 30}},
    };
    hw_device *device = open_device(0);
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
