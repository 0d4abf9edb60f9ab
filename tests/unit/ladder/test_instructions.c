// The ladder of instructions: chains are right, wrong ones are seen, and a GTX 280 has as many results in a clock as
// seed 004's table 4.5.1 says, as far as the estimate knows. Few of the rungs, since each is a kernel to compile.
#include "ladder_test.h"

enum { BLOCKS = 480, BLOCK = 256 };

// The rung of that name, alone.
static hw_family family_with(const char *name, hw_rung *rung) {
    hw_family family = *hw_family_find("instructions");
    rung->name = NULL;
    for (size_t i = 0; i < family.n_rungs; i++)
        if (!strcmp(family.rungs[i].name, name)) *rung = family.rungs[i];
    assert_non_null(rung->name);
    family.rungs = rung;
    family.n_rungs = 1;
    return family;
}

static hw_ladder_row run_chain(hw_device *device, const char *name, uint64_t threads, uint64_t rounds) {
    hw_rung rung;
    hw_ladder ladder;
    const hw_family family = family_with(name, &rung);
    const hw_ladder_options options = {.family = &family, .problem = {{threads, rounds}, {kDLFloat, 32, 1}}};
    run_ladder(device, &options, &ladder);
    const hw_ladder_row row = ladder.rows[0];
    hw_ladder_free(&ladder);
    return row;
}

// Of 240 cores at 1296 MHz.
static void expect_rate(hw_device *gtx280, const char *name, double least, double most) {
    enum { ROUNDS = 2, RESULTS = 128 };
    const hw_gpu *gpu = hw_gpu_find("gtx280");
    const hw_ladder_row row = run_chain(gtx280, name, (uint64_t)BLOCKS * BLOCK, ROUNDS);
    if (row.status || !row.verdict.right) fail_msg("%s: %s%s", name, row.text, row.verdict.text);
    const double us = row.estimate_us - row.bound_us[HW_BOUND_LAUNCH];
    const double rate = (double)BLOCKS * BLOCK * ROUNDS * RESULTS / (us * gpu->sms * gpu->clock_mhz);
    if (!(rate >= least && rate <= most)) fail_msg("%s: %.2f results a clock", name, rate);
}

static void table_of_the_seed(void **state) {
    hw_device *gtx280 = open_device("sim:gtx280");
    (void)state;
    expect_rate(gtx280, "mad", 6, 8);
    expect_rate(gtx280, "reciprocal", 1.8, 2);
    expect_rate(gtx280, "sine", 0.9, 1);
    expect_rate(gtx280, "int_mul", 1.8, 2);
    const hw_ladder_row row = run_chain(gtx280, "popc", BLOCK, 1);
    assert_int_equal(row.status, HW_USAGE);
    assert_non_null(strstr(row.text, "from compute capability 2.0 on"));
    hw_device_close(gtx280);
}

// Any number of threads and rounds, none too.
static void sizes_of_chains(void **state) {
    static const uint64_t all[][2] = {{0, 1}, {1, 0}, {33, 1}, {257, 3}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const hw_ladder_row row = run_chain(h200, "int_mul", all[i][0], all[i][1]);
        if (row.status || !row.verdict.right) fail_msg("size %zu: %s%s", i, row.text, row.verdict.text);
    }
}

// A product has not what a sum leaves.
static void wrong_chains_are_seen(void **state) {
    hw_rung product, sum;
    hw_verdict verdict;
    const hw_problem problem = {{64, 2}, {kDLFloat, 32, 1}};
    uint32_t out[2 * 64] = {0};
    void *arrays[] = {out};
    const hw_family family = family_with("int_mul", &product);
    (void)state;
    family_with("int_add", &sum);
    family.compare(&problem, &sum, arrays, 0, out, &verdict);
    assert_false(verdict.right);
    assert_int_equal(verdict.n_wrong, 64);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_of_the_seed),
        cmocka_unit_test(sizes_of_chains),
        cmocka_unit_test(wrong_chains_are_seen),
    };
    return cmocka_run_group_tests(tests, open_h200, close_h200);
}
