// What the longest warps of blocks issue (schedule/longest.h): the same in whatever order warps go, in convoys and
// alone, and by one worker or several. unit.compiled compares it with compiled code.
#include "exec_run.h"

static sums sums_of(const char *ptx, uint32_t grid, uint32_t block) {
    static run_result r;
    sums first = {0};
    for (uint32_t k = 0; k < 4; k++) {
        const run_args args = {.grid = grid, .block = block, .ptx = ptx, .threads = k == 3 ? 3 : 1,
                               .seed = k < 3 ? k : 0};
        run_kernel(&args, &r);
        assert_int_equal(r.status, HW_OK);
        assert_int_equal(r.sums.issued, r.sums.inst);
        if (!k) first = r.sums;
        assert_int_equal(r.sums.longest, first.longest);
    }
    return first;
}

// All warps do the same, and a last one that is not whole.
static void test_even(void **state) {
    (void)state;
    const char *ptx = KERNEL("", STORE_RET("%r4"));
    const sums one = sums_of(ptx, 3, 32), several = sums_of(ptx, 3, 256), uneven = sums_of(ptx, 3, 1000);
    assert_int_equal(one.longest, one.issued);
    assert_int_equal(several.longest, one.longest);
    assert_int_equal(uneven.longest, one.longest);
}

// Warps of a block go round a loop of 3 instructions as often as their number says, block 2 three times as often.
#define ROUNDS                                                                                                     \
    "setp.eq.u32 %p1, %r2, 2; selp.u32 %r8, 3, 1, %p1; mul.lo.u32 %r5, %r6, %r8; mov.u32 %r7, 0;\n"
#define GO_ROUND(LABEL)                                                                                            \
    LABEL ": add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, %r5; @%p2 bra " LABEL ";\n"
static void test_longest_warp(void **state) {
    (void)state;
    const char *ptx = KERNEL("", "shr.u32 %r6, %r1, 5; add.u32 %r6, %r6, 1;\n" ROUNDS GO_ROUND("MORE")
                             STORE_RET("%r7"));
    const sums s = sums_of(ptx, 5, 320), short_one = sums_of(ptx, 1, 32);
    const uint64_t beside = short_one.issued - 3;    // all but one round
    assert_int_equal(s.longest, 5 * beside + 3 * (4 * 10 + 30));
    assert_int_equal(s.issued, 5 * 10 * beside + 3 * (4 + 3) * 55);
}

// One lane of a warp counts as all of them, and so do few.
static void test_few_lanes(void **state) {
    (void)state;
    const char *ptx = KERNEL("", "mov.u32 %r7, 0; mov.u32 %r5, 9; setp.ne.u32 %p1, %r1, 70; @%p1 bra OUT;\n"
                             GO_ROUND("MORE") "OUT: " STORE_RET("%r7"));
    const sums s = sums_of(ptx, 2, 256), without = sums_of(ptx, 2, 64);
    assert_int_equal(s.issued, 4 * without.issued + 2 * 3 * 9);
    assert_int_equal(s.longest, without.longest + 2 * 3 * 9);
}

// Each warp is the longest between two barriers once. Two rounds of each would be one of a single part.
static void test_barriers(void **state) {
    (void)state;
    const char *ptx = KERNEL("", "shr.u32 %r6, %r1, 5; mov.u32 %r9, 0;\n"
                             "PART: mov.u32 %r7, 0; setp.eq.u32 %p3, %r6, %r9; selp.u32 %r5, 9, 1, %p3;\n"
                             "bar.sync 0;\n" GO_ROUND("MORE")
                             "bar.sync 0;\nadd.u32 %r9, %r9, 1; setp.lt.u32 %p4, %r9, 4; @%p4 bra PART;\n"
                             STORE_RET("%r7"));
    const sums s = sums_of(ptx, 2, 128);
    assert_int_equal(s.issued % 8, 0);
    assert_int_equal(s.longest, s.issued / 4 + 2 * 4 * 3 * 6);    // of 8 rounds more a warp has two, and waits for six
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_even),
        cmocka_unit_test(test_longest_warp),
        cmocka_unit_test(test_few_lanes),
        cmocka_unit_test(test_barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
