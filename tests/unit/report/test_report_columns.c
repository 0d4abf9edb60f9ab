// What columns hold and mean, and that the manual says so.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/columns.h"
#include "report_test.h"

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
        hw_grid_heading(&column->heading, heading, sizeof heading);
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
        hw_grid_heading(&column->heading, heading, sizeof heading);
        assert_non_null(column->read);
        assert_true(*column->key || *heading || i == HW_COLUMN_SOURCE);
        static const struct { const char *end; hw_unit unit; } units[] = {
            {"_pct", HW_UNIT_PERCENT}, {"_bytes", HW_UNIT_BYTES}, {"_ms", HW_UNIT_MS}, {"_gbs", HW_UNIT_GBS},
            {"est_us", HW_UNIT_US}};
        for (size_t u = 0; u < sizeof units / sizeof units[0]; u++)
            if (strstr(column->key, units[u].end)) assert_int_equal(column->unit, units[u].unit);
    }
    char heading[64];
    assert_string_equal(hw_grid_heading(&hw_columns[HW_COLUMN_OCCUPANCY_PCT].heading, heading, sizeof heading),
                        "occupancy");
    assert_string_equal(hw_grid_heading(&hw_columns[HW_COLUMN_LINE_LANES].heading, heading, sizeof heading),
                        "lanes/inst");
    assert_string_equal(hw_grid_heading(&hw_columns[HW_COLUMN_EST_US].heading, heading, sizeof heading), "est. us");
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
    assert_true(sectors.kind == HW_VALUE_PAIR && sectors.real == 4 && sectors.beside == 4);
    transposes[1].status = HW_FAULT;
    assert_true(hw_column_value(&hw_columns[HW_COLUMN_EST_US], &subject).is_absent);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_manual_has_the_columns),
        cmocka_unit_test(columns_are_whole),
        cmocka_unit_test(values_are_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
