#include "report/cells.h"

#include <inttypes.h>

#include "report/internal.h"

hw_grid_colour hw_cell_judge(double actual, double ideal) {
    double ratio = ideal > 0 ? actual / ideal : 1;
    return ratio <= 1.05 ? HW_GRID_GOOD : ratio >= 2 ? HW_GRID_BAD : HW_GRID_PLAIN;
}

void hw_cell_text(hw_grid_cell *cell, const char *text) { snprintf(cell->text, sizeof cell->text, "%s", text); }

void hw_cell_nothing(hw_grid_cell *cell) {
    hw_cell_text(cell, "-");
    cell->colour = HW_GRID_FAINT;
}

void hw_cell_count(hw_grid_cell *cell, uint64_t value) {
    if (!value) hw_cell_nothing(cell);
    else snprintf(cell->text, sizeof cell->text, "%" PRIu64, value);
}

void hw_cell_bytes(hw_grid_cell *cell, uint64_t bytes, hw_grid_colour colour) {
    if (!bytes) {
        hw_cell_nothing(cell);
        return;
    }
    hw_report_bytes(bytes, cell->text, sizeof cell->text);
    cell->colour = colour;
}

void hw_cell_percent(hw_grid_cell *cell, double value, hw_grid_colour colour) {
    char number[HW_REPORT_NUMBER];
    hw_report_fixed(value, value > 0 && value < 9.95 ? 1 : 0, number, sizeof number);
    snprintf(cell->text, sizeof cell->text, "%s%%", number);
    cell->colour = colour;
}

void hw_cell_each(hw_grid_cell *cell, uint64_t requests, double actual, double ideal) {
    char a[HW_REPORT_NUMBER], b[HW_REPORT_NUMBER];
    if (!requests) {
        hw_cell_nothing(cell);
        return;
    }
    hw_report_fixed(actual / (double)requests, 1, a, sizeof a);
    hw_report_fixed(ideal / (double)requests, 1, b, sizeof b);
    snprintf(cell->text, sizeof cell->text, "%s / %s", a, b);
    cell->colour = hw_cell_judge(actual, ideal);
}

void hw_cell_times(hw_grid_cell *cell, uint64_t actual, uint64_t ideal) {
    char number[HW_REPORT_NUMBER];
    if (!ideal) {
        hw_cell_nothing(cell);
        return;
    }
    hw_report_fixed((double)actual / (double)ideal, 1, number, sizeof number);
    snprintf(cell->text, sizeof cell->text, "%sx", number);
    cell->colour = hw_cell_judge((double)actual, (double)ideal);
}
