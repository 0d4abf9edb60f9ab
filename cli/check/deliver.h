// From what the program's processes have found to the report that the user asked for: of check, and of profile --check.
#ifndef HW_CLI_DELIVER_H
#define HW_CLI_DELIVER_H

#include "run/launch.h"

typedef struct hw_cli_check {
    const char *format;              // "text", "json" or "sarif"
    const char *output;              // NULL: standard output
    bool is_second;                  // another report stands there already
    hw_cli_temporary found;          // what the processes write to
} hw_cli_check;

// Before the program runs: can the report be written, the file of suppressions be read? launch is told where its
// findings go. 0, or HW_EXIT_USAGE after a complaint. Close either way.
int hw_cli_check_open(hw_cli_check *check, hw_cli_launch *launch, const char *format, const char *output);
// When it has ended, so or by a signal: writes the report. HW_EXIT_FOUND where hazards are found that count for more
// than how it ended, HW_EXIT_USAGE after a complaint, else 0.
int hw_cli_check_report(const hw_cli_check *check, const hw_cli_launch *launch, int program_status, int ended_by);
void hw_cli_check_close(hw_cli_check *check);

#endif
