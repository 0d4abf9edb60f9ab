// All launches of a kernel as one row.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <jansson.h>

#include "base/alloc.h"
#include "report/summary.h"
#include "report_test.h"

// Two kernels by turns, the second longer: 4 + 3 launches, one of which stopped.
static hw_report many(hw_report_launch *launches, size_t n) {
    for (size_t i = 0; i < n; i++) {
        launches[i] = launch(i, i % 2 ? "slow(int)" : "void fast<1>(int)");
        launches[i].mangled = i % 2 ? "_Z4slowi" : "_Z4fastILi1EEvi";
        launches[i].estimate = (hw_estimate){.us = i % 2 ? 100 + (double)i : 10, .gbs = i % 2 ? 5 : 10,
                                             .bound = i % 2 ? HW_BOUND_LATENCY : HW_BOUND_MEMORY,
                                             .bound_us = {1, 2, 3, 4.5, (double)i}};
        memset(launches[i].counts, 0, sizeof launches[i].counts);
        launches[i].counts[HW_COUNT_INST] = 1000;
        launches[i].regs = 16 + (uint32_t)i;
        launches[i].occupancy.occupancy_pct = i % 2 ? 25 : 100;
    }
    return (hw_report){.gpu = hw_gpu_find("h200"), .launches = launches, .n_launches = n};
}

static void summaries_add_up(void **state) {
    (void)state;
    hw_report_launch launches[7];
    hw_report report = many(launches, 7);
    launches[6].status = HW_FAULT;
    launches[6].estimate = (hw_estimate){0};
    launches[3].is_reused = launches[5].is_reused = true;
    const hw_report_look look = {.rows = HW_REPORT_ROWS_SUMMARY, .width = 200};
    char *csv = text_with(&report, HW_REPORT_CSV, look), *json = text_with(&report, HW_REPORT_JSON, look);
    char *table = text_with(&report, HW_REPORT_TABLE, look);
    assert_int_equal(count_of(csv, "\n"), 3);
    static const char head[] = "kernel,launches,completed,share_pct,est_us,est_us_mean,est_us_min,est_us_max,est_gbs,";
    assert_int_equal(strncmp(csv, head, strlen(head)), 0);
    // slow: 101 + 103 + 105 us of 339
    assert_non_null(strstr(csv, "\nslow(int),3,3,91.15,309,103,101,105,5,latency,21,0,0,4224,0,25,3000,"));
    assert_non_null(strstr(csv, "\nvoid fast<1>(int),4,3,8.85,30,10,10,10,10,memory,22,0,0,4224,0,100,4000,"));
    assert_true(strstr(csv, "\nslow") < strstr(csv, "\nvoid"));
    assert_non_null(strstr(csv, ",3.75,nvcc 13.0.88,3,6,9,13.5,9,2,0,0,0.01,,0,0\n"));
    // Launch 6 stopped, and has none.
    assert_non_null(strstr(csv, ",5,nvcc 13.0.88,3,6,9,13.5,6,0,,,,,0,0\n"));
    json_error_t error;
    json_t *root = json_loads(json, JSON_REJECT_DUPLICATES, &error);
    if (!root) fail_msg("%s in %s", error.text, json);
    json_t *rows = json_object_get(root, "summary"), *fast = json_array_get(rows, 1);
    assert_null(json_object_get(root, "launches"));
    assert_int_equal(json_array_size(rows), 2);
    assert_int_equal(json_integer_value(json_object_get(fast, "launches")), 4);
    assert_int_equal(json_integer_value(json_object_get(fast, "completed")), 3);
    assert_int_equal(json_integer_value(json_object_get(fast, "inst")), 4000);
    assert_string_equal(json_string_value(json_object_get(fast, "ptx_by")), "nvcc 13.0.88");
    assert_int_equal(json_integer_value(json_object_get(json_array_get(rows, 0), "reused")), 2);
    assert_true(json_real_value(json_object_get(fast, "est_us_latency")) == 13.5);
    json_decref(root);
    squeeze(table);
    assert_non_null(strstr(table, "\n kernel launches est. time total mean min max regs bytes pancy"));
    assert_non_null(strstr(table, "\n slow 3 91% 309 103 101 105 21 4224 25%"));
    assert_non_null(strstr(table, "\n fast<1> (stopped) 4 8.8% 30.0 10.0 10.0 10.0 22 4224 100%"));
    free(csv);
    free(json);
    free(table);
    hw_diag diag = {0};
    for (long n = 0; n < 2; n++) {
        hw_report_summary *all;
        size_t n_rows;
        hw_alloc_fail_after(n);
        assert_int_equal(hw_report_summarise(&report, false, &all, &n_rows, &diag), HW_NO_MEMORY);
        hw_alloc_fail_after(-1);
        assert_true(!all && !n_rows);
    }
}

static void reused_launches_are_marked(void **state) {
    (void)state;
    hw_report_launch launches[3];
    hw_report report = many(launches, 3);
    char *without = text_of(&report, HW_REPORT_TABLE, false);
    assert_null(strstr(without, "reused"));
    launches[2].is_reused = true;
    char *table = text_of(&report, HW_REPORT_TABLE, false), *csv = text_of(&report, HW_REPORT_CSV, false),
         *json = text_of(&report, HW_REPORT_JSON, false);
    squeeze(table);
    assert_non_null(strstr(table, "\n 2 fast<1> (reused) "));
    assert_int_equal(count_of(table, "(reused)"), count_of(table, "\n 2 fast"));
    assert_non_null(strstr(table, "\n reused 1 of 3 launches were not executed: they would have done what"));
    assert_int_equal(count_of(csv, ",0,,,,,0,0,0\n"), 2);
    assert_non_null(strstr(csv, ",1,,,,,0,0,0\n"));
    assert_int_equal(count_of(json, "\"reused\": true"), 1);
    assert_int_equal(count_of(json, "\"reused\": false"), 2);
    free(without);
    free(table);
    free(csv);
    free(json);
}

// A row a launch up to 40, and when they are asked for; the other formats sum up only when asked.
static void many_launches_are_summed_up(void **state) {
    (void)state;
    static hw_report_launch launches[41];
    hw_report report = many(launches, 41);
    char *text = text_of(&report, HW_REPORT_TABLE, false);
    assert_non_null(strstr(text, "\n41 launches, summed up by kernel; --launches shows"));
    assert_int_equal(count_of(text, "slow"), 1);
    free(text);
    text = text_with(&report, HW_REPORT_TABLE, (hw_report_look){.rows = HW_REPORT_ROWS_LAUNCHES, .width = 120});
    assert_int_equal(count_of(text, "slow"), 20);
    assert_null(strstr(text, "summed up"));
    free(text);
    text = text_of(&report, HW_REPORT_CSV, false);
    assert_int_equal(count_of(text, "\n"), 42);
    free(text);
    report.n_launches = 40;
    report.n_uncounted = 60;
    text = text_of(&report, HW_REPORT_TABLE, false);
    assert_int_equal(count_of(text, "slow"), 20);
    assert_non_null(strstr(text, "\n40 of the program's 100 launches were counted\n"));
    free(text);
    report.n_launches = 0;
    text = text_of(&report, HW_REPORT_TABLE, false);
    assert_string_equal(text, "none of the program's launches was counted\n");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summaries_add_up),
        cmocka_unit_test(reused_launches_are_marked),
        cmocka_unit_test(many_launches_are_summed_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
