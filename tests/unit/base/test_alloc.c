// Memory for lanes: aligned, zero, and of large blocks only as much as is touched.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "base/alloc.h"

static void test_lanes(void **state) {
    (void)state;
    for (size_t bytes = 0; bytes < 300000; bytes = bytes * 3 + 1) {
        char *lanes = hw_alloc_lanes(bytes);
        assert_non_null(lanes);
        assert_int_equal((uintptr_t)lanes % 64, 0);
        for (size_t i = 0; i < bytes; i++) assert_int_equal(lanes[i], 0);
        memset(lanes, 0xff, bytes);     // so that what is handed out next has to be cleared
        hw_free_aligned(lanes);
    }
    hw_free_aligned(NULL);
    assert_null(hw_alloc_lanes(SIZE_MAX));
    assert_null(hw_alloc_lanes(SIZE_MAX - 64));
}

static long page_faults(void) {
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_minflt;
}

static void test_untouched_pages(void **state) {
    (void)state;
    enum { BYTES = 64 << 20, PAGE_BYTES = 4096 };
    const long before = page_faults();
    char *lanes = hw_alloc_lanes(BYTES);
    assert_non_null(lanes);
    lanes[BYTES / 2] = 1;
#ifndef HW_SANITIZED
    assert_true(page_faults() - before < BYTES / PAGE_BYTES / 16);
#else
    (void)before;
#endif
    hw_free_aligned(lanes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_untouched_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
