// Written beside, then renamed.
#define _GNU_SOURCE
#include "output/whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "output/unfinished.h"

static int complain_unwritten(const char *path, int failure) {
    hw_cli_complain("cannot write %s: %s", path, strerror(failure));
    return HW_EXIT_USAGE;
}

int hw_cli_try_file(const char *path) {
    struct stat info;
    char *temporary = NULL;
    const bool exists = stat(path, &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) {
        hw_cli_complain("cannot write %s: it is a folder", path);
        return HW_EXIT_USAGE;
    }
    if (exists && !S_ISREG(info.st_mode)) return 0;
    if (asprintf(&temporary, "%s.XXXXXX", path) < 0) return complain_unwritten(path, ENOMEM);
    hw_cli_hold_signals();
    const int file = mkstemp(temporary), failure = file < 0 ? errno : 0;
    if (file >= 0) {
        close(file);
        unlink(temporary);
    }
    hw_cli_release_signals(NULL, NULL);
    free(temporary);
    return failure ? complain_unwritten(path, failure) : 0;
}

// 0 or errno.
static int write_all(int file, const char *bytes, size_t count) {
    while (count) {
        ssize_t written = write(file, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return written < 0 ? errno : EIO;
        bytes += written;
        count -= (size_t)written;
    }
    return 0;
}

static int write_there(const char *path, const char *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    if (!file) return complain_unwritten(path, errno);
    int failure = write_all(fileno(file), bytes, count);
    if (fclose(file) != 0 && !failure) failure = errno;
    return failure ? complain_unwritten(path, failure) : 0;
}

static int write_beside(const char *path, const char *temporary, int file, const char *bytes, size_t count) {
    mode_t mask = umask(0);
    umask(mask);
    int failure = fchmod(file, 0666 & ~mask) ? errno : 0;   // mkstemp's are private
    if (!failure) failure = write_all(file, bytes, count);
    if (close(file) != 0 && !failure) failure = errno;
    if (!failure && rename(temporary, path) != 0) failure = errno;
    if (failure) unlink(temporary);
    return failure ? complain_unwritten(path, failure) : 0;
}

int hw_cli_write_file(const char *path, const char *bytes, size_t count) {
    struct stat info;
    char *temporary = NULL;
    bool exists = stat(path, &info) == 0;
    if (exists && !S_ISREG(info.st_mode)) return write_there(path, bytes, count);
    if (asprintf(&temporary, "%s.XXXXXX", path) < 0) return complain_unwritten(path, ENOMEM);
    hw_cli_hold_signals();
    int file = mkstemp(temporary);
    int status = file < 0 ? complain_unwritten(path, errno) : write_beside(path, temporary, file, bytes, count);
    hw_cli_release_signals(NULL, NULL);
    free(temporary);
    return status;
}
