// The report's formats for programs: what is printed of a report made by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <jansson.h>

#include "report_test.h"

static void formats_by_name(void **state) {
    (void)state;
    assert_int_equal(hw_report_find_format("table"), HW_REPORT_TABLE);
    assert_int_equal(hw_report_find_format("csv"), HW_REPORT_CSV);
    assert_int_equal(hw_report_find_format("json"), HW_REPORT_JSON);
    assert_int_equal(hw_report_find_format("CSV "), HW_REPORT_FORMATS);
    assert_int_equal(hw_report_find_format(""), HW_REPORT_FORMATS);
    assert_string_equal(hw_report_format_name(HW_REPORT_JSON), "json");
    assert_null(hw_report_format_name(HW_REPORT_FORMATS));
    hw_report report = sample(false);
    hw_diag diag = {0};
    const hw_report_look look = {.width = 80};
    assert_int_equal(hw_report_write(&report, HW_REPORT_FORMATS, &look, stderr, &diag), HW_USAGE);
}

static void csv_has_the_columns_of_the_design(void **state) {
    (void)state;
    static const char header[] =
        "ordinal,kernel,grid,block,regs,smem_static,smem_dynamic,limit_blocks,limit_regs,limit_smem,limit_warps,"
        "occupancy_pct,inst,thread_inst,gld_requests,gst_requests,gld_sectors,gst_sectors,l2_sectors,l2_sectors_ideal,"
        "lds_inst,sts_inst,lds_wavefronts,sts_wavefronts,smem_wavefronts,smem_wavefronts_ideal,lld_requests,"
        "lld_sectors,lst_requests,lst_sectors,branches,branches_divergent,barriers,atomics,host_ms,regs_estimated,"
        "est_us,est_gbs,est_bound,spill_bytes,ptx_by,est_us_memory,est_us_shared,est_us_issue,est_us_latency,"
        "est_us_launch,reused,stream,start_us,call_us,machine_inst,device,"
        "tex_sectors,tex_misses\n";
    hw_report_launch one = launch(0, "k<1, 2>(float*, \"x\")");
    one.occupancy.limit_smem = 37;
    one.occupancy.occupancy_pct = 20.3125;
    one.regs_estimated = true;
    hw_report report = {.gpu = hw_gpu_find("h200"), .launches = &one, .n_launches = 1};
    char *text = text_of(&report, HW_REPORT_CSV, true);
    assert_memory_equal(text, header, strlen(header));
    assert_string_equal(text + strlen(header),
                        "0,\"k<1, 2>(float*, \"\"x\"\")\",(32 64 1),(32 8 1),16,4224,0,32,16,37,8,20.31,1000,1001,1002,"
                        "1003,1004,1005,1006,1007,1008,1009,1010,1011,1012,1013,1014,1015,1016,1017,1018,1019,1020,"
                        "1021,1.2500,1,12.5,2684.355,shared,0,nvcc 13.0.88,2.125,7.5,0.125,1,4.5,0,,,,,0,0,0\n");
    free(text);
    report.n_launches = 0;
    text = text_of(&report, HW_REPORT_CSV, false);
    assert_string_equal(text, header);
    free(text);
}

static void csv_of_lines_is_one_table(void **state) {
    (void)state;
    hw_report report = sample(true);
    char *text = text_of(&report, HW_REPORT_CSV, false);
    assert_int_equal(strncmp(text, "kernel,launches,file,line,inst,thread_inst,", 43), 0);
    assert_int_equal(count_of(text, "\n"), 3);
    assert_non_null(strstr(text, "\n\"naive(float*, float const*, int)\",2,transpose.cu,7,720896,23068672,32768,"));
    assert_non_null(strstr(text, "\n\"naive(float*, float const*, int)\",2,,0,3,48,0,"));
    free(text);
}

