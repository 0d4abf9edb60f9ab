// A report as text, where the user wants it: standard output, or a file that is whole or not there.
#ifndef HW_CLI_TEXT_OUTPUT_H
#define HW_CLI_TEXT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/report.h"

// Writes the report of `context`. False: out of memory.
typedef bool hw_cli_text_writer(const void *context, hw_report_format format, bool colour, FILE *out);

// path NULL: standard output. 0, or HW_EXIT_USAGE after a complaint; of standard output main looks at the outcome.
int hw_cli_text_deliver(const char *path, hw_report_format format, hw_cli_text_writer *write, const void *context);

// Colour is for tables on a terminal only; https://no-color.org.
bool hw_cli_wants_colour(const char *path, hw_report_format format);

// Characters that lines of a table fit: those of the terminal that it is written to, or of COLUMNS, but 80 at least.
int hw_cli_table_width(const char *path);
// The same for a table that leaves columns out: 0, any number, where neither a terminal nor COLUMNS says, since what
// other programs read should have everything.
int hw_cli_list_width(const char *path);

// Of --format: HW_REPORT_FORMATS after a complaint.
hw_report_format hw_cli_read_format(const char *name);

#endif
