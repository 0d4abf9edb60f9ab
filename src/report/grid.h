// Aligned columns on a terminal.
#ifndef HW_REPORT_GRID_H
#define HW_REPORT_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum hw_grid_colour { HW_GRID_PLAIN, HW_GRID_GOOD, HW_GRID_BAD, HW_GRID_FAINT } hw_grid_colour;

enum { HW_GRID_CELL = 512, HW_GRID_COLUMNS = 24 };

typedef struct hw_grid_cell {
    char text[HW_GRID_CELL];
    hw_grid_colour colour;
} hw_grid_cell;

// How a column stands: numbers flush right unless they say otherwise.
enum {
    HW_GRID_LEFT = 1,            // text flush left
    HW_GRID_KEY = 2,             // says what a row is about: stands in each table that a grid is cut into
    HW_GRID_SHORTENED = 4,       // where the room is short, a text's middle is left out: HW_GRID_NAME characters stay
    HW_GRID_WRAPPED = 8,         // where it is short, a text goes on below, HW_GRID_TEXT characters to a line at least
    HW_GRID_SPARED = 16,         // where it is short, left out before a table is cut: the last such column first
};
enum { HW_GRID_NAME = 24, HW_GRID_TEXT = 32 };

typedef struct hw_grid_column {
    const char *top, *bottom;    // two lines of heading; top may be ""
    unsigned look;               // HW_GRID_LEFT and the others
} hw_grid_column;

typedef struct hw_grid {
    const char *title;           // a line above the headings, with an empty one before it; NULL: none
    const hw_grid_column *columns;
    int n_columns;               // at most HW_GRID_COLUMNS
    int width;                   // characters of a line; 0: any number
    size_t n_rows;
    // Fills the cells of a row; a row whose cells are left empty is not written. Called twice for each row, once to
    // measure.
    void (*row)(const void *context, size_t row, hw_grid_cell *cells);
    // The heading of a section that begins with that row, or NULL; the function itself may be NULL.
    const char *(*section)(const void *context, size_t row);
    const void *context;
    const char *elsewhere;       // what shows spared columns too: "--format csv"; NULL: nothing
} hw_grid;

// Writes title, headings and rows. Where they are wider than grid->width, texts give way first, each as far as its
// column lets it and no more than needed; then spared columns are left out, with a sentence below that names them; then
// the columns are cut into tables below each other. A column in which every cell is empty or "-" is left out; where
// that is all of them, nothing is written.
void hw_grid_write(const hw_grid *grid, bool colour, FILE *out);

// The column's name in one line: "sectors/load", "occupancy", "est. us". Cut to out_bytes; returns out.
const char *hw_grid_heading(const hw_grid_column *column, char *out, size_t out_bytes);

// A text of at most width characters: the middle of a longer one is "...". Cut to out_bytes; returns out.
const char *hw_grid_shorten(const char *text, int width, char *out, size_t out_bytes);

// Writes text in lines of at most width characters, broken at blanks, those behind the first begun with so many blanks;
// the first has `used` characters already. Ends with a line feed. width 0: one line.
void hw_grid_write_wrapped(const char *text, int width, int used, int indent, FILE *out);

#endif
