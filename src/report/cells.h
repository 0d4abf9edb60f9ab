// What stands in a table's cells: numbers as people read them, coloured by how good they are.
#ifndef HW_REPORT_CELLS_H
#define HW_REPORT_CELLS_H

#include <stdint.h>

#include "report/grid.h"

// How much more than the ideal: to 5% good, from twice on bad.
hw_grid_colour hw_cell_judge(double actual, double ideal);

void hw_cell_text(hw_grid_cell *cell, const char *text);
void hw_cell_nothing(hw_grid_cell *cell);                              // "-"
void hw_cell_count(hw_grid_cell *cell, uint64_t value);                // "-" for none
void hw_cell_bytes(hw_grid_cell *cell, uint64_t bytes, hw_grid_colour colour);       // "37.7 MB"; "-" for none
void hw_cell_percent(hw_grid_cell *cell, double value, hw_grid_colour colour);       // "3.1%", "50%"
// "32.0 / 4.0": how many each of the requests takes, and how many would do. "-" when there is no request.
void hw_cell_each(hw_grid_cell *cell, uint64_t requests, double actual, double ideal);
// "16.0x": actual for each that would do; "-" when ideal is 0.
void hw_cell_times(hw_grid_cell *cell, uint64_t actual, uint64_t ideal);

#endif
