// Progress of a long job, on a terminal only.
#ifndef HW_CLI_PROGRESS_H
#define HW_CLI_PROGRESS_H

#include <stdbool.h>

typedef struct hw_cli_progress {
    bool on;               // standard error is a terminal
    bool shown;
    double began, last;    // seconds
    double bytes;          // in all
} hw_cli_progress;

// bytes: the size of the job.
void hw_cli_progress_begin(hw_cli_progress *progress, double bytes);
// So much is done. Prints percent and rate, from the first second on, ten times a second at most.
void hw_cli_progress_update(hw_cli_progress *progress, double bytes_done);
// Takes the line away.
void hw_cli_progress_end(hw_cli_progress *progress);

#endif
