// Gathers: every rung right at every kind of size, on GPUs of every generation, and what textures touch and miss is as
// their files predict.
#include "ladder_test.h"

static void run_gather(hw_device *device, uint64_t rows, uint64_t cols, hw_ladder *ladder) {
    const hw_ladder_options options = {.family = hw_family_find("gather"), .problem = {{rows, cols}, {kDLUInt, 32, 1}}};
    run_ladder(device, &options, ladder);
}

static void expect_right(hw_device *device, uint64_t rows, uint64_t cols) {
    hw_ladder ladder;
    run_gather(device, rows, cols, &ladder);
    assert_int_equal(ladder.n_rows, 6);
    for (size_t i = 0; i < ladder.n_rows; i++)
        if (ladder.rows[i].status || !ladder.rows[i].verdict.right)
            fail_msg("%s, %dx%d: %s%s", ladder.rows[i].rung->name, (int)rows, (int)cols, ladder.rows[i].text,
                     ladder.rows[i].verdict.text);
    hw_ladder_free(&ladder);
}

// Nothing, one word, one row, one column, primes, around blocks of 16x16.
static void sizes(void **state) {
    static const uint64_t all[][2] = {{0, 0}, {0, 5}, {5, 0}, {1, 1}, {1, 97}, {97, 1}, {15, 17}, {16, 16}, {17, 31},
                                      {64, 3}, {101, 67}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) expect_right(h200, all[i][0], all[i][1]);
}

static void older_gpus(void **state) {
    static const char *const gpus[] = {"sim:8800gtx", "sim:gtx280", "sim:m2090", "sim:k40", "sim:p100"};
    (void)state;
    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++) {
        hw_device *device = open_device(gpus[i]);
        expect_right(device, 67, 101);
        hw_device_close(device);
    }
}

// On a GPU, where there is one.
static void real_gpu(void **state) {
    const hw_device_options options = {.cache_dir = HW_TEST_CACHE, .search_path = getenv("PATH")};
    hw_device *device = NULL;
    (void)state;
    if (hw_device_open("cuda:0", &options, &device, NULL)) skip();
    expect_right(device, 101, 67);
    expect_right(device, 1024, 1024);
    hw_device_close(device);
}

// 256x256 on an H200: 2048 warps, each of two rows of 16 lanes.
static void counters(void **state) {
    enum { WARPS = 2048, SECTORS = 256 * 256 / 8 };
    hw_ladder ladder;
    (void)state;
    run_gather(h200, 256, 256, &ladder);
    for (size_t i = 0; i < ladder.n_rows; i++) {
        const hw_ladder_row *row = &ladder.rows[i];
        const bool fetches = strstr(row->rung->kernel, "texture") || strstr(row->rung->kernel, "image");
        expect_count(row, HW_COUNT_GLD_REQUESTS, fetches ? 0 : WARPS);
        expect_count(row, HW_COUNT_GST_SECTORS, 4 * WARPS);
        assert_int_equal(row->texel_sectors > 0, fetches);
    }
    expect_count(row_of(&ladder, "copy"), HW_COUNT_GLD_SECTORS, 4 * WARPS);
    const uint64_t random = row_of(&ladder, "random")->counts[HW_COUNT_GLD_SECTORS];
    const uint64_t turned = row_of(&ladder, "turned")->counts[HW_COUNT_GLD_SECTORS];
    assert_in_range(random, 31 * WARPS, 32 * WARPS);
    assert_in_range(turned, 11 * WARPS, 13 * WARPS);
    // A texture of plain memory touches the sectors that loads do, as far as a sample of 8 of 256 blocks tells.
    assert_in_range(row_of(&ladder, "random_texture")->texel_sectors, random * 97 / 100, random * 103 / 100);
    assert_in_range(row_of(&ladder, "turned_texture")->texel_sectors, turned * 80 / 100, turned * 120 / 100);
    // What lies in blocks is touched less, and missed less.
    assert_true(row_of(&ladder, "turned_image")->texel_sectors < row_of(&ladder, "turned_texture")->texel_sectors);
    assert_true(row_of(&ladder, "turned_image")->texel_misses <= row_of(&ladder, "turned_texture")->texel_misses);
    assert_true(row_of(&ladder, "turned_texture")->texel_misses < 4 * SECTORS);
    hw_ladder_free(&ladder);
}

// Where global memory has no cache, textures are what makes a gather fast: twice and more by the estimate.
static void pays_without_caches(void **state) {
    hw_device *gtx280 = open_device("sim:gtx280");
    hw_ladder ladder;
    (void)state;
    run_gather(gtx280, 512, 512, &ladder);
    assert_true(row_of(&ladder, "random_texture")->estimate_step > 2);
    assert_true(row_of(&ladder, "turned_texture")->estimate_step > 2);
    hw_ladder_free(&ladder);
    hw_device_close(gtx280);
}

static void refusals(void **state) {
    static const uint64_t sizes[][2] = {{32769, 1}, {1, 65537}, {32768, 32768}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const hw_ladder_options options = {.family = hw_family_find("gather"),
                                           .problem = {{sizes[i][0], sizes[i][1]}, {kDLUInt, 32, 1}}};
        hw_ladder ladder;
        assert_int_equal(hw_ladder_run(h200, NULL, &options, &ladder, NULL), HW_USAGE);
        hw_ladder_free(&ladder);
    }
    hw_device *cpu = open_device("cpu");
    hw_image *image;
    assert_int_equal(hw_image_create(cpu, &(hw_image_request){1, 1, false}, "word", &image, NULL), HW_USAGE);
    assert_null(image);
    hw_device_close(cpu);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),    cmocka_unit_test(older_gpus),          cmocka_unit_test(real_gpu),
        cmocka_unit_test(counters), cmocka_unit_test(pays_without_caches), cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, open_h200, close_h200);
}
