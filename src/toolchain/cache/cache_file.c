// Files of the cache: read whole, written whole.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toolchain/cache/cache.h"

hw_status hw_cache_prepare(const char *cache_dir, hw_diag *diag) {
    char path[4096];
    size_t length = cache_dir ? strlen(cache_dir) : 0;
    if (!length || length >= sizeof path)
        return hw_diag_set(diag, HW_USAGE, "the cache directory has no name, or one that is too long");
    memcpy(path, cache_dir, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        char kept = path[i];
        path[i] = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return hw_diag_errno(diag, errno, "cannot make the cache directory %s", path);
        path[i] = kept;
    }
    if (access(cache_dir, W_OK | X_OK) != 0)
        return hw_diag_errno(diag, errno, "cannot write to the cache directory %s", cache_dir);
    return HW_OK;
}

char *hw_cache_read_file(const char *path, hw_arena *arena, size_t *length) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    char *text = NULL;
    if (file < 0) return NULL;
    int failure = fstat(file, &info) != 0 ? errno : info.st_size < 0 ? EINVAL : 0;
    if (!failure && !(text = hw_arena_take(arena, (size_t)info.st_size + 1))) failure = ENOMEM;
    for (size_t got = 0; !failure;) {
        const ssize_t step = read(file, text + got, (size_t)info.st_size - got);
        if (step < 0 && errno == EINTR) continue;
        if (step < 0) failure = errno;
        if (step <= 0) {
            text[got] = '\0';
            *length = got;
            break;
        }
        got += (size_t)step;
    }
    close(file);
    errno = failure;   // which nothing before tells of: hw_arena_take sets none
    return failure ? NULL : text;
}

static int write_fully(int file, const char *bytes, size_t length) {
    while (length) {
        ssize_t step = write(file, bytes, length);
        if (step < 0 && errno == EINTR) continue;
        if (step < 0) return errno;
        bytes += step;
        length -= (size_t)step;
    }
    return 0;
}

int hw_cache_write_file(const char *path, const void *bytes, size_t length, hw_arena *arena) {
    char *temporary = hw_arena_printf(arena, "%s.XXXXXX", path);
    int file = temporary ? mkostemp(temporary, O_CLOEXEC) : -1;
    if (file < 0) return temporary ? errno : ENOMEM;
    int failure = write_fully(file, bytes, length);
    if (fchmod(file, 0644) != 0 && !failure) failure = errno;
    if (close(file) != 0 && !failure) failure = errno;
    if (!failure && rename(temporary, path) != 0) failure = errno;
    if (failure) unlink(temporary);
    return failure;
}
