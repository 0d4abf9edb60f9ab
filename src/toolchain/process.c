// Starting compilers and waiting for them.
#define _GNU_SOURCE
#include "toolchain/process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"

extern char **environ;

// Everything from the pipe until its other end is closed; NULL when out of memory.
static const char *read_all(int pipe_end, hw_arena *arena) {
    char *text = NULL;
    size_t length = 0, capacity = 0;
    for (;;) {
        char chunk[4096];
        ssize_t got = read(pipe_end, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        if (length + (size_t)got > capacity) {
            capacity = 2 * (length + (size_t)got);
            char *bigger = hw_realloc_array(text, capacity, 1);
            if (!bigger) {
                hw_free(text);
                return NULL;
            }
            text = bigger;
        }
        memcpy(text + length, chunk, (size_t)got);
        length += (size_t)got;
    }
    const char *kept = hw_arena_string(arena, text ? text : "", length);
    hw_free(text);
    return kept;
}

// The caller's environment with TMPDIR set to work_dir, in the arena; NULL when out of memory.
static char **with_temporaries(const char *work_dir, hw_arena *arena) {
    size_t count = 0, kept = 0;
    while (environ && environ[count]) count++;
    char **variables = hw_arena_take(arena, (count + 2) * sizeof *variables);
    for (size_t i = 0; variables && i < count; i++)
        if (strncmp(environ[i], "TMPDIR=", 7) != 0) variables[kept++] = environ[i];
    if (!variables || !(variables[kept++] = hw_arena_printf(arena, "TMPDIR=%s", work_dir))) return NULL;
    variables[kept] = NULL;
    return variables;
}

// Standard output goes to out; so does standard error, unless out is one of the two.
static int start_process(const char *const *argv, char **variables, int out, pid_t *child) {
    posix_spawn_file_actions_t actions;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure) return failure;
    failure = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!failure && out != STDOUT_FILENO) failure = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (!failure && out > STDERR_FILENO) failure = posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
    if (!failure) failure = posix_spawn(child, argv[0], &actions, NULL, (char *const *)argv, variables);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

static hw_status wait_for(const char *name, pid_t child, int *exit_status, hw_diag *diag) {
    pid_t waited;
    int status = 0;
    do waited = waitpid(child, &status, 0);
    while (waited < 0 && errno == EINTR);
    if (waited < 0) return hw_diag_errno(diag, errno, "cannot wait for %s", name);
    *exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return HW_OK;
}

hw_status hw_process_run_openly(const char *const *argv, int *exit_status, hw_diag *diag) {
    pid_t child;
    int failure = start_process(argv, environ, STDOUT_FILENO, &child);
    if (failure) return hw_diag_set(diag, HW_IO, "cannot start %s: %s", argv[0], strerror(failure));
    return wait_for(argv[0], child, exit_status, diag);
}

hw_status hw_process_run(const char *const *argv, const char *work_dir, hw_arena *arena, const char **collected,
                         int *exit_status, hw_diag *diag) {
    char **variables = work_dir ? with_temporaries(work_dir, arena) : environ;
    if (!variables) return hw_diag_no_memory(diag);
    int ends[2] = {-1, -1};
    pid_t child;
    if (collected && pipe2(ends, O_CLOEXEC) != 0)
        return hw_diag_errno(diag, errno, "cannot make a pipe to %s", argv[0]);
    int failure = start_process(argv, variables, collected ? ends[1] : STDERR_FILENO, &child);
    if (collected) close(ends[1]);
    if (failure) {
        if (collected) close(ends[0]);
        return hw_diag_errno(diag, failure, "cannot start %s", argv[0]);
    }
    if (collected) {
        *collected = read_all(ends[0], arena);
        close(ends[0]);
    }
    hw_status status = wait_for(argv[0], child, exit_status, diag);
    return !status && collected && !*collected ? hw_diag_no_memory(diag) : status;
}

const char *hw_process_find(const char *search_path, const char *name, hw_arena *arena) {
    for (const char *at = search_path; at && *at;) {
        size_t length = strcspn(at, ":");
        struct stat info;
        const char *path = length ? hw_arena_printf(arena, "%.*s/%s", (int)length, at, name) : NULL;
        if (path && stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0) return path;
        at += length + (at[length] == ':');
    }
    return NULL;
}

void hw_process_hash_environment(hw_hash *hash) {
    static const char *const prefixes[] = {"CPATH=",        "C_INCLUDE_PATH=",      "CPLUS_INCLUDE_PATH=",
                                           "LIBRARY_PATH=", "COMPILER_PATH=",       "GCC_EXEC_PREFIX=",
                                           "NVCC_",         "CCC_OVERRIDE_OPTIONS="};
    for (char **variable = environ; variable && *variable; variable++)
        for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
            if (!strncmp(*variable, prefixes[i], strlen(prefixes[i]))) hw_hash_string(hash, *variable);
}
