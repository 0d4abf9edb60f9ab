// Aligned columns on a terminal.
#include "report/grid.h"

#include <string.h>

static const char *const codes[] = {
    [HW_GRID_PLAIN] = "", [HW_GRID_GOOD] = "\033[32m", [HW_GRID_BAD] = "\033[31m", [HW_GRID_FAINT] = "\033[2m"};
static const char bold[] = "\033[1m", reset[] = "\033[0m";

typedef struct layout {
    int width[HW_GRID_COLUMNS];
    bool is_shown[HW_GRID_COLUMNS];
} layout;

// Characters of UTF-8, each taken to be one column wide.
static int width_of(const char *text) {
    int n = 0;
    for (; *text; text++) n += (*text & 0xc0) != 0x80;
    return n;
}

static int larger(int a, int b) { return a > b ? a : b; }

static layout measure(const hw_grid *grid) {
    layout l = {0};
    hw_grid_cell cells[HW_GRID_COLUMNS];
    for (int c = 0; c < grid->n_columns; c++)
        l.width[c] = larger(width_of(grid->columns[c].top), width_of(grid->columns[c].bottom));
    for (size_t i = 0; i < grid->n_rows; i++) {
        memset(cells, 0, sizeof cells);
        grid->row(grid->context, i, cells);
        for (int c = 0; c < grid->n_columns; c++) {
            l.width[c] = larger(l.width[c], width_of(cells[c].text));
            l.is_shown[c] |= cells[c].text[0] && strcmp(cells[c].text, "-");
        }
    }
    return l;
}

// One cell and the gap before it. *blanks are owed to it, written when there is text, so that no line ends with any.
static void write_cell(const char *text, const char *code, int width, bool left, int *blanks, FILE *out) {
    enum { GAP = 2 };
    int pad = width - width_of(text);
    *blanks += GAP + (left ? 0 : pad);
    if (*text) {
        fprintf(out, "%*s", *blanks, "");
        *blanks = 0;
        if (*code) fprintf(out, "%s%s%s", code, text, reset);
        else fputs(text, out);
    }
    if (left) *blanks += pad;
}

static void write_heading(const hw_grid *grid, const layout *l, bool is_top, bool colour, FILE *out) {
    int blanks = 0;
    for (int c = 0; c < grid->n_columns; c++) {
        const hw_grid_column *column = &grid->columns[c];
        const char *text = is_top ? column->top : column->bottom;
        if (l->is_shown[c]) write_cell(text, colour ? bold : "", l->width[c], column->left, &blanks, out);
    }
    fputc('\n', out);
}

static bool is_empty(const hw_grid_cell *cells, int n) {
    for (int c = 0; c < n; c++)
        if (cells[c].text[0]) return false;
    return true;
}

static void write_headings(const hw_grid *grid, const layout *l, bool colour, FILE *out) {
    bool has_top = false;
    for (int c = 0; c < grid->n_columns; c++) has_top |= l->is_shown[c] && grid->columns[c].top[0];
    if (grid->title) fprintf(out, "\n%s\n", grid->title);
    if (has_top) write_heading(grid, l, true, colour, out);
    write_heading(grid, l, false, colour, out);
}

void hw_grid_write(const hw_grid *grid, bool colour, FILE *out) {
    layout l = measure(grid);
    hw_grid_cell cells[HW_GRID_COLUMNS];
    bool has_columns = false;
    for (int c = 0; c < grid->n_columns; c++) has_columns |= l.is_shown[c];
    if (!has_columns) return;
    write_headings(grid, &l, colour, out);
    for (size_t i = 0; i < grid->n_rows; i++) {
        memset(cells, 0, sizeof cells);
        grid->row(grid->context, i, cells);
        if (is_empty(cells, grid->n_columns)) continue;
        int blanks = 0;
        for (int c = 0; c < grid->n_columns; c++)
            if (l.is_shown[c])
                write_cell(cells[c].text, colour ? codes[cells[c].colour] : "", l.width[c], grid->columns[c].left,
                           &blanks, out);
        fputc('\n', out);
    }
}
