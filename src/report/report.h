// A profile as text.
//
// table  for people, up to 120 columns: one row per launch with the ratios that explain its speed; green is as good as
//        it gets, red is where time is lost. What GPUs of 1.x do in global memory is a table of its own, a row for the
//        loads and one for the stores. With lines: a listing per kernel behind it, with the source's text where its
//        file can be read.
// csv    one header line and one row per launch, the columns of docs/design.md in their order and at the end
//        regs_estimated (1: regs is a liveness estimate, not ptxas's number). A share of partitions that was not
//        counted is empty (in JSON null). With lines: one row per kernel and source line instead (columns kernel,
//        launches, file, line and the counters), so that the file stays one table.
// json   {"gpu": {...}, "launches": [{...}]}, and with lines "kernels": [{"kernel", "launches", "lines": [{...}]}].
#ifndef HW_REPORT_REPORT_H
#define HW_REPORT_REPORT_H

#include <stdio.h>

#include "prof/prof.h"

typedef enum hw_report_format { HW_REPORT_TABLE, HW_REPORT_CSV, HW_REPORT_JSON, HW_REPORT_FORMATS } hw_report_format;

// "table", "csv", "json"; HW_REPORT_FORMATS when it is none of them. NULL past the last format.
hw_report_format hw_report_find_format(const char *name);
const char *hw_report_format_name(hw_report_format format);

// Writes the report to an open file. With colour, the table has ANSI colours; the other formats never have.
// HW_IO when out cannot be written; HW_NO_MEMORY. Deterministic but for host_ms.
hw_status hw_report_write(const hw_report *report, hw_report_format format, bool colour, FILE *out, hw_diag *diag);

// Names as tables show them; both are cut to out_bytes and return out.
// A demangled name without result type and parameters: "transpose<32>".
const char *hw_report_short_name(const char *kernel, char *out, size_t out_bytes);
// A text of at most width characters, its start (or with keep_end its end) replaced by "..." where it is longer.
const char *hw_report_shorten(const char *text, size_t width, bool keep_end, char *out, size_t out_bytes);

#endif
