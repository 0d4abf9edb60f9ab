// A program is looked after while it runs: a line on the terminal says how a long launch gets on, a sentence why it
// takes long, the program is ended when its time is over, and SIGUSR1 asks its processes where their blocks are.
#ifndef HW_CLI_PROGRESS_H
#define HW_CLI_PROGRESS_H

#include "child.h"
#include "cli.h"
#include "exec/monitor.h"

typedef struct hw_cli_progress {
    hw_cli_temporary file;        // of monitors, for the program's processes
    hw_monitors *monitors;        // NULL: nothing is seen
    uint64_t timeout_ns;          // 0: none
    uint64_t hint_ns;             // how long a launch takes that is explained; 0: none is
    uint64_t began_ns;            // 0: not yet
    bool has_line, is_line_shown;
    bool has_timed_out, is_terminated;
    uint64_t ends_ns;             // when has_timed_out: the next, harder try
    uint64_t explains;            // began_ns of the launch that is asked why; UINT64_MAX: one has been explained
    char ended_at[1280];          // what was going on when the time was over; "": nothing
} hw_cli_progress;

// timeout: of --timeout, in seconds, or NULL. A program runs also where nothing can be seen of it.
void hw_cli_progress_open(hw_cli_progress *progress, const char *timeout);
// For hw_cli_child_run, while progress lives.
hw_cli_child_care hw_cli_progress_care(hw_cli_progress *progress);
// The program has ended: the terminal is as without a line, and if its time was over that is said.
void hw_cli_progress_close(hw_cli_progress *progress);

#endif
