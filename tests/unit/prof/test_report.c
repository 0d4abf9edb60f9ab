// The report's formats: what is printed of a report made by hand.
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/alloc.h"
#include "report/columns.h"
#include "report/internal.h"
#include "report/report.h"
#include "report/source.h"
#include "report/summary.h"

static hw_report_launch launch(uint64_t ordinal, const char *kernel) {
    hw_report_launch l = {.ordinal = ordinal, .kernel = kernel, .mangled = "_Z", .grid = {32, 64, 1},
                          .block = {32, 8, 1}, .regs = 16, .smem_static = 4224, .host_ms = 1.25,
                          .ptx_by = "nvcc 13.0.88",
                          .estimate = {.us = 12.5, .gbs = 2684.3546, .bound = HW_BOUND_SHARED,
                                       .bound_us = {2.125, 7.5, 0.125, 1, 4.5}}};
    l.occupancy = hw_model_occupancy(hw_gpu_find("h200")->arch, 256, 16, 4224);
    for (int i = 0; i < HW_COUNTERS; i++) l.counts[i] = 1000 + (uint64_t)i;
    return l;
}

// A naive transpose, one with bank conflicts and a padded one, as a newcomer would see them.
static hw_report_launch transposes[3];
static hw_report_line lines[2];
static hw_report_kernel kernels[2];

static hw_report sample(bool with_lines) {
    static const char *const names[] = {"naive(float*, float const*, int)",
                                        "void tile<32, 0>(float*, float const*, int)",
                                        "void tile<32, 1>(float*, float const*, int)"};
    for (int i = 0; i < 3; i++) {
        transposes[i] = launch((uint64_t)i, names[i]);
        uint64_t *n = transposes[i].counts;
        memset(n, 0, sizeof transposes[i].counts);
        n[HW_COUNT_INST] = 720896;
        n[HW_COUNT_THREAD_INST] = 23068672;
        n[HW_COUNT_GLD_REQUESTS] = n[HW_COUNT_GST_REQUESTS] = 32768;
        n[HW_COUNT_GLD_SECTORS] = n[HW_COUNT_GLD_SECTORS_IDEAL] = n[HW_COUNT_GST_SECTORS_IDEAL] = 131072;
        n[HW_COUNT_GST_SECTORS] = i ? 131072 : 1048576;
        n[HW_COUNT_L2_SECTORS] = n[HW_COUNT_GLD_SECTORS] + n[HW_COUNT_GST_SECTORS];
        n[HW_COUNT_L2_SECTORS_IDEAL] = 262144;
        n[HW_COUNT_SMEM_WAVEFRONTS] = i == 0 ? 0 : i == 1 ? 1081344 : 65536;
        n[HW_COUNT_SMEM_WAVEFRONTS_IDEAL] = i == 0 ? 0 : 65536;
        n[HW_COUNT_BRANCHES] = 32768;
    }
    transposes[0].smem_static = 0;
    lines[0] = (hw_report_line){.file = "transpose.cu", .line = 7};
    lines[1] = (hw_report_line){.file = "", .line = 0};
    memcpy(lines[0].counts, transposes[0].counts, sizeof lines[0].counts);
    lines[1].counts[HW_COUNT_INST] = 3;
    lines[1].counts[HW_COUNT_THREAD_INST] = 48;
    kernels[0] = (hw_report_kernel){.kernel = names[0], .mangled = "_Z", .launches = 2, .lines = lines, .n_lines = 2};
    kernels[1] = (hw_report_kernel){.kernel = names[1], .mangled = "_Z", .launches = 1};
    return (hw_report){.gpu = hw_gpu_find("h200"), .launches = transposes, .n_launches = 3, .has_lines = with_lines,
                       .kernels = kernels, .n_kernels = with_lines ? 2 : 0};
}

// The text of a report; freed by the caller.
static char *text_with(const hw_report *report, hw_report_format format, hw_report_look look) {
    char *text = NULL;
    size_t length = 0;
    hw_diag diag = {0};
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    assert_int_equal(hw_report_write(report, format, &look, out, &diag), HW_OK);
    fclose(out);
    return text;
}

// As on a terminal of 120 characters.
static char *text_of(const hw_report *report, hw_report_format format, bool colour) {
    return text_with(report, format, (hw_report_look){.colour = colour, .width = 120});
}

static size_t count_of(const char *text, const char *piece) {
    size_t n = 0;
    for (; (text = strstr(text, piece)); text += strlen(piece)) n++;
    return n;
}

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
        "est_us_launch,reused\n";
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
                        "1021,1.2500,1,12.5,2684.355,shared,0,nvcc 13.0.88,2.125,7.5,0.125,1,4.5,0\n");
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
                         hw_counter_is_column(i, hw_gpu_find("h200")));
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

