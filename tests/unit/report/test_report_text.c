// Numbers, names and source lines as reports show them.
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "report/internal.h"
#include "report/source.h"
#include "report_test.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(names),
        cmocka_unit_test(source_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
