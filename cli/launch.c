// The way of one run: find PROG, compile it if it is source, start it with our CUDA runtime in front of any other, and
// translate how it ended.
#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "toolchain/toolchain.h"

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

// A regular file that may be opened with `mode` (R_OK or X_OK). Sets errno when it is not.
static bool is_file(const char *path, int mode) {
    struct stat info;
    if (stat(path, &info) != 0) return false;
    if (!S_ISREG(info.st_mode)) {
        errno = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
        return false;
    }
    return access(path, mode) == 0;
}

// The executable's path, to be freed: in the current folder, else on PATH as a shell finds it. NULL after a complaint.
static char *find_executable(const char *program) {
    if (is_file(program, X_OK)) {
        char *path = NULL;
        return asprintf(&path, "%s%s", strchr(program, '/') ? "" : "./", program) < 0 ? NULL : path;
    }
    int failure = errno;
    const char *folders = strchr(program, '/') ? NULL : getenv("PATH");
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        char *path = NULL;
        if (asprintf(&path, "%.*s/%s", (int)length, folders, program) < 0) return NULL;
        if (length && is_file(path, X_OK)) return path;
        free(path);
        folders += length + (folders[length] == ':');
    }
    hw_cli_complain("cannot run %s: %s", program, strerror(failure));
    return NULL;
}

static int exit_status_of(hw_status status) {
    switch (status) {
    case HW_OK: return 0;
    case HW_COMPILE: return HW_EXIT_COMPILE;
    case HW_UNSUPPORTED:
    case HW_MALFORMED: return HW_EXIT_UNSUPPORTED;
    default: return HW_EXIT_USAGE;
    }
}

static int complain_about(hw_status status, const hw_diag *diag) {
    char text[sizeof *diag + 32];
    hw_cli_complain("%s", hw_diag_format(diag, text, sizeof text));
    return exit_status_of(status);
}
