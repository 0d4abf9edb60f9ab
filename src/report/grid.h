// Aligned columns on a terminal.
#ifndef HW_REPORT_GRID_H
#define HW_REPORT_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum hw_grid_colour { HW_GRID_PLAIN, HW_GRID_GOOD, HW_GRID_BAD, HW_GRID_FAINT } hw_grid_colour;

enum { HW_GRID_CELL = 96, HW_GRID_COLUMNS = 20 };

typedef struct hw_grid_cell {
    char text[HW_GRID_CELL];
    hw_grid_colour colour;
} hw_grid_cell;

typedef struct hw_grid_column {
    const char *top, *bottom;    // two lines of heading; top may be ""
    bool left;                   // text flush left; numbers are flush right
} hw_grid_column;

typedef struct hw_grid {
    const char *title;           // a line above the headings, with an empty one before it; NULL: none
    const hw_grid_column *columns;
    int n_columns;               // at most HW_GRID_COLUMNS
    size_t n_rows;
    // Fills the cells of a row, or leaves them all empty: then there is no such row. Asked twice for each row, once to
    // measure.
    void (*row)(const void *context, size_t row, hw_grid_cell *cells);
    const void *context;
} hw_grid;

// Writes title, headings and rows. A column in which every cell is empty or "-" is left out; where that is all of them,
// nothing is written.
void hw_grid_write(const hw_grid *grid, bool colour, FILE *out);

#endif
