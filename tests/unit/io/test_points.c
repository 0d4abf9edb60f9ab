// Files of points: what is understood, to the bit; what is wrong, with its line; memory that runs out.
#define _GNU_SOURCE
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "io/points.h"
#include "io/points_internal.h"

static double at(const hw_points *p, int64_t row, int64_t axis) {
    const int64_t i = row * p->shape[1] + axis;
    return p->tensor.dtype.bits == 64 ? ((const double *)p->memory)[i] : ((const float *)p->memory)[i];
}

static hw_points parse(const void *bytes, size_t length, hw_points_format format) {
    hw_points points;
    hw_diag diag = {0};
    if (hw_points_parse(bytes, length, "it", format, 0, &points, &diag)) {
        print_message("%.*s\n%s\n", (int)length, (const char *)bytes, diag.text);
        fail();
    }
    return points;
}

// Numbers are listed row after row; n rows of d.
static void understood(hw_points_format format, const char *text, int64_t n, int64_t d, const double *numbers) {
    hw_points p = parse(text, strlen(text), format);
    assert_int_equal(p.shape[0], n);
    assert_int_equal(p.shape[1], d);
    assert_int_equal(p.tensor.ndim, 2);
    for (int64_t i = 0; i < n * d; i++) assert_true(at(&p, i / d, i % d) == numbers[i]);
    hw_points_close(&p);
}

