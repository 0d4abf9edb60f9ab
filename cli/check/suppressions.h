// Findings that the user knows and does not want to hear of.
#ifndef HW_CLI_SUPPRESSIONS_H
#define HW_CLI_SUPPRESSIONS_H

#include "check/findings.h"

// Takes away what a line of the file names, and what the source itself does: a comment `halfwarp-check: allow KIND` on
// the line of either side, or on the line above it. path NULL: the source alone. A line of the file is KIND PATTERN,
// PATTERN as of fnmatch(3) for "file:line" or the kernel of a side; # begins a comment. 0, or HW_EXIT_USAGE after a
// complaint.
int hw_cli_suppress(hw_cli_findings *findings, const char *path);

// Can the file be read, and is each of its lines one? Asked before the program runs. 0, or HW_EXIT_USAGE after a
// complaint.
int hw_cli_try_suppressions(const char *path);

#endif
