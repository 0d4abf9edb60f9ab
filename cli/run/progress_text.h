// What is said of a launch that takes long.
#ifndef HW_CLI_PROGRESS_TEXT_H
#define HW_CLI_PROGRESS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "exec/monitor.h"

// "reduce, launch 3: 37% of 4096 blocks after 12 s, 1.24 G thread inst/s, 20 s left" in at most width characters.
void hw_cli_progress_line(const hw_monitored *launch, double seconds, int width, char *out, size_t bytes);

// A sentence about why the launch takes long. False where nothing that is known explains it.
bool hw_cli_progress_why(const hw_monitored *launch, double seconds, char *out, size_t bytes);

// "kernel reduce(float*, int), launch 3, of whose 4096 blocks 37% were done": for other sentences.
void hw_cli_progress_state(const hw_monitored *launch, char *out, size_t bytes);

#endif