static void json_is_valid_and_complete(void **state) {
    (void)state;
    hw_report report = sample(true);
    transposes[1].kernel = "bad \xff name \"quoted\"\n";
    transposes[2].status = HW_FAULT;
    transposes[2].counts[HW_COUNT_INST] = (uint64_t)1 << 62;
    transposes[2].occupancy.occupancy_pct = 20.3125;
    char *text = text_of(&report, HW_REPORT_JSON, true);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!root) fail_msg("%s in %s", error.text, text);
    json_t *launches = json_object_get(root, "launches");
    assert_int_equal(json_array_size(launches), 3);
    json_t *last = json_array_get(launches, 2);
    assert_true(json_integer_value(json_object_get(last, "inst")) == (json_int_t)1 << 62);
    assert_true(json_is_false(json_object_get(last, "completed")));
    assert_true(json_real_value(json_object_get(last, "est_us_memory")) == 2.125);
    assert_true(json_real_value(json_object_get(last, "est_us_launch")) == 4.5);
    assert_true(json_number_value(json_object_get(last, "occupancy_pct")) > 20.309);
    assert_true(json_number_value(json_object_get(last, "occupancy_pct")) < 20.311);
    assert_string_equal(json_string_value(json_object_get(json_array_get(launches, 1), "kernel")),
                        "bad ? name \"quoted\"\n");
    assert_int_equal(json_integer_value(json_array_get(json_object_get(last, "grid"), 1)), 64);
    for (int i = 0; i < HW_COUNTERS; i++)
        assert_int_equal(json_object_get(last, hw_counter_rows[i].name) != NULL,
                         hw_counter_is_column(i, hw_gpu_find("h200")) || i == HW_COUNT_GLD_SECTORS_IDEAL ||
                             i == HW_COUNT_GST_SECTORS_IDEAL);
    assert_string_equal(json_string_value(json_object_get(json_object_get(root, "gpu"), "id")), "h200");
    json_t *found = json_object_get(root, "kernels");
    assert_int_equal(json_array_size(found), 2);
    json_t *line = json_array_get(json_object_get(json_array_get(found, 0), "lines"), 0);
    assert_int_equal(json_integer_value(json_object_get(line, "line")), 7);
    assert_int_equal(json_array_size(json_object_get(json_array_get(found, 1), "lines")), 0);
    json_decref(root);
    free(text);
    report = (hw_report){.gpu = hw_gpu_find("t4")};
    text = text_of(&report, HW_REPORT_JSON, false);
    root = json_loads(text, 0, &error);
    assert_non_null(root);
    assert_int_equal(json_array_size(json_object_get(root, "launches")), 0);
    assert_null(json_object_get(root, "kernels"));
    json_decref(root);
    free(text);
}

static void partitions_not_counted_are_nothing(void **state) {
    (void)state;
    hw_report report = old_sample("gtx280");
    report.has_lines = false;
    char *csv = text_of(&report, HW_REPORT_CSV, false), *json = text_of(&report, HW_REPORT_JSON, false);
    assert_non_null(strstr(csv, ",gld_partition_pct,gst_partition_pct,host_ms"));
    assert_non_null(strstr(csv, ",100,,1.2500,"));
    assert_non_null(strstr(csv, ",100,12.5,1.2500,"));
    assert_non_null(strstr(json, "\"gld_partition_pct\": 100.0, \"gst_partition_pct\": null,"));
    assert_non_null(strstr(json, "\"gst_partition_pct\": 12.5,"));
    free(csv);
    free(json);
}

static void lines_of_launches_say_which(void **state) {
    (void)state;
    hw_report report = sample(true);
    kernels[0].first = 7;
    kernels[0].grid[0] = 12, kernels[0].grid[1] = 3, kernels[0].grid[2] = 1;
    kernels[0].block[0] = 64, kernels[0].block[1] = kernels[0].block[2] = 1;
    kernels[0].smem_dynamic = 512;
    report.lines_of = HW_LINES_OF_GROUP;
    char *text = text_of(&report, HW_REPORT_TABLE, false), *csv = text_of(&report, HW_REPORT_CSV, false);
    char *json = text_of(&report, HW_REPORT_JSON, false);
    assert_non_null(strstr(text, "\nnaive(float*, float const*, int), 2 launches: grid 12x3, block 64, 512 bytes of "
                                 "dynamic shared memory, the first is 7\n"));
    assert_int_equal(strncmp(csv, "kernel,ordinal,grid,block,smem_dynamic,launches,file,line,inst,", 63), 0);
    assert_non_null(strstr(csv, "int)\",7,(12 3 1),(64 1 1),512,2,transpose.cu,7,720896,"));
    assert_non_null(strstr(json, "\"ordinal\": 7, \"grid\": [12, 3, 1], \"block\": [64, 1, 1], \"smem_dynamic\": 512, "
                                 "\"launches\": 2, \"ptx_by\": \"nvcc 13.0.88\", \"mangled\": \"_Z\", \"lines\": ["));
    free(text);
    report.lines_of = HW_LINES_OF_LAUNCH;
    text = text_of(&report, HW_REPORT_TABLE, false);
    assert_non_null(strstr(text, "int), launch 7: grid 12x3, block 64, 512 bytes of dynamic shared memory\n"));
    free(text);
    free(csv);
    free(json);
}

static void a_full_disk_is_told(void **state) {
    (void)state;
    hw_report report = sample(true);
    for (int f = 0; f < HW_REPORT_FORMATS; f++) {
        FILE *full = fopen("/dev/full", "w");
        if (!full) return;
        hw_diag diag = {0};
        const hw_report_look look = {.width = 80};
        assert_int_equal(hw_report_write(&report, (hw_report_format)f, &look, full, &diag), HW_IO);
        assert_true(diag.text[0]);
        fclose(full);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_by_name),
        cmocka_unit_test(csv_has_the_columns_of_the_design),
        cmocka_unit_test(csv_of_lines_is_one_table),
        cmocka_unit_test(json_is_valid_and_complete),
        cmocka_unit_test(partitions_not_counted_are_nothing),
        cmocka_unit_test(lines_of_launches_say_which),
        cmocka_unit_test(a_full_disk_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
