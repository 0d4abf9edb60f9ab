// A ladder as text: a table for people, CSV or JSON for programs.
#ifndef HW_CLI_LADDER_REPORT_H
#define HW_CLI_LADDER_REPORT_H

#include <stdio.h>

#include "ladder/ladder.h"
#include "report/report.h"

// colour: of the table. Returns false when memory ran out.
bool hw_cli_ladder_write(const hw_ladder *ladder, const hw_family *family, hw_report_format format, bool colour,
                         FILE *out);

// "8192x8192": a problem's sizes; returns text.
const char *hw_cli_ladder_size(const hw_family *family, const hw_problem *problem, char *text, size_t text_bytes);

// Times of a simulation say nothing about a GPU.
bool hw_cli_ladder_is_timed(const hw_ladder *ladder);

#endif
