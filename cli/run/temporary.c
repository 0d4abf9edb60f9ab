// Files through which the program's process tells this one something.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

// A descriptor's number that hardly any process has: a program that outlives this process, and meets another one with
// the same id, must not find a file of that one's.
enum { FIRST_NUMBER = 700 };

// Bytes that are taken at once, so that a full disk is found before the program runs, and not by it.
enum { RESERVED = 4096 };

// False: the disk is full. Where a file system cannot say, it is seen later.
static bool reserve(int file) {
    return fallocate(file, FALLOC_FL_KEEP_SIZE, 0, RESERVED) == 0 || (errno != ENOSPC && errno != EDQUOT);
}

// Nameless from the start, or from just after it where the file system has no such files.
static int open_nameless(const char *folder, const char *what) {
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    char *path = NULL;
    if (file >= 0 || asprintf(&path, "%s/halfwarp-%s.XXXXXX", folder, what) < 0) return file;
    file = mkostemp(path, O_CLOEXEC);
    if (file >= 0) unlink(path);
    free(path);
    return file;
}

hw_cli_temporary hw_cli_temporary_open(const char *what) {
    const char *wanted = getenv("TMPDIR"), *folder = wanted && *wanted == '/' ? wanted : "/tmp";
    hw_cli_temporary temporary = {.file = open_nameless(folder, what)};
    if (temporary.file < 0 || !reserve(temporary.file)) {
        hw_cli_complain("cannot make a temporary file in %s: %s", folder, strerror(errno));
        hw_cli_temporary_close(&temporary);
        return temporary;
    }
    int other = fcntl(temporary.file, F_DUPFD_CLOEXEC, FIRST_NUMBER);   // fails where so many are not allowed
    if (other >= 0) {
        close(temporary.file);
        temporary.file = other;
    }
    snprintf(temporary.path, sizeof temporary.path, "/proc/%ld/fd/%d", (long)getpid(), temporary.file);
    return temporary;
}

void hw_cli_temporary_close(hw_cli_temporary *temporary) {
    if (temporary->file >= 0) close(temporary->file);
    temporary->file = -1;
}