static const double four[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static void test_xyz(void **state) {
    (void)state;
    static const char *const same[] = {
        "1 2 3\n4 5 6\n", "1 2 3\n4 5 6", "1\t2  3\r\n\r\n 4 5 6 7 8 nine\r\n", "1 2 3\r4 5 6\r", "2\n1 2 3\n4 5 6\n",
        "2\nsome words\n1 2 3\n4 5 6\n", "2\n9 9 9\n1 2 3\n4 5 6\n", "2\n\nC 1 2 3\nFe 4 5 6\n",
        "X Y Z R\n1 2 3 0\n4 5 6 0\n",
        "//X Y Z\n1,2,3\n4;5;6", "# a\n% b\n1 2 3 # one\n  # c\n4 5 6", ("\xef\xbb\xbf" "1 2 3\n4 5 6\n"),
        "+1.0 .2e1 30e-1\n4. 5.000 0.6E+1", "C1 1 2 3\nC2 4 5 6\n",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) understood(HW_POINTS_XYZ, same[i], 2, 3, four);
    understood(HW_POINTS_XYZ, "x y z\n", 0, 3, NULL);
    understood(HW_POINTS_XYZ, "0\n", 0, 3, NULL);
    understood(HW_POINTS_XYZ, "inf -INF Infinity\n", 1, 3, (const double[]){INFINITY, -INFINITY, INFINITY});
}

static void test_csv(void **state) {
    (void)state;
    static const char *const same[] = {
        "1,2,3\n4,5,6\n", "1;2;3\n4;5;6", "a,b,c\r\n1,2,3\r\n4,5,6\r\n", "1\t2\t3\t\n4\t5\t6\t\n", "1 2 3\n4  5 6\n",
        "\"1\", \"2\" ,3\n4,5,\"6\"\n", "x,y,z\n1,2,3\n4,5,6\n", "id,z,\"Y\",x,w\n7,3,2,1,\n8,6,5,4,9\n",
        "name,a,b,c\n\"one, two\",1,2,3\n\"a \"\"b\"\", c\",4,5,6\n", "# from\n\n1,2,3\n#\n4,5,6",
        "\t1\t2\t3\n\t4\t5\t6",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) understood(HW_POINTS_CSV, same[i], 2, 3, four);
    understood(HW_POINTS_CSV, "1\n2\n3\n", 3, 1, four);
    understood(HW_POINTS_CSV, "x,y,n\n1,2,a\n3,4,b\n", 2, 2, four);
    understood(HW_POINTS_CSV, "x;y\n", 0, 2, NULL);
}

#define PLY(format, rest) "ply\nformat " format " 1.0\ncomment c\n" rest
#define XYZ "property float x\nproperty float y\nproperty float z\n"

static void test_ply_ascii(void **state) {
    (void)state;
    static const char *const same[] = {
        PLY("ascii", "element vertex 2\n" XYZ "end_header\n1 2 3\n4 5 6"),
        PLY("ascii", "element a 2\nproperty list uchar int l\nelement vertex 2\nproperty int w\n" XYZ
                     "element face 7\nproperty list int int i\nend_header\n1 2\n0\n8 1 2 3\n\n8 4 5 6\n"),
        PLY("ascii", "element vertex 2\nproperty list int int l\nproperty uint8 z\nproperty int16 x\n"
                     "property float64 y\nend_header\n2 9 9 3 1 2\n0 6 4 5\n"),
        PLY("ascii", "element none 5\nelement vertex 2\n" XYZ "end_header\n1 2 3\n4 5 6"),
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) understood(HW_POINTS_BY_NAME, same[i], 2, 3, four);
    understood(HW_POINTS_BY_NAME, PLY("ascii",
        "element vertex 1\nproperty char y\nproperty char x\nend_header\n2 1\n"), 1, 2,
               four);
    hw_points p = parse(same[0], strlen(same[0]), HW_POINTS_PLY);
    assert_int_equal(p.tensor.dtype.bits, 32);
    hw_points_close(&p);
    p = parse(same[2], strlen(same[2]), HW_POINTS_PLY);
    assert_int_equal(p.tensor.dtype.bits, 64);
    hw_points_close(&p);
}

static size_t put(uint8_t *to, size_t length, const void *value, size_t bytes, int is_big) {
    const uint8_t *from = value;   // tests run on little-endian machines
    for (size_t i = 0; i < bytes; i++) to[length + i] = from[is_big ? bytes - 1 - i : i];
    return length + bytes;
}

static size_t binary_file(uint8_t *file, int is_big, const char *count) {
    static const char header[] =
        "ply\r\nformat binary_%s_endian 1.0\r\nelement patch 2\r\nproperty list uchar short a\r\nproperty int b\r\n"
        "element vertex %s\r\nproperty double z\r\nproperty list int float n\r\nproperty short x\r\nproperty uint y\r\n"
        "end_header\r\n";
    size_t n = (size_t)sprintf((char *)file, header, is_big ? "big" : "little", count);
    const int32_t b = 10;
    for (uint8_t p = 0; p < 2; p++) {
        n = put(file, n, &p, 1, is_big);
        for (int i = 0; i < p; i++) n = put(file, n, &b, 2, is_big);
        n = put(file, n, &b, 4, is_big);
    }
    for (int32_t v = 0; v < 3; v++) {
        const double z = v + 0.1;
        const int16_t x = (int16_t)-v;
        const uint32_t y = 4000000000u + (uint32_t)v;
        const float f = 13;
        n = put(file, n, &z, 8, is_big);
        n = put(file, n, &v, 4, is_big);
        for (int i = 0; i < v; i++) n = put(file, n, &f, 4, is_big);
        n = put(file, n, &x, 2, is_big);
        n = put(file, n, &y, 4, is_big);
    }
    return n;
}

static void test_ply_binary(void **state) {
    (void)state;
    uint8_t file[1000];
    for (int is_big = 0; is_big < 2; is_big++) {
        size_t length = binary_file(file, is_big, "3");
        memcpy(file + length, "more", 4);   // what follows is not read
        hw_points p = parse(file, length + 4, HW_POINTS_BY_NAME);
        assert_int_equal(p.shape[0], 3);
        assert_int_equal(p.shape[1], 3);
        for (int v = 0; v < 3; v++) {
            assert_true(at(&p, v, 0) == -v);
            assert_true(at(&p, v, 1) == 4000000000.0 + v);
            assert_true(at(&p, v, 2) == v + 0.1);
        }
        hw_points_close(&p);
        // Cut short anywhere it is refused, and says so.
        for (size_t cut = 0; cut < length; cut++) {
            hw_diag diag = {0};
            uint8_t *copy = malloc(cut + 1);
            memcpy(copy, file, cut);
            assert_true(hw_points_parse(copy, cut, "it", HW_POINTS_PLY, 0, &p, &diag) && diag.text[0] && !p.memory);
            free(copy);
        }
        length = binary_file(file, is_big, "9223372036854775808");
        hw_diag diag = {0};
        assert_int_equal(hw_points_parse(file, length, "it", HW_POINTS_PLY, 0, &p, &diag), HW_MALFORMED);
        assert_non_null(strstr(diag.text, "cut short within number 3"));
    }
}

static const struct {
    hw_points_format format;
    const char *text;
    hw_status status;
    int line;
    const char *says;
} broken[] = {
    {HW_POINTS_XYZ, "1 2 3\n\n4 5\n", HW_MALFORMED, 3, "2 numbers"},
    {HW_POINTS_XYZ, "1 2 3\n4 5 6,x\n7 8 x\n", HW_MALFORMED, 3, "\"x\" is no number"},
    {HW_POINTS_XYZ, "3\n1 2 3\n4 5 6\n", HW_MALFORMED, 3, "2 points, and the first line says 3"},
    {HW_POINTS_XYZ, "1\nwater\n1 2 3\n4 5 6\n", HW_MALFORMED, 4, "2 points"},
    {HW_POINTS_XYZ, "18446744073709551615\nc\n1 2 3\n", HW_MALFORMED, 3, "1 point, and"},
    {HW_POINTS_XYZ, "1 2 3\n4\n", HW_MALFORMED, 2, "1 number, and"},
    {HW_POINTS_XYZ, "", HW_MALFORMED, 0, "there is no point"},
    {HW_POINTS_XYZ, "\n# nothing\n", HW_MALFORMED, 2, "there is no point"},
    {HW_POINTS_XYZ, "1 2 3\n1 2 0x10\n", HW_MALFORMED, 2, "0x10"},
    {HW_POINTS_XYZ, "1 2 3\n1 2 3e\n", HW_MALFORMED, 2, "3e"},
    {HW_POINTS_XYZ, "1 2 3\n1 2 1.2.3\n", HW_MALFORMED, 2, "1.2.3"},
    {HW_POINTS_XYZ, "\xff\xfe" "1", HW_MALFORMED, 0, "UTF-16"},
    {HW_POINTS_XYZ, "\x93NUMPY", HW_MALFORMED, 0, ".npy"},
    {HW_POINTS_CSV, "1,2,3\n4,5\n", HW_MALFORMED, 2, "2 fields, and the first line has 3"},
    {HW_POINTS_CSV, "a,b\n1,2\n3,4,5\n", HW_MALFORMED, 3, "3 fields"},
    {HW_POINTS_CSV, "a,b\n1,2\n3\n", HW_MALFORMED, 3, "1 field, and"},
    {HW_POINTS_CSV, "x,y\n1,2\n3,\n", HW_MALFORMED, 3, "field 2 is empty"},
    {HW_POINTS_CSV, "x;y\n1,5;2\n", HW_MALFORMED, 2, "field 1, \"1,5\", is no number"},
    {HW_POINTS_CSV, "a,b\nc,d\n", HW_MALFORMED, 2, "no numbers"},
    {HW_POINTS_CSV, "", HW_MALFORMED, 0, "no row"},
    {HW_POINTS_PLY, "plain\n", HW_MALFORMED, 1, "no .ply file"},
    {HW_POINTS_PLY, "ply\nformat ascii 1.0\nelement vertex 1\n" XYZ, HW_MALFORMED, 6, "end_header"},
    {HW_POINTS_PLY, "ply\nelement vertex 1\n" XYZ "end_header\n1 2 3\n", HW_MALFORMED, 6, "format"},
    {HW_POINTS_PLY, "ply\nformat text 1.0\n", HW_MALFORMED, 2, "\"text\" is no format"},
    {HW_POINTS_PLY, "ply\nformat ascii 2.0\n", HW_UNSUPPORTED, 2, "version 2.0"},
    {HW_POINTS_PLY, PLY("ascii", "element vertex -1\n"), HW_MALFORMED, 4, "\"-1\" is no number"},
    {HW_POINTS_PLY, PLY("ascii", "element vertex 18446744073709551616\n"), HW_MALFORMED, 4, "no number"},
    {HW_POINTS_PLY, PLY("ascii", "property int x\n"), HW_MALFORMED, 4, "before the first element"},
    {HW_POINTS_PLY, PLY("ascii", "element vertex 1\nproperty half x\n"), HW_UNSUPPORTED, 5, "\"half\""},
    {HW_POINTS_PLY, PLY("ascii", "element vertex 1\nproperty list float int x\n"), HW_MALFORMED, 5, "length of a list"},
    {HW_POINTS_PLY, PLY("ascii", "element vertex 1\nproperty list int int x\n"), HW_MALFORMED, 5, "x is a list"},
    {HW_POINTS_PLY, PLY("ascii", "element vertex 1\n" XYZ "property int x\n"), HW_MALFORMED, 8, "twice"},
    {HW_POINTS_PLY, PLY("ascii", "element vertex 1\nproperty int x\nend_header\n"), HW_MALFORMED, 6, "no y"},
    {HW_POINTS_PLY, PLY("ascii", "element face 1\nproperty int x\nend_header\n"), HW_MALFORMED, 6, "\"vertex\""},
    {HW_POINTS_PLY, PLY("ascii", "something else\n"), HW_MALFORMED, 4, "\"something\""},
    {HW_POINTS_PLY, PLY("ascii", "element vertex 2\n" XYZ "end_header\n1 2 3\n"), HW_MALFORMED, 9,
        "cut short: 1 line of"},
    {HW_POINTS_PLY, PLY("ascii", "element vertex 1\n" XYZ "end_header\n1 2\n"), HW_MALFORMED, 9,
        "2 values of a vertex"},
    {HW_POINTS_PLY, PLY("ascii", "element vertex 1\n" XYZ "end_header\n1\n"), HW_MALFORMED, 9,
        "1 value of a vertex"},
    {HW_POINTS_PLY, PLY("ascii", "element vertex 1\n" XYZ "end_header\n1 2 3 4\n"), HW_MALFORMED, 9, "more values"},
    {HW_POINTS_PLY, PLY("ascii", "element vertex 1\n" XYZ "end_header\n1 2 x\n"), HW_MALFORMED, 9,
        "\"x\" is no number"},
    {HW_POINTS_PLY, PLY("ascii", "element vertex 1\nproperty list int int l\n" XYZ "end_header\n99999999999 1\n"),
     HW_MALFORMED, 10, "within a list"},
};

static void test_broken(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        hw_points points;
        hw_diag diag = {0};
        const hw_status status =
            hw_points_parse(broken[i].text, strlen(broken[i].text), "it", broken[i].format, 0, &points, &diag);
        if (status != broken[i].status || diag.line != broken[i].line || !strstr(diag.text, broken[i].says)) {
            print_message("%s\nstatus %d, line %d: %s\n", broken[i].text, status, diag.line, diag.text);
            fail();
        }
        assert_null(points.memory);
        hw_points_close(&points);
    }
    hw_points points;
    hw_diag diag = {0};
    assert_int_equal(hw_points_parse("1 2 3\n4 \0 6\n", 12, "it", HW_POINTS_XYZ, 0, &points, &diag), HW_MALFORMED);
    assert_int_equal(diag.line, 2);
    assert_non_null(strstr(diag.text, "zero byte"));
    char *wide = malloc(4 << 20);
    memset(wide, '1', 4 << 20);
    hw_diag long_line = {0};
    assert_int_equal(hw_points_parse(wide, 4 << 20, "it", HW_POINTS_CSV, 0, &points, &long_line), HW_MALFORMED);
    assert_non_null(strstr(long_line.text, "longer than"));
    for (int i = 0; i < 4000; i += 2) wide[i + 1] = ',';
    hw_diag columns = {0};
    assert_int_equal(hw_points_parse(wide, 4000, "it", HW_POINTS_CSV, 0, &points, &columns), HW_UNSUPPORTED);
    free(wide);
}

