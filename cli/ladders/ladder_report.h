// A ladder as text: a table for people, CSV or JSON for programs.
#ifndef HW_CLI_LADDER_REPORT_H
#define HW_CLI_LADDER_REPORT_H

#include <stdio.h>

#include "ladder/ladder.h"
#include "ladders/ladder_advice.h"
#include "report/report.h"

// advice: behind the table, and a member of JSON; NULL: none is wanted. colour, and the width that lines fit: of the
// table. Returns false when memory ran out.
bool hw_cli_ladder_write(const hw_ladder *ladder, const hw_family *family, const hw_ladder_advice *advice,
                         hw_report_format format, bool colour, int width, FILE *out);

// What stands below the tables (ladder_legend.c).
void hw_cli_ladder_write_legend(const hw_ladder *ladder, int width, FILE *out);

// "8192x8192": a problem's sizes; returns text.
const char *hw_cli_ladder_size(const hw_family *family, const hw_problem *problem, char *text, size_t text_bytes);

// Times of a simulation say nothing about a GPU.
bool hw_cli_ladder_is_timed(const hw_ladder *ladder);

// A row's rate in 10^9 a second: operations where the family counts them, else bytes; and the unit that suits the
// fastest row: "GB/s", "TFLOP/s", "Gpairs/s", of which one is `divisor` times 10^9.
typedef struct hw_cli_ladder_unit {
    char name[32];
    double divisor;
} hw_cli_ladder_unit;
double hw_cli_ladder_rate(const hw_ladder *ladder, const hw_ladder_row *row);
hw_cli_ladder_unit hw_cli_ladder_unit_of(const hw_ladder *ladder);

// What holds the rung up: on a simulated GPU hw_bound_name of its estimate; of a measured one "launch" where it is at
// the floor of launch time. "" where that is not known.
const char *hw_cli_ladder_bound(const hw_ladder *ladder, const hw_ladder_row *row);

// "right", "wrong", "refused" or "failed".
const char *hw_cli_ladder_result(const hw_ladder_row *row);
bool hw_cli_ladder_is_right(const hw_ladder_row *row);

// A picture of it (ladder_plot.c). 0, or HW_EXIT_USAGE after a complaint.
int hw_cli_ladder_draw(const hw_ladder *ladder, const hw_family *family, const char *path);

#endif
