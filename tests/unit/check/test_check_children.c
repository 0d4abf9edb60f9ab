// Launches within kernels, told by hand: what they come after, and every place where memory may run out.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "check/checked_launch.h"

static const uint64_t WORD = 1 << 20, FLAG = 1 << 21;
static checked c;

static int begin(void **state) {
    (void)state;
    return checked_create(&c) != HW_OK;
}
static int end(void **state) {
    (void)state;
    hw_check_destroy(c.check);
    return 0;
}

// A thread writes a word before it launches a kernel, and one afterwards; both are read by that, and by one of its own.
static bool launch_within(void) {
    if (checked_begin(&c, 2, 1, 64)) return false;
    checked_word(&c, 0, 1, 3, 80, HW_NOTE_STORE, WORD);
    checked_launch(&c, 0, 1, 3);
    checked_word(&c, 0, 1, 3, 81, HW_NOTE_STORE, FLAG);
    checked_end(&c);
    for (uint32_t depth = 0; depth < 2; depth++) {
        c.parent = c.info.number;
        const bool has_begun = !checked_begin(&c, 2, 1, 32);
        c.parent = 0;
        if (!has_begun) return false;
        checked_word(&c, 0, 0, 0, 82 + depth, HW_NOTE_LOAD, WORD);
        checked_word(&c, 0, 0, 1, 84 + depth, HW_NOTE_LOAD, FLAG);
        checked_launch(&c, 0, 0, 0);
        checked_end(&c);
    }
    return true;
}

static void test_launches_within(void **state) {
    (void)state;
    assert_true(launch_within());
    assert_int_equal(checked_count(&c), 2);
    assert_int_equal(checked_between(&c, 81, 84)->missing, HW_CHECK_MISSING_LAUNCH);
    assert_non_null(checked_between(&c, 81, 85));
    assert_int_equal(checked_begin(&c, 2, 1, 32), HW_OK);
    checked_word(&c, 0, 0, 0, 90, HW_NOTE_STORE, FLAG);
    checked_end(&c);
    assert_int_equal(checked_count(&c), 2);
}

// A kernel may launch first what it has asked for last: numbers tell which launch is which.
static void test_numbers_of_launches(void **state) {
    (void)state;
    assert_int_equal(checked_begin(&c, 2, 1, 64), HW_OK);
    hw_child_step step = {.where = checked_where(0, 1), .lane = 3, .number = 5};
    c.sink->child(c.sink, 0, &step);
    step.number = 3;
    c.sink->child(c.sink, 0, &step);
    checked_word(&c, 0, 1, 3, 80, HW_NOTE_STORE, WORD);
    step.number = 0;
    c.sink->child(c.sink, 0, &step);
    checked_word(&c, 0, 1, 3, 81, HW_NOTE_STORE, FLAG);
    checked_end(&c);
    c.parent = c.info.number;
    assert_int_equal(checked_begin(&c, 2, 1, 32), HW_OK);
    c.parent = 0;
    checked_word(&c, 0, 0, 0, 82, HW_NOTE_LOAD, WORD);
    checked_word(&c, 0, 0, 0, 83, HW_NOTE_LOAD, FLAG);
    checked_end(&c);
    assert_int_equal(checked_count(&c), 1);
    assert_non_null(checked_between(&c, 81, 83));
}

static void test_launches_within_without_memory(void **state) {
    (void)state;
    for (long successes = 0; successes < 80; successes++) {
        hw_check_destroy(c.check);
        assert_int_equal(checked_create(&c), HW_OK);
        hw_alloc_fail_after(successes);
        launch_within();
        hw_alloc_fail_after(-1);
        for (uint32_t line = 82; line < 84; line++) assert_null(checked_between(&c, 80, line));
    }
    assert_int_equal(checked_count(&c), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_launches_within, begin, end),
        cmocka_unit_test_setup_teardown(test_numbers_of_launches, begin, end),
        cmocka_unit_test_setup_teardown(test_launches_within_without_memory, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