// Every number is what strtod and strtof make of it in the C locale, under a locale with decimal commas as well.
static void test_numbers(void **state) {
    (void)state;
    static const char *const texts[] = {
        "0", "-0", "1", "0.1", "123456789012345678901234567890", "1e22", "1e23", "9007199254740993",
        "9007199254740992.5e0",
        "2.2250738585072011e-308", "4.9e-324", "2e-324", "1.7976931348623158e308", "1e400", "-1e-400",
        "0.000000000000000000001",
        "7.0064923216240854e-46", "1.00000017881393432617187499", "1.00000017881393432617187500",
        "1.000000059604644775390625",
        "3.4028235677973366e38", "16777217", "16777219", "1e-45", "1.1754943508e-38", "00000000000000000000000000001.5",
        "0.30000000000000000000000000000000000000000000000000001e1", "8589934591.9999997", "5e-1",
        "179769313486231580793e289",
    };
    setlocale(LC_NUMERIC, "de_DE.UTF-8");   // where it is installed
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const hw_span text = {texts[i], texts[i] + strlen(texts[i])};
        double got = NAN, single = NAN;
        locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        const double wanted = strtod_l(texts[i], NULL, c);
        const float wanted_single = strtof_l(texts[i], NULL, c);
        freelocale(c);
        assert_true(hw_points_number(text, false, &got) && hw_points_number(text, true, &single));
        assert_memory_equal(&got, &wanted, sizeof got);
        if (single != wanted_single || !signbit(single) != !signbit(wanted_single)) fail_msg("%s: %a", texts[i],
            single);
    }
    setlocale(LC_NUMERIC, "C");
    uint64_t noise = 1;
    for (int i = 0; i < 200000; i++) {
        char text[64];
        noise = noise * 6364136223846793005u + 1442695040888963407u;
        const int digits = 1 + (int)(noise >> 60);
        sprintf(text, "%.*e", digits, (double)(int64_t)noise * pow(10, (double)((noise >> 20) % 60) - 48));
        double got = NAN, single = NAN;
        const hw_span all = {text, text + strlen(text)};
        assert_true(hw_points_number(all, false, &got) && hw_points_number(all, true, &single));
        if (got != strtod(text, NULL) || (float)single != strtof(text, NULL)) fail_msg("%s: %a %a", text, got, single);
    }
    static const char *const none[] = {"", "+", "-", ".", "e5", "1e", "1e+", "1 ", " 1", "1.2.3", "0x1", "1f",
        "infinit", "1,5"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        double x;
        assert_false(hw_points_number((hw_span){none[i], none[i] + strlen(none[i])}, false, &x));
    }
}