static void table_shows_why(void **state) {
    (void)state;
    hw_report report = sample(true);
    char *text = text_of(&report, HW_REPORT_TABLE, false), *coloured = text_of(&report, HW_REPORT_TABLE, true);
    assert_non_null(strstr(text, "NVIDIA H200 (h200), compute capability 9.0"));
    assert_non_null(strstr(text, "tile<32, 1>"));
    assert_null(strstr(text, "void tile<32, 1>(float*, float const*, int)\n"));
    assert_non_null(strstr(text, "32.0 / 4.0"));
    assert_non_null(strstr(text, "16.5x"));
    assert_non_null(strstr(text, "1.0x"));
    assert_non_null(strstr(text, "naive(float*, float const*, int), 2 launches\ntranspose.cu\n"));
    assert_non_null(strstr(text, "\n(instructions without a line)\n"));
    assert_null(strchr(text, '\033'));
    assert_null(strstr(text, "spill"));   // nothing to show: no column
    assert_non_null(strstr(coloured, "\033[31m32.0 / 4.0\033[0m"));
    assert_non_null(strstr(coloured, "\033[31m16.5x\033[0m"));
    assert_non_null(strstr(coloured, "\033[32m1.0x\033[0m"));
    for (const char *line = text; *line; line = strchr(line, '\n') + 1)
        assert_in_range(strcspn(line, "\n"), 0, 120);
    free(text);
    free(coloured);
    report = (hw_report){.gpu = hw_gpu_find("t4")};
    text = text_of(&report, HW_REPORT_TABLE, true);
    assert_string_equal(text, "no kernel was launched\n");
    free(text);
}

// The same launches and a line of the first, as GPUs before 7.0 count them. The naive one's stores are spread, all else
// is in order; the third has no loads.
static hw_report old_sample(const char *gpu) {
    hw_report report = sample(true);
    report.gpu = hw_gpu_find(gpu);
    assert_non_null(report.gpu);
    const int cc = report.gpu->arch->cc;
    for (int i = 0; i < 3; i++) {
        uint64_t *n = transposes[i].counts;
        n[HW_COUNT_GLD_COALESCED] = n[HW_COUNT_GLD_64B] = cc < 20 ? 65536 : 0;
        n[HW_COUNT_GLD_128B] = cc >= 20 && cc < 30 ? 32768 : 0;
        n[HW_COUNT_GLD_32B] = cc >= 30 ? 131072 : 0;
        n[HW_COUNT_GST_UNCOALESCED] = i ? 0 : 65536;
        n[HW_COUNT_GST_COALESCED] = i ? 65536 : 0;
        n[HW_COUNT_GST_64B] = i && cc < 20 ? 65536 : 0;
        n[HW_COUNT_GST_32B] = i == 0 ? 1048576 : cc < 20 ? 0 : 131072;
        if (i == 2) n[HW_COUNT_GLD_REQUESTS] = n[HW_COUNT_GLD_64B] = n[HW_COUNT_GLD_128B] = n[HW_COUNT_GLD_32B] = 0;
        n[HW_COUNT_GLD_TRANSACTIONS] = n[HW_COUNT_GLD_32B] + n[HW_COUNT_GLD_64B] + n[HW_COUNT_GLD_128B];
        n[HW_COUNT_GST_TRANSACTIONS] = n[HW_COUNT_GST_32B] + n[HW_COUNT_GST_64B];
        n[HW_COUNT_GLD_BYTES] =
            32 * n[HW_COUNT_GLD_32B] + 64 * n[HW_COUNT_GLD_64B] + 128 * n[HW_COUNT_GLD_128B];
        n[HW_COUNT_GST_BYTES] = 32 * n[HW_COUNT_GST_32B] + 64 * n[HW_COUNT_GST_64B];
        n[HW_COUNT_LDS_INST] = n[HW_COUNT_STS_INST] = i ? 32768 : 0;
        n[HW_COUNT_WARP_SERIALIZE] = i == 1 ? 32768 : 0;
        transposes[i].gld_partition_pct = 100;
        transposes[i].gst_partition_pct = i ? 12.5 : 0;
    }
    memcpy(lines[0].counts, transposes[0].counts, sizeof lines[0].counts);
    return report;
}

