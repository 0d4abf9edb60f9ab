// The columns of a profile, as data: what each is called, means and holds, and which tables show it.
#ifndef HW_REPORT_COLUMNS_H
#define HW_REPORT_COLUMNS_H

#include "prof/prof.h"
#include "report/column.h"
#include "report/source.h"
#include "report/stalls.h"
#include "report/summary.h"

// A row of columns.def, or behind HW_COLUMN_COUNT_ a counter.
typedef enum hw_column_id {
#define HW_COUNTER(id, ...) HW_COLUMN_COUNT_##id,
#include "prof/counters.def"
#undef HW_COUNTER
#define HW_COLUMN(id, ...) HW_COLUMN_##id,
#include "report/columns.def"
#undef HW_COLUMN
    HW_COLUMNS
} hw_column_id;

// What hw_column.read gets, and a value is of: a launch, all launches of a kernel, a listing of lines as a whole, or a
// line of it; in tables of global memory, its loads or its stores.
typedef struct hw_subject {
    const hw_report_launch *launch;      // NULL: of a listing or a line
    const hw_report_summary *summary;    // all launches of a kernel, with their sums in launch; else NULL
    const hw_report_kernel *listing;     // the line's, where it is asked for, and
    const char *ptx_by;                  // who made the PTX of its launches (hw_report_ptx_by)
    const hw_report_line *line;
    hw_source *source;                   // the line's file; may be NULL
    const hw_stall *stall;               // the line's share of its kernel's time; NULL: of launches, or not asked for
    const uint64_t *counts;              // of the launch or the line
    bool is_store;
    char *text;                          // HW_GRID_CELL bytes for the line's text
} hw_subject;

extern const hw_column hw_columns[HW_COLUMNS];   // of hw_subject

// How much of what makes the column bad lies in these counts, in whatever it counts: sectors and passes beyond what
// would do, lanes that are off, branches that parted, of a counter the count. 0 of columns that no line has a part of.
double hw_column_excess(const hw_column *column, const uint64_t counts[HW_COUNTERS]);

// ---- Tables (tables.c) ----

// A run of columns that tables share.
typedef struct hw_table_part {
    const uint8_t *columns;      // hw_column_id
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

// What the columns say, one line each (legend.c).
typedef struct hw_table_legend {
    bool (*applies)(const hw_report *report);   // is there anything in the column?
    const char *name;
    // Whose meanings make the line: one, or two (the second is not 0). The first decides which GPUs have the line.
    hw_column_id columns[2];
    const char *text;                    // in place of the meanings, of what several columns say together; or NULL
} hw_table_legend;
extern const hw_table_legend hw_table_legends[];
extern const int hw_table_n_legends;

#endif
