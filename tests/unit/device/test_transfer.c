// Transfers between the host and a GPU: the model's numbers, the formula of overlapping, and devices that have none.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "device/transfer.h"

static const double LINK_SHARE = 0.873, ACCESS_SHARE = 0.81;   // of the link that copies reach, and kernels by PCIe 5

static void assert_near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-9 * expected)) fail_msg("%.12g is not %.12g", value, expected);
}

static void model_by_hand(void **state) {
    (void)state;
    const hw_gpu *gpu = hw_gpu_find("gtx280");   // 8 GB/s each way
    const uint64_t bytes = 64 << 20;
    double link = 67108864 / (8e3 * LINK_SHARE);
    assert_near(hw_model_transfer_us(gpu, HW_HOST_PINNED, bytes), 3 + link);
    assert_near(hw_model_transfer_us(gpu, HW_HOST_COMBINED, bytes), 3 + link);
    assert_near(hw_model_transfer_us(gpu, HW_HOST_MAPPED, bytes), 1.2 + link);
    assert_near(hw_model_transfer_us(hw_gpu_find("h200"), HW_HOST_MAPPED, bytes),
                1.2 + 67108864 / (63e3 * ACCESS_SHARE));
    assert_near(hw_model_transfer_us(gpu, HW_HOST_PAGEABLE, bytes), 3 + link + 67108864 / 15e3);
    assert_near(hw_model_transfer_us(gpu, HW_HOST_PINNED, 0), 3);
    for (int kind = 0; kind < HW_HOST_KINDS; kind++)
        for (int bit = 1; bit < 64; bit++)
            assert_true(hw_model_transfer_us(gpu, (hw_host_kind)kind, (uint64_t)1 << bit) >
                        hw_model_transfer_us(gpu, (hw_host_kind)kind, (uint64_t)1 << (bit - 1)));
    hw_gpu unknown = {.id = "unknown"};
    assert_true(hw_model_transfer_us(&unknown, HW_HOST_PINNED, bytes) == 0);
    assert_string_equal(hw_host_kind_name(HW_HOST_PAGEABLE), "pageable");
    assert_string_equal(hw_host_kind_name(HW_HOST_MAPPED), "mapped");
    assert_string_equal(hw_host_kind_name(HW_HOST_KINDS), "");
}

// Seed 004, 4.4.1.2.
static void formula(void **state) {
    (void)state;
    assert_near(hw_model_overlap_us(100, 40, 1), 140);
    assert_near(hw_model_overlap_us(100, 40, 4), 110);
    assert_near(hw_model_overlap_us(100, 100, 2), 150);
    assert_near(hw_model_overlap_us(40, 100, 4), 110);   // the other way round
    assert_near(hw_model_overlap_us(100, 40, 0), 140);
    assert_true(hw_model_overlap_us(0, 0, 8) == 0);
}

// Chunk by chunk on paper, on a GPU whose link moves 10,000 bytes in a microsecond.
static void schedules_by_hand(void **state) {
    (void)state;
    hw_gpu gpu = *hw_gpu_find("gtx280");
    gpu.pcie_gbs = 10 / LINK_SHARE;
    assert_near(hw_model_transfer_us(&gpu, HW_HOST_PINNED, 800000), 83);   // 3 + 80
    // One chunk: copied 83, worked 83 + 120.
    assert_near(hw_model_chunks_us(&gpu, 120, 800000, 1), 203);
    assert_near(hw_model_chunks_us(&gpu, 120, 800000, 0), 203);
    // Two of 43 and 60 us: copied at 43, 86; worked at 103, 163. Work never waits after the first.
    assert_near(hw_model_chunks_us(&gpu, 120, 800000, 2), 163);
    // Four of 23 and 30: copied at 23, 46, 69, 92; worked at 53, 83, 113, 143.
    assert_near(hw_model_chunks_us(&gpu, 120, 800000, 4), 143);
    // Sixteen of 8 and 7.5: the copies are the longer ones now, copied at 8, 16 ... 128; worked at 15.5 ... 135.5.
    assert_near(hw_model_chunks_us(&gpu, 120, 800000, 16), 135.5);
    // The formula has one latency for all: 120 + 83 / 8.
    assert_near(hw_model_overlap_us(120, 83, 8), 130.375);
    // Ever more chunks cost more in the end: 25 of 6.2 and 4.8.
    assert_near(hw_model_chunks_us(&gpu, 120, 800000, 25), 25 * 6.2 + 4.8);
    // Chunks that are not equal: 5 words in two are 2 and 3, 32 and 48 bytes, worked on for 40 and 60.
    assert_near(hw_model_chunks_us(&gpu, 100, 80, 2), 3.0032 + 40 + 60);
    // Nothing to work on, nothing to copy.
    assert_near(hw_model_chunks_us(&gpu, 0, 800000, 4), 92);
    assert_near(hw_model_chunks_us(&gpu, 0, 0, 1), 3);
}

