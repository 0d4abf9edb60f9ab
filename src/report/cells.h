// Values as tables show them: shortened as people read them, coloured by how good they are.
#ifndef HW_REPORT_CELLS_H
#define HW_REPORT_CELLS_H

#include "report/column.h"

// Writes the value into the column's cell: "37.7 MB", "3.1%", "32.0 / 4.0", "16.0x", "~24 B", "-" for nothing.
void hw_cell_write(const hw_column *column, const hw_value *value, hw_grid_cell *cell);

// The values of a row's columns, which subject is what they are of, into its cells.
void hw_cells_write(const hw_column *const *columns, int n_columns, const void *subject, hw_grid_cell *cells);

#endif