// What GPUs of each time show, and what they have no such thing of. Numbers with their words: runs of blanks are one.
static const struct {
    const char *gpu, *shown[12], *hidden[10];
} ages[] = {
    {"8800gtx",
     {"half-warps half-warps transactions/ bytes bytes partitions",
      "# kernel access coalesced uncoalesced half-warp moved wanted used",
      "0 naive loads 65536 0 1.0 / 1.0 4.2 MB 4.2 MB 100%\n",
      "0 naive stores - 65536 16.0 / 1.0 33.6 MB 4.2 MB not counted\n",
      "1 tile<32, 0> stores 65536 0 1.0 / 1.0 4.2 MB 4.2 MB 12%\n",
      "12%\n 2 tile<32, 1> stores 65536 0 1.0 / 1.0 4.2 MB 4.2 MB 12%\n",
      "line access coalesced uncoalesced half-warp moved wanted\n",
      "7 stores - 65536 16.0 / 1.0 33.6 MB 4.2 MB\n", "bank warps", "passes serialised", "16.5x 32768 0%"},
     {"L2", "ector", "trans.", "2 tile<32, 1> loads", "MB 0%", "32 B"}},
    {"gtx280",
     {"# kernel access warps 32 B 64 B warp moved wanted used",
      "0 naive loads 32768 - 65536 2.0 / 2.0 4.2 MB 4.2 MB 100%\n",
      "0 naive stores 32768 1048576 - 32.0 / 2.0 33.6 MB 4.2 MB not counted\n",
      "1 tile<32, 0> stores 32768 - 65536 2.0 / 2.0 4.2 MB 4.2 MB 12%\n",
      "line access warps 32 B 64 B warp moved wanted\n", "7 stores 32768 1048576 - 32.0 / 2.0 33.6 MB 4.2 MB\n",
      "passes serialised"},
     {"L2", "ector", "coalesced", "trans./", "2 tile<32, 1> loads", "128 B"}},
    {"m2090",
     {"trans./ trans./ L2 bank diver-", "1.0 / 1.0 32.0 / 4.0 37.7 MB - 0%", "1.0 / 1.0 4.0 / 4.0 8.4 MB 16.5x 0%",
      "- 4.0 / 4.0 4.2 MB 1.0x 0%", "line inst inst loads load stores store branches",
      "32768 1.0 / 1.0 32768 32.0 / 4.0", "128-byte lines"},
     {"sectors/", "coalesced", "partitions", "serialised", "global memory"}},
    {"k40",
     {"trans./ trans./ L2 bank diver-", "4.0 / 4.0 32.0 / 4.0 37.7 MB", "32768 4.0 / 4.0 32768 32.0 / 4.0"},
     {"sectors/", "coalesced", "partitions", "serialised", "global memory", "128-byte"}},
    {"p100",
     {"trans./ trans./ L2 bank diver-", "4.0 / 4.0 32.0 / 4.0 37.7 MB", "32768 4.0 / 4.0 32768 32.0 / 4.0"},
     {"sectors/", "coalesced", "partitions", "serialised", "global memory", "128-byte"}},
    {"v100",
     {"sectors/ sectors/ L2 bank diver-", "4.0 / 4.0 32.0 / 4.0 37.7 MB", "32768 4.0 / 4.0 32768 32.0 / 4.0"},
     {"trans./", "coalesced", "partitions", "serialised", "global memory", "128-byte"}},
};

static void squeeze(char *text) {
    char *to = text;
    for (const char *from = text; *from; from++)
        if (*from != ' ' || from[1] != ' ') *to++ = *from;
    *to = 0;
}

static void tables_are_of_their_time(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof ages / sizeof ages[0]; i++) {
        hw_report report = old_sample(ages[i].gpu);
        char *text = text_of(&report, HW_REPORT_TABLE, false);
        for (const char *line = text; *line; line = strchr(line, '\n') + 1)
            if (strcspn(line, "\n") > 120) fail_msg("%s: a line of %zu:\n%s", ages[i].gpu, strcspn(line, "\n"), text);
        squeeze(text);
        for (const char *const *piece = ages[i].shown; *piece; piece++)
            if (!strstr(text, *piece)) fail_msg("%s: no '%s' in\n%s", ages[i].gpu, *piece, text);
        for (const char *const *piece = ages[i].hidden; *piece; piece++)
            if (strstr(text, *piece)) fail_msg("%s: '%s' in\n%s", ages[i].gpu, *piece, text);
        free(text);
    }
}

