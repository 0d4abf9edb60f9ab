// Transfers as rungs: right at every size, each writing its own array and no other; and by the GPU's clock what engines
// overlap: nothing on 1.0, kernels on GPUs with one engine, both directions as well on those with two.
#include "ladder_test.h"

static void run_transfer(hw_device *device, uint64_t words, hw_ladder *ladder) {
    const hw_ladder_options options = {.family = hw_family_find("transfer"), .problem = {{words}, {kDLUInt, 32, 1}}};
    run_ladder(device, &options, ladder);
    assert_int_equal(ladder->n_rows, 5);
}

static void expect_right(hw_device *device, uint64_t words) {
    hw_ladder ladder;
    run_transfer(device, words, &ladder);
    for (size_t i = 0; i < ladder.n_rows; i++)
        if (ladder.rows[i].status || !ladder.rows[i].verdict.right)
            fail_msg("%s, %d words: %s%s", ladder.rows[i].rung->name, (int)words, ladder.rows[i].text,
                     ladder.rows[i].verdict.text);
    hw_ladder_free(&ladder);
}

// Nothing, fewer words than chunks, chunks of nothing, of 64 words and around them.
static void sizes(void **state) {
    static const uint64_t all[] = {0, 1, 3, 63, 64, 65, 255, 256, 257, 1021, 65537};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) expect_right(h200, all[i]);
}

// On a GPU, where there is one.
static void real_gpu(void **state) {
    const hw_device_options options = {.cache_dir = HW_TEST_CACHE, .search_path = getenv("PATH")};
    hw_device *device = NULL;
    (void)state;
    if (hw_device_open("cuda:0", &options, &device, NULL)) skip();
    expect_right(device, 1021);
    expect_right(device, 1 << 22);
    hw_device_close(device);
}

static const hw_ladder_row *estimated(const hw_ladder *ladder, const char *rung) {
    const hw_ladder_row *row = row_of(ladder, rung);
    assert_true(row->estimate_us > 0);
    return row;
}

static double kernel_us(const hw_ladder_row *row) {
    double us = 0;
    for (int b = 0; b < HW_BOUNDS; b++) us = row->bound_us[b] > us ? row->bound_us[b] : us;
    return us;
}

// One copy after the other, and the kernel between: the link's time twice. 4 MB each way.
static void expect_order(const hw_ladder *ladder) {
    const hw_ladder_row *pageable = estimated(ladder, "pageable"), *pinned = estimated(ladder, "pinned");
    assert_true(pageable->copies_us > pinned->copies_us && pageable->estimate_us > pinned->estimate_us);
    assert_true(pinned->estimate_us > pinned->copies_us + 0.8 * kernel_us(pinned));
}

static void one_engine_or_none(void **state) {
    hw_device *gtx280 = open_device("sim:gtx280"), *g80 = open_device("sim:8800gtx");
    hw_ladder ladder;
    (void)state;
    run_transfer(gtx280, 1 << 20, &ladder);
    expect_order(&ladder);
    // What the kernel takes is hidden, but for a part; the link is as busy as before.
    const hw_ladder_row *pinned = estimated(&ladder, "pinned"), *streams = estimated(&ladder, "streams");
    assert_true(streams->estimate_us >= streams->copies_us && streams->estimate_us < pinned->estimate_us);
    assert_true(streams->copies_us >= pinned->copies_us);
    assert_true(estimated(&ladder, "zero_copy")->estimate_us < 0.65 * pinned->estimate_us);
    assert_true(row_of(&ladder, "zero_copy")->copies_us <= 0);
    assert_true(row_of(&ladder, "zero_copy")->reaches_host && !pinned->reaches_host);
    hw_ladder_free(&ladder);
    run_transfer(g80, 1 << 20, &ladder);
    assert_true(estimated(&ladder, "streams")->estimate_us >= estimated(&ladder, "pinned")->estimate_us);
    assert_int_equal(row_of(&ladder, "zero_copy")->status, HW_USAGE);
    assert_non_null(strstr(row_of(&ladder, "zero_copy")->text, "do not reach the host's memory"));
    hw_ladder_free(&ladder);
    hw_device_close(gtx280);
    hw_device_close(g80);
}

// Both directions at a time.
static void two_engines(void **state) {
    hw_ladder ladder;
    (void)state;
    run_transfer(h200, 1 << 20, &ladder);
    expect_order(&ladder);
    const hw_ladder_row *streams = estimated(&ladder, "streams");
    assert_true(streams->estimate_us < 0.8 * streams->copies_us);
    assert_true(estimated(&ladder, "zero_copy")->estimate_us < streams->estimate_us);
    hw_ladder_free(&ladder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes), cmocka_unit_test(real_gpu),
                                       cmocka_unit_test(one_engine_or_none), cmocka_unit_test(two_engines)};
    return cmocka_run_group_tests(tests, open_h200, close_h200);
}
