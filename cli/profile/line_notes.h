// A profile as notes at source lines, for editors: SARIF.
#ifndef HW_CLI_LINE_NOTES_H
#define HW_CLI_LINE_NOTES_H

#include "prof/prof.h"

// Writes what each line of each kernel has counted, and its share of the estimate, as notes, and advice as warnings.
// The report has lines by kernel. 0, or HW_EXIT_USAGE after a complaint.
int hw_cli_write_line_notes(const hw_report *report, const char *path);

#endif
