// Which program belongs to which key, and whether it is still what its sources say.
#define _GNU_SOURCE
#include "toolchain/cache/cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toolchain/args.h"
#include "toolchain/cache/depend.h"

// A change of this line makes every older cache unread.
static const char first_line[] = "halfwarp program 1";

// One line per file: size, times, hash, path. The change time cannot be set by touch or cp -p, so that equal times and
// size mean the same file; where they differ, the hash decides.
static bool same_file(const char *line) {
    unsigned long long size;
    long long mtime, mtime_ns, ctime, ctime_ns;
    char hash_text[HW_HASH_TEXT], now_text[HW_HASH_TEXT];
    int at = 0;
    struct stat info;
    if (sscanf(line, "file %llu %lld.%lld %lld.%lld %32s %n", &size, &mtime, &mtime_ns, &ctime, &ctime_ns, hash_text,
               &at) < 6 ||
        !at || stat(line + at, &info) != 0)
        return false;
    if ((unsigned long long)info.st_size != size) return false;
    if (info.st_mtim.tv_sec == mtime && info.st_mtim.tv_nsec == mtime_ns && info.st_ctim.tv_sec == ctime &&
        info.st_ctim.tv_nsec == ctime_ns)
        return true;
    hw_hash hash = hw_hash_start();
    if (hw_hash_file(line + at, &hash) != 0) return false;
    hw_hash_text(&hash, now_text);
    return !strcmp(now_text, hash_text);
}

static const char *key_path(const char *cache_dir, const hw_hash *key, hw_arena *arena) {
    char text[HW_HASH_TEXT];
    hw_hash_text(key, text);
    return hw_arena_printf(arena, "%s/%s.cu", cache_dir, text);
}

bool hw_cache_find(const char *cache_dir, const hw_hash *key, hw_arena *arena, hw_toolchain_result *result) {
    const char *path = key_path(cache_dir, key, arena), *program = NULL;
    size_t length;
    char *text = path ? hw_cache_read_file(path, arena, &length) : NULL, *rest = NULL;
    int arch = 0;
    if (!text) return false;
    char *line = strtok_r(text, "\n", &rest);
    if (!line || strcmp(line, first_line) != 0) return false;
    while ((line = strtok_r(NULL, "\n", &rest))) {
        if (!strncmp(line, "arch ", 5)) arch = atoi(line + 5);
        else if (!strncmp(line, "program ", 8)) program = line + 8;
        else if (!same_file(line)) return false;
    }
    if (!arch || !program) return false;
    int written = snprintf(result->executable, sizeof result->executable, "%s/%s", cache_dir, program);
    result->arch = arch;
    return written < (int)sizeof result->executable && access(result->executable, X_OK) == 0;
}

static bool is_before(struct timespec a, struct timespec b) {
    return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

// The lines for the files; `all` takes in every hash. NULL when a file is gone or changed after the start.
static char *describe_files(const hw_depend *files, struct timespec started, hw_arena *arena, hw_hash *all) {
    hw_args lines = {.arena = arena};
    for (size_t i = 0; i < files->count; i++) {
        struct stat info;
        hw_hash hash = hw_hash_start();
        char hash_text[HW_HASH_TEXT];
        if (stat(files->paths[i], &info) != 0 || !is_before(info.st_mtim, started) ||
            !is_before(info.st_ctim, started) || hw_hash_file(files->paths[i], &hash) != 0)
            return NULL;
        hw_hash_text(&hash, hash_text);
        hw_hash_string(all, files->paths[i]);
        hw_hash_string(all, hash_text);
        hw_args_addf(&lines, "file %lld %lld.%ld %lld.%ld %s %s\n", (long long)info.st_size,
                     (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec, (long long)info.st_ctim.tv_sec,
                     info.st_ctim.tv_nsec, hash_text, files->paths[i]);
    }
    return hw_args_join(&lines);
}

// Gives the work directory its lasting name. Where another process was first, its program is the same: ours goes. The
// directory's name, without the cache's.
static const char *settle_folder(const char *cache_dir, hw_work_dir *work_dir, const char *name, const hw_hash *all,
                                 hw_arena *arena) {
    char text[HW_HASH_TEXT];
    hw_hash_text(all, text);
    const char *lasting = hw_arena_printf(arena, "%s/%s", cache_dir, text);
    const char *theirs = hw_arena_printf(arena, "%s/%s/%s", cache_dir, text, name);
    const char *own = work_dir->path + strlen(cache_dir) + 1;
    if (!lasting || !theirs) return own;
    if (rename(work_dir->path, lasting) == 0) {
        hw_work_dir_release(work_dir);
        return hw_arena_printf(arena, "%s", text);
    }
    if (access(theirs, X_OK) != 0) return own;
    hw_work_dir_discard(work_dir);
    return hw_arena_printf(arena, "%s", text);
}

hw_status hw_cache_publish(const char *cache_dir, const hw_hash *key, hw_work_dir *work_dir, const char *name,
                           const char *const *make_files, size_t count, struct timespec started, hw_arena *arena,
                           hw_toolchain_result *result, hw_diag *diag) {
    hw_depend files = {.arena = arena};
    hw_hash all = *key;
    bool complete = true;
    for (size_t i = 0; i < count; i++) {
        complete = hw_depend_read(&files, make_files[i]) && complete;
        unlink(make_files[i]);
    }
    char *lines = complete && files.count ? describe_files(&files, started, arena, &all) : NULL;
    const char *folder = work_dir->path + strlen(cache_dir) + 1;
    if (lines) folder = settle_folder(cache_dir, work_dir, name, &all, arena);
    if (!folder) return hw_diag_no_memory(diag);
    if (lines) {
        const char *text = hw_arena_printf(arena, "%s\narch %d\nprogram %s/%s\n%s", first_line, result->arch, folder,
                                           name, lines);
        const char *path = key_path(cache_dir, key, arena);
        // A full disk costs the next run its time, and this one nothing.
        if (text && path) hw_cache_write_file(path, text, strlen(text), arena);
    }
    int length = snprintf(result->executable, sizeof result->executable, "%s/%s/%s", cache_dir, folder, name);
    if (length >= (int)sizeof result->executable)
        return hw_diag_set(diag, HW_IO, "the cache directory's name is too long: %s", cache_dir);
    return HW_OK;
}