// A GPU of 1.0 copies or computes: 13 and 15 us eight times.
static void no_overlap_on_the_first(void **state) {
    (void)state;
    hw_gpu gpu = *hw_gpu_find("8800gtx");
    gpu.pcie_gbs = 10 / LINK_SHARE;
    assert_near(hw_model_chunks_us(&gpu, 120, 800000, 1), 203);
    assert_near(hw_model_chunks_us(&gpu, 120, 800000, 8), 8 * (13 + 15));
    hw_gpu unknown = {.id = "unknown"};
    assert_near(hw_model_chunks_us(&unknown, 100, 800000, 4), 100);
}

static void on_a_simulated_gpu(void **state) {
    (void)state;
    hw_device *device = NULL;
    hw_overlap o;
    double us = -1;
    assert_int_equal(hw_device_open("sim:gtx280", NULL, &device, NULL), HW_OK);
    assert_int_equal(hw_transfer_time(device, HW_HOST_MAPPED, false, 4100, &us, NULL), HW_OK);
    assert_near(us, hw_model_transfer_us(hw_gpu_find("gtx280"), HW_HOST_MAPPED, 4096));
    assert_int_equal(hw_transfer_time(device, HW_HOST_PINNED, false, 15, &us, NULL), HW_USAGE);
    assert_true(us == 0);
    assert_int_equal(hw_transfer_overlap(device, 1 << 20, 4, &o, NULL), HW_OK);
    assert_near(o.transfer_us, hw_model_transfer_us(hw_gpu_find("gtx280"), HW_HOST_PINNED, 1 << 20));
    assert_near(o.execution_us, 1.5 * o.transfer_us);
    assert_near(o.formula_us, 1.75 * o.transfer_us);
    assert_true(o.streams == 4);
    // Copies of 3 us and a quarter of the bytes, 40.5; work takes 57.4 each and waits for the first alone.
    assert_near(o.us, 3 + (1 << 18) / (8e3 * LINK_SHARE) + o.execution_us);
    assert_true(o.us > o.formula_us);
    assert_int_equal(hw_transfer_overlap(device, 16, 2, &o, NULL), HW_USAGE);
    hw_device_close(device);
}

static void not_on_a_processor(void **state) {
    (void)state;
    hw_device *device = NULL;
    hw_overlap o;
    hw_diag diag = {0};
    double us;
    void *memory = NULL;
    assert_int_equal(hw_device_open("cpu", NULL, &device, NULL), HW_OK);
    assert_int_equal(hw_transfer_time(device, HW_HOST_PINNED, true, 4096, &us, &diag), HW_USAGE);
    assert_non_null(strstr(diag.text, "cpu"));
    assert_int_equal(hw_transfer_overlap(device, 4096, 1, &o, NULL), HW_USAGE);
    // Where there is no such memory, it is what hw_host_alloc gives.
    assert_int_equal(hw_host_alloc_combined(device, 100, &memory, NULL), HW_OK);
    memset(memory, 1, 100);
    hw_host_free(device, memory);
    assert_int_equal(hw_host_alloc_combined(device, 0, &memory, NULL), HW_OK);
    assert_null(memory);
    hw_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(model_by_hand), cmocka_unit_test(formula),
                                       cmocka_unit_test(schedules_by_hand), cmocka_unit_test(no_overlap_on_the_first),
                                       cmocka_unit_test(on_a_simulated_gpu), cmocka_unit_test(not_on_a_processor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
