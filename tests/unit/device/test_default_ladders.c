// What `halfwarp ladder FAMILY` runs where nothing else is asked for is recorded, and some for GPUs before 7.5 too,
// so that everybody sees the same counters. A run takes a minute, and is made while recording
// (tools/record_kernels.sh); test_recorded.c sees what has changed since.
#include "ladder_test.h"
#include "recorded_kernels.h"

static void run(hw_device *device, const hw_family *family, const uint64_t size[HW_PROBLEM_SIZES]) {
    hw_ladder_options options = {.family = family};
    hw_ladder ladder;
    hw_diag diag = {0};
    memcpy(options.problem.size, size, sizeof options.problem.size);
    assert_true(hw_dtype_find("f32", &options.problem.dtype));
    if (hw_ladder_run(device, NULL, &options, &ladder, &diag)) fail_msg("%s: %s", family->name, diag.text);
    hw_ladder_free(&ladder);
}

static void default_ladders(void **state) {
    (void)state;
    if (!getenv("HW_RECORD_KERNELS")) skip();
    hw_device *h200 = open_device("sim:h200");
    const hw_family *family;
    for (size_t i = 0; (family = hw_family_at(i)); i++) {
        run(h200, family, family->default_sim_size);
        if (family->large_sim_size[0]) run(h200, family, family->large_sim_size);
    }
    hw_device_close(h200);
    // What the access patterns of the seeds, textures and transfers cost on the GPUs of their time.
    static const char *const for_old[] = {"access", "gather", "transfer"};
    hw_device *gtx280 = open_device("sim:gtx280");
    for (size_t i = 0; i < sizeof for_old / sizeof for_old[0]; i++) {
        family = hw_family_find(for_old[i]);
        run(gtx280, family, family->default_sim_size);
    }
    hw_device_close(gtx280);
}

int main(void) {
    const struct CMUnitTest tests[] = {RECORDED_TEST(default_ladders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
