#include "report/sheet.h"

#include "report/cells.h"

static void fill_row(const void *context, size_t index, hw_grid_cell *cells) {
    const hw_sheet *sheet = context;
    char room[HW_GRID_CELL];
    const hw_row row = {sheet->of, sheet->first_row + index, room};
    if (sheet->has_row && !sheet->has_row(sheet->of, row.index)) return;
    hw_cells_write(sheet->columns, sheet->n_columns, &row, cells);
}

static const char *section_of(const void *context, size_t row) {
    const hw_sheet *sheet = context;
    return sheet->section ? sheet->section(sheet->of, sheet->first_row + row) : NULL;
}

void hw_sheet_write(const hw_sheet *sheet, bool colour, FILE *out) {
    hw_grid_column headings[HW_GRID_COLUMNS];
    for (int c = 0; c < sheet->n_columns; c++) headings[c] = sheet->columns[c]->heading;
    hw_grid_write(&(hw_grid){.columns = headings, .n_columns = sheet->n_columns, .width = sheet->width,
                             .n_rows = sheet->n_rows, .row = fill_row, .section = section_of, .context = sheet,
                             .elsewhere = sheet->elsewhere},
                  colour, out);
}
