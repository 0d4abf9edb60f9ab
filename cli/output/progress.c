// One line that is written over itself.
#include "output/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

static const double QUIET_SECONDS = 0.5, STEP_SECONDS = 0.1;

static double seconds_now(void) { return 1e-9 * (double)hw_now_ns(); }

void hw_cli_progress_begin(hw_cli_progress *progress, double bytes) {
    *progress = (hw_cli_progress){.on = isatty(STDERR_FILENO), .began = seconds_now(), .bytes = bytes};
}

void hw_cli_progress_update(hw_cli_progress *progress, double bytes_done) {
    double time = seconds_now(), seconds = time - progress->began;
    if (!progress->on || seconds < QUIET_SECONDS || time - progress->last < STEP_SECONDS) return;
    fprintf(stderr, "\r\033[K%3.0f%% of %.1f GB, %.2f GB/s", 100 * bytes_done / progress->bytes, progress->bytes * 1e-9,
            bytes_done / seconds * 1e-9);
    progress->last = time;
    progress->shown = true;
}

void hw_cli_progress_end(hw_cli_progress *progress) {
    if (progress->shown) fputs("\r\033[K", stderr);
    progress->shown = false;
}
