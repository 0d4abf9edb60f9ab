// A folder is held by a lock on itself, which goes with its process however that ends.
#define _GNU_SOURCE
#include "toolchain/work_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { LOOKED_AT_ONCE = 8, ATTEMPTS = 16 };   // descriptors that nftw uses; new names before giving up

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place) {
    (void)info, (void)type, (void)place;
    return remove(path) != 0 && errno != ENOENT;
}

static void remove_all(const char *path) { nftw(path, remove_entry, LOOKED_AT_ONCE, FTW_DEPTH | FTW_PHYS); }

// NAME. and six letters or digits.
static bool is_work_dir(const char *entry, const char *name) {
    size_t length = strlen(name);
    return strlen(entry) == length + 7 && !strncmp(entry, name, length) && entry[length] == '.';
}

// Who holds the lock removes the folder, so that nobody begins to use it meanwhile (take_lock looks).
static void remove_unless_held(const char *path) {
    struct stat info;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return;
    if (fstat(folder, &info) == 0 && info.st_uid == geteuid() && flock(folder, LOCK_EX | LOCK_NB) == 0)
        remove_all(path);
    close(folder);
}

static void sweep_folder(const char *parent, const char *name) {
    char path[4096];
    DIR *entries = opendir(parent);
    struct dirent *entry;
    while (entries && (entry = readdir(entries)))
        if (is_work_dir(entry->d_name, name) &&
            snprintf(path, sizeof path, "%s/%s", parent, entry->d_name) < (int)sizeof path)
            remove_unless_held(path);
    if (entries) closedir(entries);
}

// -1 when another process, which saw the folder before it was locked, has removed it. Where a file system has no locks
// nobody gets one, and nothing is swept.
static int take_lock(const char *path) {
    struct stat info, there;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return -1;
    flock(folder, LOCK_EX);
    if (fstat(folder, &info) == 0 && stat(path, &there) == 0 && info.st_ino == there.st_ino) return folder;
    close(folder);
    return -1;
}

hw_status hw_work_dir_begin(const char *parent, const char *name, hw_arena *arena, hw_work_dir *out, hw_diag *diag) {
    *out = (hw_work_dir){.lock = -1};
    sweep_folder(parent, name);
    for (int i = 0; i < ATTEMPTS; i++) {
        char *path = hw_arena_printf(arena, "%s/%s.XXXXXX", parent, name);
        if (!path) return hw_diag_no_memory(diag);
        if (!mkdtemp(path)) break;
        out->lock = take_lock(path);
        if (out->lock < 0) continue;
        out->path = path;
        return HW_OK;
    }
    return hw_diag_errno(diag, errno, "cannot make a directory in %s", parent);
}

const char *hw_work_dir_room(const hw_work_dir *work_dir, char *text, size_t text_bytes) {
    enum { PLENTY = 8 << 20 };   // what a small program takes, with the compilers' own files
    struct statvfs info;
    text[0] = '\0';
    if (!work_dir->path || statvfs(work_dir->path, &info) != 0) return text;
    const unsigned long long left = (unsigned long long)info.f_bavail * info.f_frsize;
    const char *slash = strrchr(work_dir->path, '/');
    if (left < PLENTY)
        snprintf(text, text_bytes, "; only %llu kB are left in %.*s, where compilers write", left / 1000,
                 slash ? (int)(slash - work_dir->path) : 0, work_dir->path);
    return text;
}

void hw_work_dir_release(hw_work_dir *work_dir) {
    if (work_dir->path && work_dir->lock >= 0) close(work_dir->lock);
    *work_dir = (hw_work_dir){.lock = -1};
}

void hw_work_dir_discard(hw_work_dir *work_dir) {
    if (work_dir->path) remove_all(work_dir->path);
    hw_work_dir_release(work_dir);
}
