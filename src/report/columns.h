// The tables of a profile and their columns, as data: which GPUs show a column, and what stands in it.
#ifndef HW_REPORT_COLUMNS_H
#define HW_REPORT_COLUMNS_H

#include "prof/prof.h"
#include "report/grid.h"
#include "report/source.h"
#include "report/summary.h"

// What a row is about: a launch, or a line of a kernel; in tables of global memory, its loads or its stores.
typedef struct hw_table_subject {
    const hw_report_launch *launch;      // NULL: of a line
    const hw_report_summary *summary;    // all launches of a kernel, with their sums in launch; else NULL
    const hw_report_line *line;          // NULL: of a launch
    hw_source *source;                   // the line's file; may be NULL
    const uint64_t *counts;              // of the launch or the line
    bool is_store;
} hw_table_subject;

typedef struct hw_table_column {
    hw_grid_column heading;
    int since, until;                    // compute capabilities that show it
    void (*fill)(const struct hw_table_column *column, const hw_table_subject *subject, hw_grid_cell *cell);
    uint8_t of[2][4];                    // counters that fill takes: [1] of stores, [0] of loads and of both together
} hw_table_column;

// A run of columns that tables share.
typedef struct hw_table_part {
    const hw_table_column *columns;
    int n_columns;
} hw_table_part;

typedef enum hw_table_id {
    HW_TABLE_LAUNCHES, HW_TABLE_MEMORY, HW_TABLE_SUMMARY, HW_TABLE_SUMMARY_MEMORY, HW_TABLE_LINES,
    HW_TABLE_LINE_MEMORY, HW_TABLES
} hw_table_id;

typedef struct hw_table {
    int since, until;                    // compute capabilities that have it
    bool is_by_direction;                // two rows for each launch or line: loads, stores
    const char *title;                   // NULL: none
    hw_table_part parts[5];              // its columns, part by part
} hw_table;
extern const hw_table hw_tables[HW_TABLES];

// What the columns say, one line each.
typedef struct hw_table_legend {
    int since, until;
    bool (*applies)(const hw_report *report);   // is there anything in the column?
    const char *name, *text;
} hw_table_legend;
extern const hw_table_legend hw_table_legends[];
extern const int hw_table_n_legends;

#endif