// From a file, a folder, nothing, and a pipe that is read in pieces.
static void test_files(void **state) {
    (void)state;
    char path[] = "/tmp/test_points.XXXXXX.csv";
    hw_points p;
    hw_diag diag = {0};
    const int file = mkstemps(path, 4);
    assert_true(file >= 0);
    FILE *stream = fdopen(file, "w");
    enum { ROWS = 200000 };
    fprintf(stream, "x,y,z\n");
    for (int i = 0; i < ROWS; i++) fprintf(stream, "%d,%d.5,-%d\n", i, i, i);
    fclose(stream);
    assert_int_equal(hw_points_open(path, HW_POINTS_BY_NAME, 32, &p, &diag), HW_OK);
    assert_int_equal(p.shape[0], ROWS);
    assert_int_equal(p.tensor.dtype.bits, 32);
    for (int i = 0; i < ROWS; i++) assert_true(at(&p, i, 0) == i && at(&p, i, 1) == i + 0.5 && at(&p, i, 2) == -i);
    hw_points_close(&p);
    // Out of memory at every allocation.
    for (long n = 0;; n++) {
        hw_diag none = {0};
        hw_alloc_fail_after(n);
        const hw_status status = hw_points_open(path, HW_POINTS_BY_NAME, 0, &p, &none);
        hw_alloc_fail_after(-1);
        hw_points_close(&p);
        if (!status) break;
        assert_int_equal(status, HW_NO_MEMORY);
        assert_true(n < 100);
    }
    unlink(path);
    assert_int_equal(hw_points_open(path, HW_POINTS_BY_NAME, 0, &p, &diag), HW_IO);
    diag = (hw_diag){0};
    assert_int_equal(hw_points_open("/tmp", HW_POINTS_BY_NAME, 0, &p, &diag), HW_IO);
    assert_string_equal(diag.file, "/tmp");
    assert_true(hw_points_is_name("a.PLY") && hw_points_is_name("b/c.xyz") && !hw_points_is_name("a.npy"));
    assert_false(hw_points_is_name(".csv"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xyz),        cmocka_unit_test(test_csv),    cmocka_unit_test(test_ply_ascii),
        cmocka_unit_test(test_ply_binary), cmocka_unit_test(test_broken), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
