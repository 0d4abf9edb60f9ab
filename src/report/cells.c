#include "report/cells.h"

#include <inttypes.h>
#include <math.h>

#include "report/text.h"

static void write_nothing(const hw_value *value, hw_grid_cell *cell) {
    snprintf(cell->text, sizeof cell->text, "%s", value->remark ? value->remark : "-");
    cell->colour = value->remark ? HW_GRID_PLAIN : HW_GRID_FAINT;
}

static void write_bytes(unsigned looks, uint64_t bytes, char number[HW_REPORT_NUMBER]) {
    if (looks & HW_LOOK_HEADED) snprintf(number, HW_REPORT_NUMBER, "%" PRIu64, bytes);
    else if (looks & HW_LOOK_EXACT) snprintf(number, HW_REPORT_NUMBER, "%" PRIu64 " B", bytes);
    else if (looks & HW_LOOK_TENTHS) hw_report_tenths(bytes, number, HW_REPORT_NUMBER);
    else if (looks & HW_LOOK_BINARY) hw_report_binary(bytes, number, HW_REPORT_NUMBER);
    else if (looks & HW_LOOK_SOLD) hw_report_sold(bytes, number, HW_REPORT_NUMBER);
    else hw_report_bytes(bytes, number, HW_REPORT_NUMBER);
}

static void write_integer(const hw_column *column, const hw_value *value, hw_grid_cell *cell) {
    const unsigned looks = column->heading.look;
    char number[HW_REPORT_NUMBER];
    if (!value->integer && !(looks & HW_LOOK_ZERO)) {
        write_nothing(value, cell);
        return;
    }
    if (value->unit == HW_UNIT_BYTES) write_bytes(looks, value->integer, number);
    else snprintf(number, sizeof number, "%" PRIu64, value->integer);
    snprintf(cell->text, sizeof cell->text, "%s%s%s", value->is_estimate ? "~" : "", number,
             value->is_assumed ? "?" : "");
}

// As many decimals as say something.
static int decimals_of(unsigned looks, hw_unit unit, double number) {
    const bool is_fine = looks & HW_LOOK_FINE;
    if (looks >= HW_LOOK_DECIMALS) return (int)(looks / HW_LOOK_DECIMALS) - 1;
    if (looks & HW_LOOK_COARSE) return number < 99.95 ? 1 : 0;
    if (looks & HW_LOOK_TIDY) return number == floor(number) ? 0 : 1;
    switch (unit) {
    case HW_UNIT_PERCENT: return number > 0 && number < 9.95 ? 1 : 0;
    case HW_UNIT_US: return number < 99.95 ? 1 + is_fine : is_fine && number < 999.5 ? 1 : 0;
    case HW_UNIT_GBS: return number < 9.995 ? 2 : is_fine && number < 99.95 ? 1 : 0;
    default: return 1;
    }
}

static void write_number(unsigned looks, hw_unit unit, double number, char out[HW_REPORT_NUMBER]) {
    enum { DIGITS = 4, LARGEST_WHOLE = 1000000000 };
    const bool is_whole = number == floor(number) && number >= 0 && number < LARGEST_WHOLE;
    if (looks & HW_LOOK_EXPONENT) hw_report_exponent(number, 1, out, HW_REPORT_NUMBER);
    else if ((looks & HW_LOOK_DIGITS) && !is_whole) hw_report_significant(number, DIGITS, out, HW_REPORT_NUMBER);
    else if (looks & HW_LOOK_DIGITS) hw_report_fixed(number, 0, out, HW_REPORT_NUMBER);
    else hw_report_fixed(number, decimals_of(looks, unit, number), out, HW_REPORT_NUMBER);
}

static const char *sign_of(hw_unit unit) {
    return unit == HW_UNIT_PERCENT || unit == HW_UNIT_SHARE ? "%" : unit == HW_UNIT_TIMES ? "x" : "";
}

static double shown_number(hw_unit unit, double number) { return unit == HW_UNIT_SHARE ? 100 * number : number; }

static void write_real(const hw_column *column, const hw_value *value, hw_grid_cell *cell) {
    enum { ALIGNED = 5 };   // numbers with words behind them have their points below each other
    char number[HW_REPORT_NUMBER];
    write_number(column->heading.look, value->unit, shown_number(value->unit, value->real), number);
    snprintf(cell->text, sizeof cell->text, "%s%*s%s%s%s", value->is_estimate ? "~" : "", value->over ? ALIGNED : 0,
             number, sign_of(value->unit), value->over ? " on " : "", value->over ? value->over : "");
}

static void write_pair(const hw_column *column, const hw_value *value, hw_grid_cell *cell) {
    const char *sign = sign_of(value->unit);
    char first[HW_REPORT_NUMBER], second[HW_REPORT_NUMBER];
    write_number(column->heading.look, value->unit, shown_number(value->unit, value->real), first);
    write_number(column->heading.look, value->unit, shown_number(value->unit, value->beside), second);
    snprintf(cell->text, sizeof cell->text, "%s%s / %s%s", first, sign, second, sign);
}

// Shortens names of kernels: a long name loses its middle, and keeps what stands behind it.
static void write_text(const hw_column *column, const hw_value *value, hw_grid_cell *cell) {
    enum { MOST = 400 };
    char name[4096], shown[HW_GRID_CELL - 32];
    if (!(column->heading.look & HW_LOOK_SIGNATURE)) {
        snprintf(cell->text, sizeof cell->text, "%s", value->text);
        return;
    }
    hw_report_short_name(value->text, name, sizeof name);
    hw_grid_shorten(name, MOST, shown, sizeof shown);
    if (value->remark) snprintf(cell->text, sizeof cell->text, "%s (%.20s)", shown, value->remark);
    else snprintf(cell->text, sizeof cell->text, "%s", shown);
}

void hw_cell_write(const hw_column *column, const hw_value *value, hw_grid_cell *cell) {
    static const hw_grid_colour colours[] = {[HW_JUDGED_PLAIN] = HW_GRID_PLAIN, [HW_JUDGED_GOOD] = HW_GRID_GOOD,
                                             [HW_JUDGED_BAD] = HW_GRID_BAD, [HW_JUDGED_IDLE] = HW_GRID_FAINT};
    cell->colour = colours[value->judgement];
    if (value->is_absent) {
        write_nothing(value, cell);
        return;
    }
    switch (value->kind) {
    case HW_VALUE_INTEGER:
    case HW_VALUE_FLAG: write_integer(column, value, cell); break;
    case HW_VALUE_CAPABILITY: hw_report_capability((int)value->integer, cell->text, sizeof cell->text); break;
    case HW_VALUE_REAL: write_real(column, value, cell); break;
    case HW_VALUE_PAIR: write_pair(column, value, cell); break;
    case HW_VALUE_TEXT: write_text(column, value, cell); break;
    case HW_VALUE_SHAPE: hw_report_shape(value->shape, cell->text, sizeof cell->text); break;
    case HW_VALUE_PLANE:
        snprintf(cell->text, sizeof cell->text, "%s%ux%u", value->is_best ? "*" : "", value->shape[0], value->shape[1]);
        break;
    }
}

void hw_cells_write(const hw_column *const *columns, int n_columns, const void *subject, hw_grid_cell *cells) {
    for (int c = 0; c < n_columns; c++) {
        const hw_value value = hw_column_value(columns[c], subject);
        hw_cell_write(columns[c], &value, &cells[c]);
    }
}