// The colours of numbers for which the least is not what the lanes ask for: a word for all of them.
static void one_word_is_no_waste(void **state) {
    (void)state;
    static const char *const gpus[] = {"gtx280", "m2090"};
    for (int i = 0; i < 2; i++) {
        hw_report report = old_sample(gpus[i]);
        uint64_t *n = transposes[0].counts;
        report.has_lines = false;
        report.n_launches = 1;
        memset(n, 0, sizeof transposes[0].counts);
        n[HW_COUNT_GLD_REQUESTS] = n[HW_COUNT_GLD_SECTORS] = n[HW_COUNT_GLD_SECTORS_IDEAL] = 1000;
        n[HW_COUNT_L2_SECTORS] = n[HW_COUNT_L2_SECTORS_IDEAL] = 1000;
        n[i ? HW_COUNT_GLD_128B : HW_COUNT_GLD_32B] = n[HW_COUNT_GLD_TRANSACTIONS] = i ? 1000 : 2000;
        n[HW_COUNT_GLD_BYTES] = i ? 128000 : 64000;
        char *text = text_of(&report, HW_REPORT_TABLE, true);
        assert_non_null(strstr(text, i ? "\033[32m1.0 / 1.0\033[0m" : "\033[32m2.0 / 2.0\033[0m"));
        assert_non_null(strstr(text, i ? "\033[32m128 kB\033[0m" : "\033[32m64.0 kB\033[0m"));
        assert_non_null(strstr(text, i ? "est." : "32.0 kB"));
        free(text);
    }
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

// Counters of any size, on GPUs of each time.
static void old_tables_take_anything(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof ages / sizeof ages[0]; i++)
        for (int fill = 0; fill < 2; fill++) {
            hw_report report = old_sample(ages[i].gpu);
            memset(transposes[0].counts, fill ? 0xff : 0, sizeof transposes[0].counts);
            memset(lines[0].counts, fill ? 0xff : 0, sizeof lines[0].counts);
            transposes[0].gld_partition_pct = transposes[0].gst_partition_pct = __builtin_nan("");
            report.n_launches = 1;
            char *text = text_of(&report, HW_REPORT_TABLE, true);
            assert_int_equal(count_of(text, "global memory"), fill && report.gpu->arch->cc < 20 ? 2 : 0);
            assert_null(strstr(text, "nan"));
            free(text);
        }
}

// The longest line in characters, colours aside.
static size_t widest(const char *text) {
    size_t most = 0;
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        size_t n = 0;
        for (const char *c = line; *c != '\n'; c++) {
            if (*c == '\033') c = strchr(c, 'm');
            else n += (*c & 0xc0) != 0x80;
        }
        if (n > most) most = n;
    }
    return most;
}

// Every table of every time, in lines of any width from 80 on: nothing is wider, and no number is lost.
static void tables_fit(void **state) {
    (void)state;
    static const char *const numbers[] = {"32x64", "100%", "37.7 MB", "16.5x", "2684", "8.4 MB"};
    for (size_t i = 0; i < sizeof ages / sizeof ages[0]; i++)
        for (int width = 80; width <= 200; width += 8) {
            hw_report report = old_sample(ages[i].gpu);
            transposes[0].kernel = "void ns::a_kernel_with_a_long_name<ns::policy<float, 128, 4>, true>(float*)";
            transposes[2].spill_bytes = 72;
            for (int colour = 0; colour < 2; colour++) {
                char *text = text_with(&report, HW_REPORT_TABLE, (hw_report_look){.colour = colour, .width = width});
                if (widest(text) > (size_t)width) fail_msg("%s: wider than %d:\n%s", ages[i].gpu, width, text);
                for (size_t n = 0; n < 6 && report.gpu->arch->cc >= 70; n++) assert_non_null(strstr(text, numbers[n]));
                assert_non_null(strstr(text, "72 B"));
                free(text);
            }
        }
}

// Names give way in the middle, no more than they must, and their ends tell kernels apart; then columns go below, in
// tables that name their rows again.
static void names_are_shortened_as_needed(void **state) {
    (void)state;
    static const char name[] = "void a_kernel_with_a_rather_long_name_of_its_own<float, 1>(float*)";
    static const char shown[] = "a_kernel_with_a_rather_long_name_of_its_own<float, 1>";
    hw_report report = sample(false);
    for (int i = 0; i < 3; i++) transposes[i].kernel = name;
    report.n_launches = 1;
    char *text = text_with(&report, HW_REPORT_TABLE, (hw_report_look){.width = 0});
    size_t natural = widest(text);
    assert_int_equal(count_of(text, shown), 1);
    free(text);
    text = text_with(&report, HW_REPORT_TABLE, (hw_report_look){.width = (int)natural - 5});
    assert_int_equal(count_of(text, "a_kernel_with_a_rather_l...ame_of_its_own<float, 1>  32x64"), 0);
    assert_int_equal(count_of(text, "  a_kernel_with_a_rather"), 1);
    assert_int_equal(count_of(text, "...") + count_of(text, "of_its_own<float, 1>  32x64"), 2);
    free(text);
    text = text_with(&report, HW_REPORT_TABLE, (hw_report_look){.width = 80});
    assert_true(count_of(text, "\n  0  a_kernel_w") >= 2);
    assert_non_null(strstr(text, "<float, 1>  "));
    free(text);
    // Other formats cut nothing.
    char *csv = text_with(&report, HW_REPORT_CSV, (hw_report_look){.width = 80});
    assert_non_null(strstr(csv, name));
    free(csv);
}

