// What tables, CSV and JSON make of a value: one number, by the looks of its column or the kind of its field.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "report/cells.h"
#include "report/fields.h"
#include "report/sheet.h"
#include "report/text.h"

static void expect_cell(hw_value value, unsigned looks, hw_unit unit, const char *expected) {
    const hw_column column = {.heading = {"", "", looks}, .unit = unit};
    hw_grid_cell cell = {0};
    value.unit = unit;
    hw_cell_write(&column, &value, &cell);
    if (strcmp(cell.text, expected)) fail_msg("'%s' and not '%s'", cell.text, expected);
}

static void integers_by_their_looks(void **state) {
    (void)state;
    static const struct {
        uint64_t number;
        unsigned looks;
        hw_unit unit;
        const char *expected;
    } cases[] = {
        {0, 0, HW_UNIT_COUNT, "-"},
        {0, HW_LOOK_ZERO, HW_UNIT_COUNT, "0"},
        {UINT64_MAX, 0, HW_UNIT_COUNT, "18446744073709551615"},
        {4224, 0, HW_UNIT_BYTES, "4.2 kB"},
        {4224, HW_LOOK_EXACT, HW_UNIT_BYTES, "4224 B"},
        {4224, HW_LOOK_HEADED, HW_UNIT_BYTES, "4224"},
        {99999, HW_LOOK_TENTHS, HW_UNIT_BYTES, "100.0 kB"},
        {100000, HW_LOOK_TENTHS, HW_UNIT_BYTES, "0.1 MB"},
        {1073741824, HW_LOOK_TENTHS, HW_UNIT_BYTES, "1073.7 MB"},
        {1073741824, 0, HW_UNIT_BYTES, "1.1 GB"},
        {262144, HW_LOOK_BINARY, HW_UNIT_BYTES, "256 KiB"},
        {1 << 26, HW_LOOK_BINARY, HW_UNIT_BYTES, "64 MiB"},
        {300000, HW_LOOK_BINARY, HW_UNIT_BYTES, "300000 B"},
        {(uint64_t)80 << 30, HW_LOOK_SOLD, HW_UNIT_BYTES, "80 GB"},
        {768 << 10, HW_LOOK_SOLD, HW_UNIT_BYTES, "768 KB"},
        {(uint64_t)4608 << 20, HW_LOOK_SOLD, HW_UNIT_BYTES, "4.5 GB"},
        {0, HW_LOOK_SOLD, HW_UNIT_BYTES, "-"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_cell(hw_value_integer(cases[i].number), cases[i].looks, cases[i].unit, cases[i].expected);
}

static void reals_by_their_looks(void **state) {
    (void)state;
    static const struct {
        double number;
        unsigned looks;
        hw_unit unit;
        const char *expected;
    } cases[] = {
        {0, 0, HW_UNIT_PERCENT, "0%"},          {3.125, 0, HW_UNIT_PERCENT, "3.1%"},
        {62.5, 0, HW_UNIT_PERCENT, "62%"},      {62.5, HW_LOOK_TIDY, HW_UNIT_PERCENT, "62.5%"},
        {75, HW_LOOK_TIDY, HW_UNIT_PERCENT, "75%"},
        {3.125, HW_LOOK_FIXED(0), HW_UNIT_PERCENT, "3%"},
        {0.426, HW_LOOK_FIXED(0), HW_UNIT_SHARE, "43%"},
        {12.34, 0, HW_UNIT_US, "12.3"},         {12.34, HW_LOOK_FINE, HW_UNIT_US, "12.34"},
        {123.4, 0, HW_UNIT_US, "123"},          {123.4, HW_LOOK_FINE, HW_UNIT_US, "123.4"},
        {1234.5, HW_LOOK_FINE, HW_UNIT_US, "1234"},
        {9.994, HW_LOOK_FINE, HW_UNIT_GBS, "9.99"},
        {12.34, 0, HW_UNIT_GBS, "12"},          {12.34, HW_LOOK_FINE, HW_UNIT_GBS, "12.3"},
        {123.4, HW_LOOK_FINE, HW_UNIT_GBS, "123"},
        {5.25, HW_LOOK_COARSE, HW_UNIT_GBS, "5.2"}, {105.25, HW_LOOK_COARSE, HW_UNIT_GBS, "105"},
        {12.5, 0, HW_UNIT_TIMES, "12.5x"},      {12.5, HW_LOOK_FIXED(2), HW_UNIT_TIMES, "12.50x"},
        {86.4, HW_LOOK_DIGITS, HW_UNIT_GBS, "86.4"}, {1555.2, HW_LOOK_DIGITS, HW_UNIT_GBS, "1555"},
        {12345, HW_LOOK_DIGITS, HW_UNIT_GBS, "12345"},
        {1.25e-7, HW_LOOK_EXPONENT, HW_UNIT_NONE, "1.2e-07"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_cell(hw_value_real(cases[i].number), cases[i].looks, cases[i].unit, cases[i].expected);
}

static void what_stands_beside_a_number(void **state) {
    (void)state;
    static const uint32_t block[] = {256, 1};
    hw_value step = hw_value_real(1.876), regs = hw_value_integer(16), bytes = hw_value_integer(0);
    hw_value best = hw_value_plane(block), none = hw_value_nothing();
    step.over = "tile";
    regs.is_estimate = bytes.is_assumed = best.is_best = true;
    expect_cell(step, HW_GRID_LEFT | HW_LOOK_FIXED(2), HW_UNIT_TIMES, " 1.88x on tile");
    expect_cell(regs, HW_LOOK_ZERO, HW_UNIT_NONE, "~16");
    expect_cell(bytes, HW_LOOK_HEADED | HW_LOOK_ZERO, HW_UNIT_BYTES, "0?");
    expect_cell(best, 0, HW_UNIT_NONE, "*256x1");
    expect_cell(none, 0, HW_UNIT_NONE, "-");
    none.remark = "not counted";
    expect_cell(none, 0, HW_UNIT_NONE, "not counted");
    expect_cell(hw_value_capability(121), 0, HW_UNIT_NONE, "12.1");
    expect_cell(hw_value_pair(32, 4), 0, HW_UNIT_NONE, "32.0 / 4.0");
    expect_cell(hw_value_pair(100, 12.5), HW_LOOK_FIXED(0), HW_UNIT_PERCENT, "100% / 12%");
    expect_cell(hw_value_text("void k<1>(int)"), 0, HW_UNIT_NONE, "void k<1>(int)");
    expect_cell(hw_value_text("void k<1>(int)"), HW_LOOK_SIGNATURE, HW_UNIT_NONE, "k<1>");
}

// Nothing is faint, whatever it would have been judged.
static void colours_are_judgements(void **state) {
    (void)state;
    static const hw_grid_colour expected[] = {HW_GRID_PLAIN, HW_GRID_GOOD, HW_GRID_BAD, HW_GRID_FAINT};
    const hw_column column = {.unit = HW_UNIT_COUNT};
    for (int j = HW_JUDGED_PLAIN; j <= HW_JUDGED_IDLE; j++) {
        const hw_value some = hw_value_judged(hw_value_integer(7), (hw_judgement)j);
        const hw_value none = hw_value_judged(hw_value_nothing(), (hw_judgement)j);
        hw_grid_cell cell = {0};
        hw_cell_write(&column, &some, &cell);
        assert_int_equal(cell.colour, expected[j]);
        hw_cell_write(&column, &none, &cell);
        assert_int_equal(cell.colour, HW_GRID_FAINT);
    }
}

// ---- What programs read ---------------------------------------------------------------------------------------------

static hw_value read_given(const hw_column *column, const void *subject) {
    (void)column;
    return *(const hw_value *)subject;
}

static const hw_column given = {.key = "x", .read = read_given};

static void expect_field(hw_value value, uint8_t decimals, uint16_t how, const char *csv, const char *json) {
    const hw_field field = {&given, decimals, how};
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    json_t *object = json_object();
    assert_non_null(out);
    hw_csv_write_row(&field, 1, &value, out);
    fclose(out);
    assert_int_equal(strcspn(text, "\n"), length - 1);
    text[length - 1] = '\0';
    assert_string_equal(text, csv);
    free(text);
    assert_int_equal(hw_json_put_row(object, &field, 1, &value), 0);
    text = json_dumps(object, JSON_REAL_PRECISION(10) | JSON_COMPACT);
    assert_string_equal(text, json);
    free(text);
    json_decref(object);
}

static void fields_as_programs_read_them(void **state) {
    (void)state;
    static const uint32_t extents[] = {32, 8, 1};
    hw_value absent = hw_value_real(0);
    absent.is_absent = true;
    expect_field(hw_value_integer(UINT64_MAX >> 1), 0, 0, "9223372036854775807", "{\"x\":9223372036854775807}");
    expect_field(hw_value_flag(true), 0, 0, "1", "{\"x\":true}");
    expect_field(hw_value_capability(90), 0, 0, "9.0", "{\"x\":\"9.0\"}");
    expect_field(hw_value_text("a, b"), 0, 0, "\"a, b\"", "{\"x\":\"a, b\"}");
    expect_field(hw_value_text("ab"), 0, HW_FIELD_QUOTED, "\"ab\"", "{\"x\":\"ab\"}");
    expect_field(hw_value_text("\"\xff"), 0, 0, "\"\"\"\xff\"", "{\"x\":\"\\\"?\"}");
    expect_field(hw_value_shape(extents), 0, 0, "(32 8 1)", "{\"x\":[32,8,1]}");
    expect_field(hw_value_plane(extents), 0, 0, "32x8", "{\"x\":[32,8]}");
    expect_field(hw_value_real(12.5), 3, 0, "12.5", "{\"x\":12.5}");
    expect_field(hw_value_real(12.5), 3, HW_FIELD_PADDED, "12.500", "{\"x\":12.5}");
    expect_field(hw_value_real(1555.25), 3, HW_FIELD_DIGITS, "1.56e+03", "{\"x\":1555.25}");
    expect_field(hw_value_real(1.25e-7), 3, HW_FIELD_EXPONENT | HW_FIELD_WHOLE, "1.250e-07", "{\"x\":1.25e-7}");
    expect_field(hw_value_real(NAN), 3, HW_FIELD_WHOLE, "0", "{\"x\":null}");
    expect_field(absent, 3, 0, "", "{\"x\":null}");
    expect_field(absent, 3, HW_FIELD_ALWAYS, "0", "{\"x\":0.0}");
    expect_field(absent, 3, HW_FIELD_LEFT_OUT, "", "{}");
}

// CSV, JSON and tables round alike, ties among them: 90.625 is exact in binary; 2.675 and 4.35 lie a little below, and
// are ties only once they are multiplied by powers of ten.
static void all_round_alike(void **state) {
    (void)state;
    expect_field(hw_value_real(90.625), 2, 0, "90.62", "{\"x\":90.62}");
    expect_field(hw_value_real(2.675), 2, 0, "2.67", "{\"x\":2.67}");
    expect_field(hw_value_real(2.675), 2, HW_FIELD_PADDED, "2.67", "{\"x\":2.67}");
    expect_cell(hw_value_real(4.35), 0, HW_UNIT_NONE, "4.3");
    uint64_t state_of = 1;
    for (int i = 0; i < 200000; i++) {
        char own[HW_REPORT_NUMBER], expected[400];
        state_of = state_of * 6364136223846793005u + 1442695040888963407u;
        const int decimals = (int)(state_of >> 60) % 5;
        const double number = (double)(state_of >> 44 & 0xfffff) / (i % 2 ? 2000 : 1024);
        snprintf(expected, sizeof expected, "%.*f", decimals, number);
        assert_string_equal(hw_report_fixed(number, decimals, own, sizeof own), expected);
        assert_true(hw_report_rounded(number, decimals) == strtod(expected, NULL));
    }
}

static void memory_may_run_out(void **state) {
    (void)state;
    const hw_field field = {&given, 0, 0};
    const hw_value text = hw_value_text("\xff");
    json_t *object = json_object();
    hw_alloc_fail_after(0);
    assert_int_not_equal(hw_json_put_row(object, &field, 1, &text), 0);
    hw_alloc_fail_after(-1);
    json_decref(object);
}

// ---- Tables of anything ---------------------------------------------------------------------------------------------

static hw_value read_index(const hw_column *column, const void *subject) {
    const hw_row *row = subject;
    (void)column;
    assert_string_equal(row->of, "rows");
    snprintf(row->room, HW_GRID_CELL, "number %zu", row->index);
    return hw_value_text(row->room);
}

static bool is_odd(const void *of, size_t row) {
    (void)of;
    return row % 2;
}

static const char *section_of(const void *of, size_t row) {
    (void)of;
    return row == 7 ? "from seven on" : NULL;
}

static void sheets_have_rows_and_sections(void **state) {
    (void)state;
    const hw_column column = {.heading = {"", "which", HW_GRID_LEFT}, .read = read_index};
    const hw_column *const columns[] = {&column};
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    hw_sheet_write(&(hw_sheet){.columns = columns, .n_columns = 1, .first_row = 5, .n_rows = 4, .has_row = is_odd,
                               .section = section_of, .of = "rows"},
                   false, out);
    fclose(out);
    assert_string_equal(text, "  which\n  number 5\n\nfrom seven on\n  number 7\n");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_by_their_looks),
        cmocka_unit_test(reals_by_their_looks),
        cmocka_unit_test(what_stands_beside_a_number),
        cmocka_unit_test(colours_are_judgements),
        cmocka_unit_test(fields_as_programs_read_them),
        cmocka_unit_test(all_round_alike),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(sheets_have_rows_and_sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
