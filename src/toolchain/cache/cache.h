// Compiled programs on disk. Under the cache directory lie
//   <key>.cu      what the program with this key was made of: its files with size, times and hash; text
//   <hash>/NAME   the program itself
// where the key stands for everything that is known before compiling. All is written under another name and renamed.
#ifndef HW_TOOLCHAIN_CACHE_H
#define HW_TOOLCHAIN_CACHE_H

#include <stdbool.h>
#include <time.h>

#include "base/arena.h"
#include "base/status.h"
#include "toolchain/cache/hash.h"
#include "toolchain/toolchain.h"
#include "toolchain/work_dir.h"

// Makes the directory and its parents.
hw_status hw_cache_prepare(const char *cache_dir, hw_diag *diag);

// True when a program with this key is there and none of its files has changed; fills executable and arch.
bool hw_cache_find(const char *cache_dir, const hw_hash *key, hw_arena *arena, hw_toolchain_result *result);

// Makes work_dir/name the program of this key. make_files: the dependency files (make's format) that the compiler
// wrote, count of them; started: before the compiler was. result->arch goes with it, result->executable is filled.
// Files that changed since the start are not remembered: the program is good for this once, stays in work_dir while
// this process lives, and is swept with what was left behind. Otherwise work_dir is released.
hw_status hw_cache_publish(const char *cache_dir, const hw_hash *key, hw_work_dir *work_dir, const char *name,
                           const char *const *make_files, size_t count, struct timespec started, hw_arena *arena,
                           hw_toolchain_result *result, hw_diag *diag);

// Reads a whole file into the arena, with a NUL behind it; NULL with errno set, ENOMEM where the arena has no room.
char *hw_cache_read_file(const char *path, hw_arena *arena, size_t *length);

// Writes a file in one step: other processes see all of it or nothing. Returns 0, or errno.
int hw_cache_write_file(const char *path, const void *bytes, size_t length, hw_arena *arena);

#endif
