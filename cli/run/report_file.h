// profile's report: made of the journal that the program's process leaves behind, however it ended, and delivered where
// the user wants it.
#ifndef HW_CLI_REPORT_FILE_H
#define HW_CLI_REPORT_FILE_H

#include "run/launch.h"

typedef struct hw_cli_report {
    hw_cli_temporary journal;   // the program's process fills it
    const char *output;         // -o, or NULL for standard output
    const char *trace;          // --trace, or NULL
    FILE *stream;               // where the report goes without an output; NULL: standard output
    bool is_file;               // output is, or will be, a regular file
} hw_cli_report;

// Makes the journal. An output that cannot be written is found before the program runs. 0, or HW_EXIT_USAGE after a
// complaint. Close either way.
int hw_cli_report_open(hw_cli_report *report, const char *output, const char *trace);

// After the program ended with program_status, and by a signal if ended_by is not 0: prints the report, or puts it in
// output's place when it is whole; and the verdicts on budgets, where there are any. 0; HW_EXIT_FOUND when one is
// broken, which has been told; or HW_EXIT_USAGE after a complaint.
int hw_cli_report_deliver(hw_cli_report *report, const hw_cli_launch *launch, const hw_report_look *look,
                          int program_status, int ended_by);

// The journal is not needed any more.
void hw_cli_report_close(hw_cli_report *report);

#endif