static void legends_are_of_what_is_shown(void **state) {
    (void)state;
    hw_report report = sample(false);
    char *text = text_of(&report, HW_REPORT_TABLE, false);
    assert_null(strstr(text, "local arrays"));
    assert_null(strstr(text, "ptxas"));
    assert_non_null(strstr(text, "\n  bank passes "));
    free(text);
    transposes[0].counts[HW_COUNT_LLD_SECTORS] = transposes[0].counts[HW_COUNT_LST_SECTORS] = 50;
    transposes[1].spill_bytes = 24;
    transposes[2].spill_bytes = 16;
    transposes[2].regs_estimated = true;
    transposes[1].ptx_by = "clang 19.1.7";
    text = text_of(&report, HW_REPORT_TABLE, false);
    assert_non_null(strstr(text, "3.2 kB"));
    assert_non_null(strstr(text, "24 B"));
    assert_non_null(strstr(text, "~16 B"));
    assert_non_null(strstr(text, "\n  local arrays "));
    assert_non_null(strstr(text, "\n  spills "));
    assert_non_null(strstr(text, "\n  ~ "));
    assert_non_null(strstr(text, "\n  PTX by nvcc 13.0.88, clang 19.1.7\n"));
    free(text);
    report.n_launches = 1;
    memset(transposes[0].counts, 0, sizeof transposes[0].counts);
    text = text_of(&report, HW_REPORT_TABLE, false);
    for (const char *const *l = (const char *const[]){"bank passes", "divergence", "sectors/load", NULL}; *l; l++)
        assert_null(strstr(text, *l));
    free(text);
}

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
    assert_non_null(strstr(csv, ",3.75,nvcc 13.0.88,3,6,9,13.5,9,2\n"));
    // Launch 6 stopped, and has none.
    assert_non_null(strstr(csv, ",5,nvcc 13.0.88,3,6,9,13.5,6,0\n"));
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
    assert_true(json_real_value(json_object_get(fast, "est_us_latency")) == 13.5);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(rows, 0), "reused")), 2);
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
        assert_int_equal(hw_report_summarise(&report, &all, &n_rows, &diag), HW_NO_MEMORY);
        hw_alloc_fail_after(-1);
        assert_true(!all && !n_rows);
    }
}

// A row a launch up to 40, and when they are asked for; the other formats sum up only when asked.
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
    assert_int_equal(count_of(csv, ",0\n"), 2);
    assert_non_null(strstr(csv, ",1\n"));
    assert_int_equal(count_of(json, "\"reused\": true"), 1);
    assert_int_equal(count_of(json, "\"reused\": false"), 2);
    free(without);
    free(table);
    free(csv);
    free(json);
}

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
                                 "\"launches\": 2, \"ptx_by\": \"nvcc 13.0.88\", \"lines\": ["));
    free(text);
    report.lines_of = HW_LINES_OF_LAUNCH;
    text = text_of(&report, HW_REPORT_TABLE, false);
    assert_non_null(strstr(text, "int), launch 7: grid 12x3, block 64, 512 bytes of dynamic shared memory\n"));
    free(text);
    free(csv);
    free(json);
}

