#include "report/cells.h"

#include <inttypes.h>

#include "report/internal.h"

static void write_nothing(const hw_value *value, hw_grid_cell *cell) {
    snprintf(cell->text, sizeof cell->text, "%s", value->remark ? value->remark : "-");
    cell->colour = value->remark ? HW_GRID_PLAIN : HW_GRID_FAINT;
}

static void write_integer(const hw_column *column, const hw_value *value, hw_grid_cell *cell) {
    const unsigned looks = column->heading.look;
    const char *sign = value->is_estimate ? "~" : "";
    char number[HW_REPORT_NUMBER];
    if (!value->integer && !(looks & HW_LOOK_ZERO)) {
        write_nothing(value, cell);
        return;
    }
    snprintf(number, sizeof number, "%" PRIu64, value->integer);
    if (looks & HW_LOOK_EXACT) snprintf(number, sizeof number, "%" PRIu64 " B", value->integer);
    else if (value->unit == HW_UNIT_BYTES && !(looks & HW_LOOK_HEADED))
        hw_report_bytes(value->integer, number, sizeof number);
    snprintf(cell->text, sizeof cell->text, "%s%s", sign, number);
}

// As many decimals as say something.
static int decimals_of(const hw_value *value) {
    switch (value->unit) {
    case HW_UNIT_PERCENT: return value->real > 0 && value->real < 9.95 ? 1 : 0;
    case HW_UNIT_US: return value->real < 99.95 ? 1 : 0;
    case HW_UNIT_GBS: return value->real < 9.995 ? 2 : 0;
    default: return 1;
    }
}

static void write_real(const hw_value *value, hw_grid_cell *cell) {
    static const char *const signs[] = {[HW_UNIT_PERCENT] = "%", [HW_UNIT_TIMES] = "x"};
    const char *sign = value->unit < sizeof signs / sizeof signs[0] ? signs[value->unit] : NULL;
    char number[HW_REPORT_NUMBER];
    hw_report_fixed(value->real, decimals_of(value), number, sizeof number);
    snprintf(cell->text, sizeof cell->text, "%s%s", number, sign ? sign : "");
}

static void write_ratio(const hw_value *value, hw_grid_cell *cell) {
    char actual[HW_REPORT_NUMBER], ideal[HW_REPORT_NUMBER];
    hw_report_fixed(value->real, 1, actual, sizeof actual);
    hw_report_fixed(value->ideal, 1, ideal, sizeof ideal);
    snprintf(cell->text, sizeof cell->text, "%s / %s", actual, ideal);
}

// Shortens names of kernels: a long name loses its middle, and keeps what stands behind it.
static void write_text(const hw_column *column, const hw_value *value, hw_grid_cell *cell) {
    enum { MOST = 400 };
    char name[4096], shown[HW_GRID_CELL - 32];
    if (!(column->heading.look & HW_GRID_SHORTENED)) {
        snprintf(cell->text, sizeof cell->text, "%s", value->text);
        return;
    }
    hw_report_short_name(value->text, name, sizeof name);
    hw_grid_shorten(name, MOST, shown, sizeof shown);
    if (value->remark) snprintf(cell->text, sizeof cell->text, "%s (%.20s)", shown, value->remark);
    else snprintf(cell->text, sizeof cell->text, "%s", shown);
}

void hw_cell_write(const hw_column *column, const hw_value *value, hw_grid_cell *cell) {
    static const hw_grid_colour colours[] = {
        [HW_JUDGED_PLAIN] = HW_GRID_PLAIN, [HW_JUDGED_GOOD] = HW_GRID_GOOD, [HW_JUDGED_BAD] = HW_GRID_BAD};
    cell->colour = colours[value->judgement];
    if (value->is_absent) {
        write_nothing(value, cell);
        return;
    }
    switch (value->kind) {
    case HW_VALUE_INTEGER:
    case HW_VALUE_FLAG: write_integer(column, value, cell); break;
    case HW_VALUE_REAL: write_real(value, cell); break;
    case HW_VALUE_RATIO: write_ratio(value, cell); break;
    case HW_VALUE_TEXT: write_text(column, value, cell); break;
    case HW_VALUE_SHAPE: hw_report_shape(value->shape, cell->text, sizeof cell->text); break;
    }
}
