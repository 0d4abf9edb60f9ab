// What a ladder teaches: each rung is compared with the one that it builds on, the usual sizes are such that the ideas
// pay, and what launching alone takes is marked.
#include <math.h>

#include "ladder_test.h"

static hw_ladder_options problem_of(const hw_family *family, const char *dtype, const uint64_t *size) {
    hw_ladder_options options = {.family = family};
    assert_true(hw_dtype_find(dtype, &options.problem.dtype));
    memcpy(options.problem.size, size, sizeof options.problem.size);
    return options;
}

// ---- What a rung builds on ------------------------------------------------------------------------------------------

static void expect_bases(const hw_family *family, const hw_rung *rungs, size_t n_rungs) {
    for (size_t i = 0; i < n_rungs; i++) {
        const char *wanted = rungs[i].builds_on;
        const hw_rung *base = hw_rung_base(rungs, n_rungs, &rungs[i]);
        const bool is_start = !wanted || !strcmp(wanted, "-");
        if (is_start ? base != NULL : !base || base >= &rungs[i])
            fail_msg("%s, %s builds on '%s', which is no rung before it", family->name, rungs[i].name, wanted);
        if (rungs[i].is_copy && !is_start)
            fail_msg("%s, %s is a copy, which builds on nothing", family->name, rungs[i].name);
    }
}

static void every_base_is_an_earlier_rung(void **state) {
    const hw_family *family;
    (void)state;
    for (size_t f = 0; (family = hw_family_at(f)); f++) {
        expect_bases(family, family->rungs, family->n_rungs);
        expect_bases(family, family->cpu_rungs, family->n_cpu_rungs);
    }
}

static void expect_step(const hw_ladder *ladder, const char *rung, const char *base) {
    const hw_ladder_row *row = row_of(ladder, rung);
    assert_true(row->step == 0);   // a simulation has no times
    if (!base) {
        assert_null(row->base);
        assert_true(row->estimate_step == 0);
        return;
    }
    if (!row->base || strcmp(row->base->name, base))
        fail_msg("%s is compared with %s, not %s", rung, row->base ? row->base->name : "nothing", base);
    const double expected = row_of(ladder, base)->estimate_us / row->estimate_us;
    assert_true(fabs(row->estimate_step - expected) < 1e-9 * expected);
}

static void steps_are_over_the_base(void **state) {
    const hw_ladder_options options = problem_of(hw_family_find("transpose"), "f32", (uint64_t[4]){96, 96});
    hw_ladder ladder;
    (void)state;
    run_ladder(h200, &options, &ladder);
    expect_step(&ladder, "copy", NULL);
    expect_step(&ladder, "read_rows", NULL);
    expect_step(&ladder, "tile", "read_rows");
    expect_step(&ladder, "swizzle", "tile");
    expect_step(&ladder, "best", "more_rows");
    hw_ladder_free(&ladder);
}

// Blocks of 512 threads at most refuse tile32, and 16 KiB of shared memory register_tile: what builds on them goes on
// from the last that there is.
static void a_base_that_did_not_run(void **state) {
    const hw_ladder_options options = problem_of(hw_family_find("matmul"), "f32", (uint64_t[4]){64, 64, 64});
    hw_device *gtx280 = open_device("sim:gtx280");
    hw_ladder ladder;
    (void)state;
    run_ladder(gtx280, &options, &ladder);
    assert_int_not_equal(row_of(&ladder, "tile32")->status, HW_OK);
    expect_step(&ladder, "tile32", NULL);
    expect_step(&ladder, "zero_fill", "tile16");
    expect_step(&ladder, "strip", "zero_fill");
    expect_step(&ladder, "best", "strip");
    hw_ladder_free(&ladder);
    hw_device_close(gtx280);
}

// A rung alone has nothing to be compared with.
static void one_rung(void **state) {
    hw_ladder_options options = problem_of(hw_family_find("transpose"), "f32", (uint64_t[4]){96, 96});
    hw_ladder ladder;
    (void)state;
    options.rung = "pad";
    run_ladder(h200, &options, &ladder);
    expect_step(&ladder, "pad", NULL);
    hw_ladder_free(&ladder);
}

// Of several blocks the base's best counts, and each row has its step.
static void steps_of_blocks(void **state) {
    hw_ladder_options options = problem_of(hw_family_find("transpose"), "f32", (uint64_t[4]){96, 96});
    hw_ladder ladder;
    double least = INFINITY;
    size_t compared = 0;
    (void)state;
    options.all_blocks = true;
    run_ladder(h200, &options, &ladder);
    for (size_t i = 0; i < ladder.n_rows; i++)
        if (!strcmp(ladder.rows[i].rung->name, "any_block")) least = fmin(least, ladder.rows[i].estimate_us);
    for (size_t i = 0; i < ladder.n_rows; i++) {
        const hw_ladder_row *row = &ladder.rows[i];
        if (strcmp(row->rung->name, "pad")) continue;
        assert_true(fabs(row->estimate_step - least / row->estimate_us) < 1e-9);
        compared++;
    }
    assert_int_equal(compared, 11);
    hw_ladder_free(&ladder);
}

