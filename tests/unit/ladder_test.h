// What the tests of ladders share: a simulated H200, a run, a rung's row, and counters that are as its file predicts.
#ifndef HW_TEST_LADDER_TEST_H
#define HW_TEST_LADDER_TEST_H

#include "ladder/ladder.h"
#include "op_test.h"

// Of a group of tests, which opens it before the first of them and closes it behind the last.
static hw_device *h200;

static inline int open_h200(void **state) {
    (void)state;
    h200 = open_device("sim:h200");
    return 0;
}

static inline int close_h200(void **state) {
    (void)state;
    hw_device_close(h200);
    return 0;
}

// A run that has to succeed.
static inline void run_ladder(hw_device *device, const hw_ladder_options *options, hw_ladder *ladder) {
    hw_diag diag = {0};
    assert_non_null(options->family);
    if (hw_ladder_run(device, NULL, options, ladder, &diag)) fail_msg("%s", diag.text);
}

static inline const hw_ladder_row *row_of(const hw_ladder *ladder, const char *rung) {
    for (size_t i = 0; i < ladder->n_rows; i++)
        if (!strcmp(ladder->rows[i].rung->name, rung)) return &ladder->rows[i];
    fail_msg("there is no rung %s", rung);
    return NULL;
}

// name: whose they are.
static inline void expect_counter(const char *name, const uint64_t counts[HW_COUNTERS], hw_counter counter,
                                  uint64_t expected) {
    if (counts[counter] != expected)
        fail_msg("%s: %s is %llu, not %llu", name, hw_counter_rows[counter].name, (unsigned long long)counts[counter],
                 (unsigned long long)expected);
}

static inline void expect_count(const hw_ladder_row *row, hw_counter counter, uint64_t expected) {
    expect_counter(row->rung->name, row->counts, counter, expected);
}

#endif
