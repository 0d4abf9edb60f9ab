// What the tests of ladders share: a rung's row, and counters that are as its file predicts.
#ifndef HW_TEST_LADDER_TEST_H
#define HW_TEST_LADDER_TEST_H

#include "ladder/ladder.h"
#include "op_test.h"

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
