// Runs `halfwarp profile --format csv` and reads two columns of what it writes.
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "speed.h"

extern char **environ;

static bool run_program(const profile_run *run) {
    char size[16], launches[16];
    snprintf(size, sizeof size, "%d", run->size);
    snprintf(launches, sizeof launches, "%d", run->launches);
    const char *argv[] = {run->halfwarp, "profile", "--no-reuse", "--gpu", run->gpu, "--format", "csv", "-o",
                          run->csv_path, run->program, size, launches, NULL};
    pid_t child;
    posix_spawn_file_actions_t actions;    // the program prints its own times, which are not asked for
    int status = 0, failure = posix_spawn_file_actions_init(&actions);
    if (!failure) {
        failure = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        if (!failure) failure = posix_spawn(&child, run->halfwarp, &actions, NULL, (char *const *)argv, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    if (failure) {
        fprintf(stderr, "bench_speed: cannot start %s: %s\n", run->halfwarp, strerror(failure));
        return false;
    }
    if (waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    fprintf(stderr, "bench_speed: %s failed (or its result is wrong)\n", run->program);
    return false;
}

// The next field of a line, unquoted and ended in place; *at moves behind its comma, NULL after the last one.
static char *next_csv_field(char **at) {
    char *field = *at, *out = field, *in = field;
    bool quoted = *in == '"';
    if (quoted) in++;
    for (; *in && *in != '\n' && (quoted || *in != ','); in++) {
        if (quoted && *in == '"') {
            if (in[1] == '"') in++;
            else {
                quoted = false;
                continue;
            }
        }
        *out++ = *in;
    }
    *at = *in == ',' ? in + 1 : NULL;
    *out = 0;
    return field;
}

static int column_of(const char *header, const char *name) {
    char *copy = strdup(header), *at = copy;
    int column = 0, found = -1;
    for (; copy && at && found < 0; column++)
        if (!strcmp(next_csv_field(&at), name)) found = column;
    free(copy);
    return found;
}

static double value_at(const char *line, int column) {
    char *copy = strdup(line), *at = copy;
    double value = -1;
    for (int i = 0; copy && at && i <= column; i++) {
        const char *field = next_csv_field(&at);
        if (i == column) value = strtod(field, NULL);
    }
    free(copy);
    return value;
}

static bool read_counter_rows(FILE *file, const profile_run *run, hw_bench_times *times, double *thread_inst) {
    char *line = NULL;
    size_t room = 0;
    int rows = 0, inst_column = -1, ms_column = -1;
    while (getline(&line, &room, file) > 0) {
        if (ms_column < 0) {
            inst_column = column_of(line, "thread_inst");
            ms_column = column_of(line, "host_ms");
            if (inst_column < 0 || ms_column < 0) break;
            continue;
        }
        double ms = value_at(line, ms_column);
        *thread_inst = value_at(line, inst_column);
        if (ms <= 0 || *thread_inst <= 0) break;
        if (rows++) hw_bench_times_add(times, ms);   // the first launch meets cold memory
    }
    free(line);
    return rows == run->launches;
}

bool run_profile(const profile_run *run, hw_bench_times *times, double *thread_inst) {
    if (!run_program(run)) return false;
    FILE *file = fopen(run->csv_path, "r");
    bool good = file && read_counter_rows(file, run, times, thread_inst);
    if (file) fclose(file);
    if (!good) fprintf(stderr, "bench_speed: %s does not hold %d launches\n", run->csv_path, run->launches);
    return good;
}
