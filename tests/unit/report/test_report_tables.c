// The report for people: tables of GPUs of each time, as wide as there is room.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report_test.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_shows_why),
        cmocka_unit_test(tables_are_of_their_time),
        cmocka_unit_test(one_word_is_no_waste),
        cmocka_unit_test(old_tables_take_anything),
        cmocka_unit_test(tables_fit),
        cmocka_unit_test(names_are_shortened_as_needed),
        cmocka_unit_test(legends_are_of_what_is_shown),
        cmocka_unit_test(table_takes_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
