// Several GPUs over one of a family's sizes: as text, and as a picture with a curve for each.
#ifndef HW_CLI_SWEEP_REPORT_H
#define HW_CLI_SWEEP_REPORT_H

#include <stdio.h>

#include "ladder/sweep.h"
#include "report/report.h"

// A table of GB/s, whose lines fit width characters, CSV or JSON. False: out of memory.
bool hw_cli_sweep_write(const hw_sweep *sweep, hw_report_format format, bool colour, int width, FILE *out);

// A panel for each rung (sweep_plot.c). 0, or HW_EXIT_USAGE after a complaint.
int hw_cli_sweep_draw(const hw_sweep *sweep, const char *path);

// "GeForce GTX 280", "NVIDIA H200, measured"; returns text.
const char *hw_cli_sweep_name(const hw_sweep_curve *curve, char *text, size_t text_bytes);

#endif
