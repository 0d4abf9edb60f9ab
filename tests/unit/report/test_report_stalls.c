// The time of a kernel's estimate over its lines: the parts come to the whole, and lie where what they are made of is.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "report/stalls.h"

static const char *const name = "_Z4copyPf";

// Loads on one line, a barrier on another, stores of as many sectors on the third.
static void fill_lines(hw_report_line lines[3]) {
    for (int i = 0; i < 3; i++) lines[i] = (hw_report_line){.file = "copy.cu", .line = 10 + (uint32_t)i};
    lines[0].counts[HW_COUNT_INST] = lines[1].counts[HW_COUNT_INST] = lines[2].counts[HW_COUNT_INST] = 100;
    lines[0].counts[HW_COUNT_MEMORY_WAITS] = 100;
    lines[1].counts[HW_COUNT_BARRIERS] = 100;
    lines[0].counts[HW_COUNT_L2_SECTORS] = lines[2].counts[HW_COUNT_L2_SECTORS] = 400;
}

static hw_report_launch launch_of(double memory_us, double latency_us, double us) {
    return (hw_report_launch){.mangled = name, .work = {.blocks = 10, .warps = 80},
                              .estimate = {.us = us, .bound_us = {[HW_BOUND_MEMORY] = memory_us,
                                                                  [HW_BOUND_LATENCY] = latency_us,
                                                                  [HW_BOUND_LAUNCH] = 1}}};
}

static void parts_come_to_the_whole(void **state) {
    (void)state;
    hw_report_line lines[3];
    hw_report_launch launches[3] = {launch_of(8, 2, 10), launch_of(8, 2, 10), launch_of(100, 100, 0)};
    launches[2].status = HW_FAULT;       // has no estimate, and no part in it
    const hw_report_kernel kernel = {.mangled = name, .lines = lines, .n_lines = 3};
    const hw_report report = {.gpu = hw_gpu_find("h200"), .launches = launches, .n_launches = 3};
    fill_lines(lines);
    hw_stall *stalls = hw_report_stalls(&report, &kernel);
    assert_non_null(stalls);
    const double all = hw_stall_us(&stalls[0]) + hw_stall_us(&stalls[1]) + hw_stall_us(&stalls[2]);
    assert_true(all > 17.999 && all < 18.001);
    // Beyond its waits, 4 us, memory takes 14: half for each of the lines that move as many sectors.
    assert_true(stalls[2].us[HW_STALL_MEMORY] > 6.999 && stalls[2].us[HW_STALL_MEMORY] < 7.001);
    assert_true(hw_stall_us(&stalls[0]) > 10 && stalls[1].us[HW_STALL_MEMORY] < 0.001);
    assert_string_equal(hw_stall_cause_name(&stalls[0]), "memory");
    assert_string_equal(hw_stall_cause_name(&stalls[1]), "barriers");
    hw_free(stalls);
}

static void nothing_is_nothing(void **state) {
    (void)state;
    hw_report_line lines[3];
    fill_lines(lines);
    const hw_report_kernel kernel = {.mangled = name, .lines = lines, .n_lines = 3};
    const hw_report report = {.gpu = hw_gpu_find("h200")};
    hw_stall *stalls = hw_report_stalls(&report, &kernel);
    assert_non_null(stalls);
    assert_null(hw_stall_cause_name(&stalls[0]));
    hw_free(stalls);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_come_to_the_whole), cmocka_unit_test(nothing_is_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
