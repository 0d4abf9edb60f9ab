// A profile as text.
//
// table  for people: one row per launch, or per kernel, with the ratios that explain its speed; green is as good as it
//        gets, red is where time is lost. What is too wide becomes two tables. What GPUs of 1.x do in global memory is
//        a table of its own, a row for the loads and one for the stores. With lines: a listing per kernel behind it,
//        with the source's text where its file can be read.
// csv    one header line and one row per launch, the columns of docs/design.md in their order. A share of partitions
//        that was not counted is empty (in JSON null). Summed up: a row per kernel. With lines: one row per kernel and
//        source line instead (columns kernel, launches, file, line, the counters and ptx_by; before launches which ones
//        where they are told apart), so that the file stays one table.
//        With copies: a row per kernel, copy or set in the order of their begins, or per kind, instead.
// json   {"gpu": {...}, "uncounted": N, "launches": [{...}]}, summed up "summary" in place of "launches", and with
//        lines "kernels": [{"kernel", "launches", "lines": [{...}]}], with copies "work": [{...}], summed up "copies".
// man/halfwarp-columns.7 has all columns.
#ifndef HW_REPORT_REPORT_H
#define HW_REPORT_REPORT_H

#include <stdio.h>

#include "prof/prof.h"

typedef enum hw_report_format { HW_REPORT_TABLE, HW_REPORT_CSV, HW_REPORT_JSON, HW_REPORT_FORMATS } hw_report_format;

// "table", "csv", "json"; HW_REPORT_FORMATS when it is none of them. NULL past the last format.
hw_report_format hw_report_find_format(const char *name);
const char *hw_report_format_name(hw_report_format format);

// Rows for launches or for kernels; as they fit: those of launches, but in tables of more than 40 those of kernels.
typedef enum hw_report_rows { HW_REPORT_ROWS_AS_FIT, HW_REPORT_ROWS_LAUNCHES, HW_REPORT_ROWS_SUMMARY } hw_report_rows;

typedef struct hw_report_look {
    hw_report_rows rows;
    bool copies;                 // copies and sets as well; those of a summary are in its tables and JSON anyway
    bool colour;                 // ANSI colours, of tables only
    int width;                   // characters that lines of a table should fit; 0: any number
    const char *json_advice;     // of JSON: what its member "advice" is, as text; NULL: there is none
} hw_report_look;

// Writes the report to an open file. HW_IO when out cannot be written; HW_NO_MEMORY. Deterministic but for host_ms.
hw_status hw_report_write(const hw_report *report, hw_report_format format, const hw_report_look *look, FILE *out,
                          hw_diag *diag);

#endif