static void source_lines(void **state) {
    (void)state;
    char path[] = "/tmp/halfwarp_test_XXXXXX", line[64], tiny[4];
    int file = mkstemp(path);
    FILE *out = fdopen(file, "wb");
    assert_non_null(out);
    fputs("first\n\t  x = \033[31my;\t \r\n\nlast", out);
    fclose(out);
    hw_source *source = hw_source_open(path);
    assert_non_null(source);
    assert_string_equal(hw_source_line(source, 1, line, sizeof line), "first");
    assert_string_equal(hw_source_line(source, 2, line, sizeof line), "x =  [31my;");
    assert_string_equal(hw_source_line(source, 3, line, sizeof line), "");
    assert_string_equal(hw_source_line(source, 4, line, sizeof line), "last");
    assert_string_equal(hw_source_line(source, 5, line, sizeof line), "");
    assert_string_equal(hw_source_line(source, 0, line, sizeof line), "");
    assert_string_equal(hw_source_line(source, UINT32_MAX, line, sizeof line), "");
    assert_string_equal(hw_source_line(source, 1, tiny, sizeof tiny), "fir");
    hw_source_close(source);
    for (long n = 0; n < 3; n++) {
        hw_alloc_fail_after(n);
        assert_null(hw_source_open(path));
    }
    hw_alloc_fail_after(-1);
    hw_report report = sample(true);
    lines[0].file = path;
    lines[0].line = 4;
    char *text = text_of(&report, HW_REPORT_TABLE, false);
    assert_non_null(strstr(text, "  4  last  720896"));
    free(text);
    // Long lines go on below, whole.
    out = fopen(path, "wb");
    assert_non_null(out);
    fputs("first\nout[(row + 1) * width + column] = in[(row + 1) * width + column] * scale + offsets[column];\n", out);
    fclose(out);
    lines[0].line = 2;
    text = text_with(&report, HW_REPORT_TABLE, (hw_report_look){.width = 80});
    assert_non_null(strstr(text, "  2  out[(row + 1) * width + "));
    static const char *const words[] = {"column]", "in[(row", "scale", "offsets[column];"};
    for (int i = 0; i < 4; i++) assert_non_null(strstr(text, words[i]));
    assert_null(strstr(strstr(text, "out[(row"), "..."));
    free(text);
    unlink(path);
    assert_null(hw_source_open(path));
    assert_null(hw_source_open("/tmp"));
    hw_source_close(NULL);
    assert_string_equal(hw_source_line(NULL, 1, line, sizeof line), "");
}

static void table_takes_anything(void **state) {
    (void)state;
    hw_report_launch l = launch(UINT64_MAX, NULL);
    char *name = malloc(5001);
    memset(name, 'x', 5000);
    name[5000] = 0;
    l.kernel = name;
    l.grid[0] = 2147483647;
    l.grid[1] = l.grid[2] = 65535;
    l.block[0] = l.block[1] = l.block[2] = l.regs = l.smem_static = l.smem_dynamic = UINT32_MAX;
    l.host_ms = 1e300;
    l.status = HW_FAULT;
    l.regs_estimated = true;
    memset(l.counts, 0xff, sizeof l.counts);
    hw_report_line line = {.file = name, .line = UINT32_MAX};
    memset(line.counts, 0xff, sizeof line.counts);
    hw_report_kernel kernel = {.kernel = name, .mangled = name, .launches = UINT64_MAX, .lines = &line, .n_lines = 1};
    hw_report report = {.gpu = hw_gpu_find("h200"), .launches = &l, .n_launches = 1, .has_lines = true,
                        .kernels = &kernel, .n_kernels = 1};
    for (int f = 0; f < HW_REPORT_FORMATS; f++) {
        char *text = text_of(&report, (hw_report_format)f, true);
        assert_true(strlen(text) > 100);
        free(text);
    }
    l.kernel = kernel.kernel = "\x80\x80\xff<<<(((";
    line.file = "\xc3";
    free(text_of(&report, HW_REPORT_TABLE, false));
    l.kernel = kernel.kernel = line.file = "";
    free(text_of(&report, HW_REPORT_TABLE, false));
    free(name);
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

static void numbers(void **state) {
    (void)state;
    char out[64], tiny[4];
    assert_string_equal(hw_report_fixed(0, 2, out, sizeof out), "0.00");
    assert_string_equal(hw_report_fixed(20.3125, 2, out, sizeof out), "20.31");
    assert_string_equal(hw_report_fixed(0.996, 2, out, sizeof out), "1.00");
    assert_string_equal(hw_report_fixed(-3, 1, out, sizeof out), "0.0");
    assert_string_equal(hw_report_fixed(1e30, 1, out, sizeof out), "inf");
    assert_string_equal(hw_report_fixed(__builtin_nan(""), 1, out, sizeof out), "0.0");
    assert_string_equal(hw_report_fixed(7.5, 0, out, sizeof out), "8");
    assert_string_equal(hw_report_trimmed(100, 2, out, sizeof out), "100");
    assert_string_equal(hw_report_trimmed(62.5, 2, out, sizeof out), "62.5");
    assert_string_equal(hw_report_trimmed(0, 2, out, sizeof out), "0");
    assert_string_equal(hw_report_trimmed(700, 0, out, sizeof out), "700");
    assert_string_equal(hw_report_bytes(0, out, sizeof out), "0 B");
    assert_string_equal(hw_report_bytes(999, out, sizeof out), "999 B");
    assert_string_equal(hw_report_bytes(1000, out, sizeof out), "1.0 kB");
    assert_string_equal(hw_report_bytes(999999, out, sizeof out), "1.0 MB");
    assert_string_equal(hw_report_bytes(37748736, out, sizeof out), "37.7 MB");
    assert_string_equal(hw_report_bytes(UINT64_MAX, out, sizeof out), "18.4 EB");
    assert_string_equal(hw_report_fixed(123456, 2, tiny, sizeof tiny), "123");
    assert_string_equal(hw_report_shape((uint32_t[]){256, 1, 1}, out, sizeof out), "256");
    assert_string_equal(hw_report_shape((uint32_t[]){32, 8, 1}, out, sizeof out), "32x8");
    assert_string_equal(hw_report_shape((uint32_t[]){1, 1, 4}, out, sizeof out), "1x1x4");
    if (setlocale(LC_ALL, "de_DE.UTF-8")) {
        assert_string_equal(hw_report_fixed(20.3125, 2, out, sizeof out), "20.31");
        setlocale(LC_ALL, "C");
    }
}

static void names(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"naive(float*, float const*, int)", "naive"},
        {"void tile<32, 1>(float*, int)", "tile<32, 1>"},
        {"void ns::run<(anonymous namespace)::op>(int (*)(int))", "ns::run<(anonymous namespace)::op>"},
        {"(anonymous namespace)::kernel(int)", "(anonymous namespace)::kernel"},
        {"plain_c_name", "plain_c_name"},
        {"", ""},
        {"()", "()"},
        {")", ")"},
        {"a)b)", "a)b)"},
        {"std::enable_if<(1)>::type f<int>(int)", "f<int>"},
    };
    char out[128];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(hw_report_short_name(cases[i][0], out, sizeof out), cases[i][1]);
    assert_string_equal(hw_report_shorten("abcdefgh", 8, false, out, sizeof out), "abcdefgh");
    assert_string_equal(hw_report_shorten("abcdefghi", 8, false, out, sizeof out), "abcde...");
    assert_string_equal(hw_report_shorten("abcdefghi", 8, true, out, sizeof out), "...efghi");
    assert_string_equal(hw_report_shorten("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xc3\xa4", 4, false, out, sizeof out),
                        "\xc3\xa4...");
}

