#include "run/progress_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/demangle.h"
#include "report/grid.h"
#include "report/report.h"
#include "report/text.h"

enum { MAX_NAME = 1024 };

static uint64_t percent_done(const hw_monitored *launch) {
    return launch->n_blocks ? (uint64_t)(100.0 * (double)launch->did[HW_DID_BLOCKS] / (double)launch->n_blocks) : 0;
}

// ---- the line ----

// Three digits and a prefix: "1.24 G".
static void write_rate(double value, char out[16]) {
    static const char *const prefixes[] = {"", " k", " M", " G", " T"};
    size_t k = 0;
    for (; value >= 999.5 && k + 1 < sizeof prefixes / sizeof prefixes[0]; value /= 1000) k++;
    snprintf(out, 16, "%.*f%s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, prefixes[k]);
}

static void write_time(double seconds, char out[16]) {
    if (seconds < 99.5) snprintf(out, 16, "%.0f s", seconds);
    else if (seconds < 99.5 * 60) snprintf(out, 16, "%.0f min", seconds / 60);
    else if (seconds < 99.5 * 3600) snprintf(out, 16, "%.0f h", seconds / 3600);
    else snprintf(out, 16, "%.0f days", seconds / 86400);
}

// What stands behind the name. Blocks that are under way count as not begun, so the time that is left is at most that.
static void write_numbers(const hw_monitored *launch, double seconds, bool has_rate, char *out, size_t bytes) {
    const double done = (double)launch->did[HW_DID_BLOCKS], all = (double)launch->n_blocks;
    char time[16], rate[16];
    write_time(seconds, time);
    int used = snprintf(out, bytes, ", launch %" PRIu64 ": %" PRIu64 "%% of %" PRIu64 " block%s after %s",
                        launch->number, percent_done(launch), launch->n_blocks, launch->n_blocks == 1 ? "" : "s", time);
    if (has_rate && launch->did[HW_DID_THREAD_INST]) {
        write_rate((double)launch->did[HW_DID_THREAD_INST] / seconds, rate);
        used += snprintf(out + used, bytes - (size_t)used, ", %s thread inst/s", rate);
    }
    if (done > 0) {
        write_time(seconds * (all - done) / done, time);
        snprintf(out + used, bytes - (size_t)used, ", %s left", time);
    }
}

// A short name goes before the rate.
void hw_cli_progress_line(const hw_monitored *launch, double seconds, int width, char *out, size_t bytes) {
    enum { LEAST_NAME = 12 };
    char full[MAX_NAME], bare[MAX_NAME], name[MAX_NAME], numbers[256];
    hw_report_short_name(hw_demangle(launch->kernel, full, sizeof full), bare, sizeof bare);
    int wanted = (int)strlen(bare) < LEAST_NAME ? (int)strlen(bare) : LEAST_NAME;
    write_numbers(launch, seconds, true, numbers, sizeof numbers);
    if (wanted + (int)strlen(numbers) > width) write_numbers(launch, seconds, false, numbers, sizeof numbers);
    const int room = width - (int)strlen(numbers);
    hw_grid_shorten(bare, room < wanted ? wanted : room, name, sizeof name);
    snprintf(out, bytes < (size_t)width + 1 ? bytes : (size_t)width + 1, "%s%s", name, numbers);
}

void hw_cli_progress_state(const hw_monitored *launch, char *out, size_t bytes) {
    char name[MAX_NAME];
    snprintf(out, bytes, "kernel %s, launch %" PRIu64 ", of whose %" PRIu64 " blocks %" PRIu64 "%% were done",
             hw_demangle(launch->kernel, name, sizeof name), launch->number, launch->n_blocks, percent_done(launch));
}

// ---- why ----

static double share_of(const hw_monitored *launch, hw_did part, hw_did whole) {
    return launch->did[whole] ? (double)launch->did[part] / (double)launch->did[whole] : 0;
}

static bool write_polls(const hw_monitored *launch, char *out, size_t bytes) {
    const double found = share_of(launch, HW_DID_POLLING_WARPS, HW_DID_WARPS);
    snprintf(out, bytes, "%.0f%% of the warps under way poll memory, and wait for what other threads write",
             100 * found);
    return found >= 0.5;
}

// Lanes that are off cost what lanes cost that are on.
static bool write_lanes(const hw_monitored *launch, char *out, size_t bytes) {
    const double on = 32 * share_of(launch, HW_DID_THREAD_INST, HW_DID_LANES);
    if (launch->block_threads < 32)
        snprintf(out, bytes, "its blocks have %" PRIu32 " thread%s, and a warp takes as long as with all 32",
                 launch->block_threads, launch->block_threads == 1 ? "" : "s");
    else
        snprintf(out, bytes, "%.1f of 32 lanes are on in the mean, since the lanes of a warp take different ways, and "
                 "it takes as long as with all 32", on);
    return launch->did[HW_DID_LANES] && on <= 16;
}

// Atomics that are few cost little, wherever they meet.
static bool write_atomics(const hw_monitored *launch, char *out, size_t bytes) {
    const double found = share_of(launch, HW_DID_MEETING_ATOMICS, HW_DID_ATOMICS);
    snprintf(out, bytes, "in %.0f%% of its atomics lanes of a warp meet in one word, and go one after the other",
             100 * found);
    return found >= 0.5 && 32 * share_of(launch, HW_DID_ATOMICS, HW_DID_LANES) >= 0.01;
}

static bool write_scattered(const hw_monitored *launch, char *out, size_t bytes) {
    const double found = share_of(launch, HW_DID_SCATTERED_ACCESSES, HW_DID_ACCESSES);
    snprintf(out, bytes, "in %.0f%% of its loads and stores the lanes' addresses follow no pattern, and lanes go "
             "one by one", 100 * found);
    return found >= 0.25;
}

bool hw_cli_progress_why(const hw_monitored *launch, double seconds, char *out, size_t bytes) {
    // In the order of what explains most: a warp that polls does so with few lanes, and by atomics.
    static bool (*const reasons[])(const hw_monitored *, char *, size_t) = {write_polls, write_lanes, write_atomics,
                                                                             write_scattered};
    char name[MAX_NAME], time[16], why[256];
    size_t i = 0;
    while (i < sizeof reasons / sizeof reasons[0] && !reasons[i](launch, why, sizeof why)) i++;
    if (i == sizeof reasons / sizeof reasons[0]) return false;
    write_time(seconds, time);
    snprintf(out, bytes, "kernel %s, launch %" PRIu64 ", has taken %s so far: %s",
             hw_demangle(launch->kernel, name, sizeof name), launch->number, time, why);
    return true;
}
