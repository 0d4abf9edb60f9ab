// What `halfwarp ladder FAMILY` runs where nothing else is asked for is recorded, so that everybody sees the same
// counters. A run takes a minute, and is made while recording (tools/record_kernels.sh); test_recorded.c sees what has
// changed since.
#include "ladder_test.h"
#include "recorded_kernels.h"

static void default_ladders(void **state) {
    (void)state;
    if (!getenv("HW_RECORD_KERNELS")) skip();
    hw_device *h200 = open_device("sim:h200");
    const hw_family *family;
    for (size_t i = 0; (family = hw_family_at(i)); i++) {
        hw_ladder_options options = {.family = family};
        hw_ladder ladder;
        hw_diag diag = {0};
        memcpy(options.problem.size, family->default_sim_size, sizeof options.problem.size);
        assert_true(hw_dtype_find("f32", &options.problem.dtype));
        if (hw_ladder_run(h200, NULL, &options, &ladder, &diag)) fail_msg("%s: %s", family->name, diag.text);
        hw_ladder_free(&ladder);
    }
    hw_device_close(h200);
}

int main(void) {
    const struct CMUnitTest tests[] = {RECORDED_TEST(default_ladders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
