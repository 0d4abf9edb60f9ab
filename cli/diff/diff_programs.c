#define _GNU_SOURCE
#include "diff/diff_programs.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/report_file.h"

bool hw_diff_is_profile(const char *path) {
    const char *ending = strrchr(path, '.');
    if (ending && !strcmp(ending, ".json")) return true;
    FILE *in = fopen(path, "r");
    int first = in ? fgetc(in) : EOF;
    while (in && isspace(first)) first = fgetc(in);
    if (in) fclose(in);
    return first == '{';
}

static int read_stream(FILE *in, const char *name, hw_arena *arena, hw_profile *out) {
    hw_diag diag = {0};
    const hw_status status = hw_profile_read(in, name, arena, out, &diag);
    fclose(in);
    return status ? hw_cli_fail(status, &diag) : 0;
}

int hw_diff_read(const char *path, hw_arena *arena, hw_profile *out) {
    FILE *in = fopen(path, "r");
    if (in) return read_stream(in, path, arena, out);
    hw_cli_complain("cannot read %s: %s", path, strerror(errno));
    return HW_EXIT_USAGE;
}

// What a program prints while it runs, to standard error.
static int run_aside(const hw_cli_launch *launch, const char *journal, int *ended_by) {
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    const int status = hw_cli_launch_run(launch, journal, ended_by);
    fflush(stdout);
    if (kept >= 0) dup2(kept, STDOUT_FILENO);
    if (kept >= 0) close(kept);
    return status;
}

// The program's own exit status is its own matter, as long as there is something to compare.
static int run_into(const hw_cli_launch *launch, const char *name, FILE *to) {
    hw_cli_report report = {.journal.file = -1};
    int ended_by = 0, status = hw_cli_report_open(&report, NULL, NULL);
    report.stream = to;
    const int ended = status ? 0 : run_aside(launch, report.journal.path, &ended_by);
    const hw_report_look look = {.rows = HW_REPORT_ROWS_LAUNCHES};
    if (!status) status = hw_cli_report_deliver(&report, launch, &look, ended, ended_by);
    hw_cli_report_close(&report);
    const bool is_ours = ended >= HW_EXIT_USAGE && ended <= HW_EXIT_FAULT;
    if (!status && ended && !is_ours) hw_cli_complain("%s ended with status %d", name, ended);
    return is_ours ? ended : status;
}

int hw_diff_run(const hw_cli_launch *launch, hw_arena *arena, hw_profile *out) {
    char *text = NULL, *name = strdup(launch->program[0]);   // which a run shortens
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    int status = to && name ? run_into(launch, name, to) : HW_EXIT_USAGE;
    if (!to || !name) hw_cli_complain("out of memory");
    if (to) fclose(to);
    FILE *in = status ? NULL : fmemopen(text, bytes, "r");
    if (!status && !in) {
        hw_cli_complain("%s has launched nothing that could be compared", name);
        status = HW_EXIT_USAGE;
    }
    if (in) status = read_stream(in, name, arena, out);
    free(text);
    free(name);
    return status;
}