// ---- The floor of launch time ---------------------------------------------------------------------------------------

static void small_problems_are_at_the_floor(void **state) {
    const hw_family *transpose = hw_family_find("transpose");
    hw_ladder_options options = problem_of(transpose, "f32", (uint64_t[4]){64, 64});
    hw_ladder ladder;
    (void)state;
    run_ladder(h200, &options, &ladder);
    for (size_t i = 0; i < ladder.n_rows; i++) {
        const hw_ladder_row *row = &ladder.rows[i];
        if (!row->is_at_floor) fail_msg("%s takes %g us of 64 x 64", row->rung->name, row->estimate_us);
    }
    hw_ladder_free(&ladder);
    options = problem_of(transpose, "f32", (uint64_t[4]){2048, 2048});
    options.rung = "read_rows";
    run_ladder(h200, &options, &ladder);
    assert_false(row_of(&ladder, "read_rows")->is_at_floor);
    assert_int_equal(hw_model_bound(row_of(&ladder, "read_rows")->bound_us, row_of(&ladder, "read_rows")->estimate_us),
                     HW_BOUND_MEMORY);
    hw_ladder_free(&ladder);
}

// Each launch has its overhead: of two the floor is twice as high.
static void every_launch_counts(void **state) {
    hw_ladder_options options = problem_of(hw_family_find("reduce"), "f32", (uint64_t[4]){4096});
    hw_ladder ladder;
    (void)state;
    run_ladder(h200, &options, &ladder);
    const hw_ladder_row *two = row_of(&ladder, "shuffles"), *one = row_of(&ladder, "one_launch");
    assert_int_equal(two->n_launches, 2);
    assert_int_equal(one->n_launches, 1);
    assert_true(fabs(two->bound_us[HW_BOUND_LAUNCH] - 2 * one->bound_us[HW_BOUND_LAUNCH]) < 1e-9);
    hw_ladder_free(&ladder);
}

// ---- The usual sizes ------------------------------------------------------------------------------------------------

// The first rung that is no copy, and the best: of products tensor cores do not count, which round.
static void expect_gain(const char *name, const char *first, hw_device *device) {
    const hw_device_properties *properties = hw_device_get_properties(device);
    hw_family family = *hw_family_find(name);
    hw_rung two[2];
    hw_ladder ladder;
    for (size_t i = 0; i < family.n_rungs; i++) {
        if (!strcmp(family.rungs[i].name, first)) two[0] = family.rungs[i];
        if (!strcmp(family.rungs[i].name, strcmp(name, "nearest") ? "best" : "brute")) two[1] = family.rungs[i];
    }
    const hw_ladder_options options = problem_of(&family, "f32", hw_family_default_size(&family, properties));
    family.rungs = two;
    family.n_rungs = 2;
    run_ladder(device, &options, &ladder);
    const double naive = ladder.rows[0].estimate_us, best = ladder.rows[1].estimate_us;
    if (!(best > 0 && best < naive / 1.25))
        fail_msg("%s on %s: %s takes %g us, %s %g", name, properties->name, two[0].name, naive, two[1].name, best);
    for (int i = 0; i < 2; i++)
        if (ladder.rows[i].is_at_floor) fail_msg("%s, %s: only launches", name, two[i].name);
    hw_ladder_free(&ladder);
}

static void ideas_pay_at_the_usual_sizes(void **state) {
    static const char *const gpus[] = {"sim:k40", "sim:h200"};
    (void)state;
    if (is_sanitized()) skip();   // products of 1024 take minutes so
    for (size_t g = 0; g < sizeof gpus / sizeof gpus[0]; g++) {
        hw_device *device = open_device(gpus[g]);
        expect_gain("transpose", "read_rows", device);
        expect_gain("matmul", "naive", device);
        expect_gain("reduce", "modulo", device);
        expect_gain("nearest", "global", device);
        hw_device_close(device);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_base_is_an_earlier_rung), cmocka_unit_test(steps_are_over_the_base),
        cmocka_unit_test(a_base_that_did_not_run), cmocka_unit_test(one_rung), cmocka_unit_test(steps_of_blocks),
        cmocka_unit_test(small_problems_are_at_the_floor), cmocka_unit_test(every_launch_counts),
        cmocka_unit_test(ideas_pay_at_the_usual_sizes),
    };
    return cmocka_run_group_tests(tests, open_h200, close_h200);
}