// ---- What columns mean ----------------------------------------------------------------------------------------------

// Is that one of the names, with " , " between them, of a line ".It Li ..."?
static bool is_named(const char *line, const char *name) {
    static const char begin[] = ".It Li ";
    if (strncmp(line, begin, strlen(begin)) != 0) return false;
    const char *end = line + strcspn(line, "\n"), *at = line + strlen(begin);
    for (const char *comma; at < end; at = comma + 3) {
        comma = strstr(at, " , ");
        if (!comma || comma > end) comma = end;
        if ((size_t)(comma - at) == strlen(name) && !strncmp(at, name, strlen(name))) return true;
    }
    return false;
}

// The words below the item that begins at `line`, up to the next: macros left out, one blank for each line's end.
static void body_of(const char *line, char *out, size_t out_bytes) {
    size_t length = 0;
    for (line = strchr(line, '\n') + 1; strncmp(line, ".It", 3) && strncmp(line, ".El", 3);
         line = strchr(line, '\n') + 1) {
        size_t bytes = strcspn(line, "\n");
        if (*line == '.') continue;
        assert_true(length + bytes + 2 < out_bytes);
        memcpy(out + length, line, bytes);
        length += bytes;
        out[length++] = ' ';
    }
    out[length] = 0;
}

// In how many items the name stands; *is_explained where one of them has the meaning.
static int find_items(const char *manual, const char *name, const char *meaning, bool *is_explained) {
    int found = 0;
    char body[4096];
    for (const char *line = manual; *line; line = strchr(line, '\n') + 1) {
        if (!is_named(line, name)) continue;
        body_of(line, body, sizeof body);
        *is_explained |= strstr(body, meaning) != NULL;
        found++;
    }
    return found;
}

// man/halfwarp-columns.7 has every key and heading, and the table's own words for what it means.
static void the_manual_has_the_columns(void **state) {
    (void)state;
    static char manual[1 << 16];
    FILE *in = fopen(HW_SOURCE_DIR "/man/halfwarp-columns.7", "r");
    assert_non_null(in);
    size_t length = fread(manual, 1, sizeof manual - 1, in);
    fclose(in);
    manual[length] = 0;
    for (int i = 0; i < HW_COLUMNS; i++) {
        const hw_column *column = &hw_columns[i];
        char heading[64];
        bool is_explained = false;
        hw_column_heading(column, heading, sizeof heading);
        if (i < HW_COUNTERS && !column->since) continue;   // only tables need it, in ratios
        assert_true(column->meaning[0] && column->meaning[strlen(column->meaning) - 1] != '.');
        if (*column->key && !find_items(manual, column->key, column->meaning, &is_explained))
            fail_msg("the manual has no item %s", column->key);
        if (*heading && !find_items(manual, heading, column->meaning, &is_explained))
            fail_msg("the manual has no item %s", heading);
        if (!is_explained && (*column->key || *heading))
            fail_msg("no item '%s' or '%s' of the manual says: %s", column->key, heading, column->meaning);
    }
}

