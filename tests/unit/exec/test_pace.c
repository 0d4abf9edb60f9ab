// How many workers a launch begins with.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exec/schedule/pace.h"

static void test_workers(void **state) {
    (void)state;
    static hw_paces paces;
    static const char a[64], b[64];
    assert_int_equal(hw_pace_workers(&paces, a, 1000, 32), 32);      // nobody knows
    hw_pace_note(&paces, a, 64, 3200);                               // 50 ns a block
    assert_int_equal(hw_pace_workers(&paces, a, 64, 32), 1);
    assert_int_equal(hw_pace_workers(&paces, a, 4000, 32), 10);      // 200 us are ten pieces
    assert_int_equal(hw_pace_workers(&paces, a, 1 << 20, 32), 32);
    assert_int_equal(hw_pace_workers(&paces, a, 1ull << 62, 32), 32);
    assert_int_equal(hw_pace_workers(&paces, b, 64, 32), 32);        // another kernel
    hw_pace_note(&paces, a, 64, 64000000);
    assert_int_equal(hw_pace_workers(&paces, a, 64, 32), 32);
    hw_pace_note(&paces, a, 64, 0);
    assert_int_equal(hw_pace_workers(&paces, a, 64, 32), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_workers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
