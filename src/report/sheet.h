// A table of values: rows of anything, by columns.
#ifndef HW_REPORT_SHEET_H
#define HW_REPORT_SHEET_H

#include "report/column.h"

// What a value is of, in reports that are no profile's: a row of something.
typedef struct hw_row {
    const void *of;
    size_t index;
    char *room;                  // HW_GRID_CELL bytes for a text that is made for a table; NULL elsewhere
} hw_row;

typedef struct hw_sheet {
    const hw_column *const *columns;
    int n_columns;               // at most HW_GRID_COLUMNS
    int width;                   // characters of a line; 0: any number
    size_t first_row, n_rows;    // by index from the first
    bool (*has_row)(const void *of, size_t row);          // NULL: all are written
    const char *(*section)(const void *of, size_t row);   // hw_grid.section
    const void *of;              // the rows', hw_row.of
    const char *elsewhere;       // hw_grid.elsewhere
} hw_sheet;

// As hw_grid_write.
void hw_sheet_write(const hw_sheet *sheet, bool colour, FILE *out);

#endif