// A column has a name, or is the text of a line; what programs read is in no unit that they would have to guess.
static void columns_are_whole(void **state) {
    (void)state;
    for (int i = 0; i < HW_COLUMNS; i++) {
        const hw_column *column = &hw_columns[i];
        char heading[64];
        hw_column_heading(column, heading, sizeof heading);
        assert_non_null(column->read);
        assert_true(*column->key || *heading || i == HW_COLUMN_SOURCE);
        static const struct { const char *end; hw_unit unit; } units[] = {
            {"_pct", HW_UNIT_PERCENT}, {"_bytes", HW_UNIT_BYTES}, {"_ms", HW_UNIT_MS}, {"_gbs", HW_UNIT_GBS},
            {"est_us", HW_UNIT_US}};
        for (size_t u = 0; u < sizeof units / sizeof units[0]; u++)
            if (strstr(column->key, units[u].end)) assert_int_equal(column->unit, units[u].unit);
    }
    char heading[64];
    assert_string_equal(hw_column_heading(&hw_columns[HW_COLUMN_OCCUPANCY_PCT], heading, sizeof heading), "occupancy");
    assert_string_equal(hw_column_heading(&hw_columns[HW_COLUMN_LINE_LANES], heading, sizeof heading), "lanes/inst");
    assert_string_equal(hw_column_heading(&hw_columns[HW_COLUMN_EST_US], heading, sizeof heading), "est. us");
}

// A value is the number itself, whatever a table makes of it.
static void values_are_numbers(void **state) {
    (void)state;
    sample(false);
    transposes[1].regs_estimated = true;
    transposes[1].spill_bytes = 24;
    const hw_subject subject = {.launch = &transposes[1], .counts = transposes[1].counts};
    hw_value traffic = hw_column_value(&hw_columns[HW_COLUMN_L2_TRAFFIC], &subject);
    assert_int_equal(traffic.kind, HW_VALUE_INTEGER);
    assert_int_equal(traffic.unit, HW_UNIT_BYTES);
    assert_int_equal(traffic.integer, 262144 * 32);
    hw_value passes = hw_column_value(&hw_columns[HW_COLUMN_BANK_PASSES], &subject);
    assert_true(passes.kind == HW_VALUE_REAL && passes.unit == HW_UNIT_TIMES && passes.real == 16.5);
    assert_int_equal(passes.judgement, HW_JUDGED_BAD);
    hw_value spills = hw_column_value(&hw_columns[HW_COLUMN_SPILL_BYTES], &subject);
    assert_true(spills.is_estimate && spills.integer == 24);
    hw_value sectors = hw_column_value(&hw_columns[HW_COLUMN_SECTORS_STORE], &subject);
    assert_true(sectors.kind == HW_VALUE_RATIO && sectors.real == 4 && sectors.ideal == 4);
    transposes[1].status = HW_FAULT;
    assert_true(hw_column_value(&hw_columns[HW_COLUMN_EST_US], &subject).is_absent);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_by_name),
        cmocka_unit_test(csv_has_the_columns_of_the_design),
        cmocka_unit_test(csv_of_lines_is_one_table),
        cmocka_unit_test(json_is_valid_and_complete),
        cmocka_unit_test(table_shows_why),
        cmocka_unit_test(tables_are_of_their_time),
        cmocka_unit_test(one_word_is_no_waste),
        cmocka_unit_test(partitions_not_counted_are_nothing),
        cmocka_unit_test(old_tables_take_anything),
        cmocka_unit_test(tables_fit),
        cmocka_unit_test(names_are_shortened_as_needed),
        cmocka_unit_test(legends_are_of_what_is_shown),
        cmocka_unit_test(summaries_add_up), cmocka_unit_test(reused_launches_are_marked),
        cmocka_unit_test(many_launches_are_summed_up),
        cmocka_unit_test(lines_of_launches_say_which),
        cmocka_unit_test(source_lines),
        cmocka_unit_test(table_takes_anything),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(numbers),
        cmocka_unit_test(names),
        cmocka_unit_test(columns_are_whole),
        cmocka_unit_test(values_are_numbers),
        cmocka_unit_test(the_manual_has_the_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
