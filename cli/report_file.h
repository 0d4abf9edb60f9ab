// Where profile's report goes: a file that is either whole or not there, or standard output behind the program's own.
#ifndef HW_CLI_REPORT_FILE_H
#define HW_CLI_REPORT_FILE_H

#include "cli.h"

typedef struct hw_cli_report {
    char *path;           // a temporary file that the program's process fills
    const char *output;   // -o, or NULL for standard output
    bool rename;          // output is, or will be, a regular file beside path
} hw_cli_report;

// Creates the temporary file, in output's folder so that it can be renamed. 0, or HW_EXIT_USAGE after a complaint:
// a folder that cannot be written is found before the program runs. Close either way.
int hw_cli_report_open(hw_cli_report *report, const char *output);

// After the program ended with program_status: prints the report or renames it into place. 0, or HW_EXIT_USAGE after a
// complaint.
int hw_cli_report_deliver(hw_cli_report *report, int program_status);

// Removes what is left of the temporary file.
void hw_cli_report_close(hw_cli_report *report);

#endif
