// Finding, making and trusting clang's precompiled headers.
#define _GNU_SOURCE
#include "toolchain/compilers/clang_headers.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "toolchain/cache/cache.h"
#include "toolchain/cache/depend.h"
#include "toolchain/process.h"
#include "toolchain/work_dir.h"

void hw_clang_headers_add(const char *kept, const char *include_dir, hw_args *args) {
    hw_args_add_words(args, kept ? "-fpch-instantiate-templates -Xclang -include-pch -Xclang" : "-include", ' ');
    if (kept) hw_args_add(args, kept);
    else hw_args_addf(args, "%s/cuda_runtime.h", include_dir);
}

// The file that names the headers, as make does.
static const char *list_of(const char *kept, hw_arena *arena) { return hw_arena_printf(arena, "%s.d", kept); }

static const char *path_of(const hw_clang_headers *wanted, hw_arena *arena) {
    static const char folder[] = "--cuda-path=";   // an empty one, another each time
    char text[HW_HASH_TEXT];
    hw_hash key = hw_hash_start();
    hw_hash_string(&key, "headers with their templates");
    hw_hash_string(&key, wanted->include_dir);
    for (size_t i = 0; i < wanted->pass->count; i++)
        if (strncmp(wanted->pass->items[i], folder, sizeof folder - 1)) hw_hash_string(&key, wanted->pass->items[i]);
    hw_compiler_identify(wanted->clang->path, &key);
    hw_process_hash_environment(&key);
    hw_hash_text(&key, text);
    return hw_arena_printf(arena, "%s/%s.pch", wanted->cache_dir, text);
}

static bool is_before(struct timespec a, struct timespec b) {
    return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

// No header was written since clang began to read them, which is the time that make_headers() gives the file: the time
// of the last change cannot be set by cp -p or a package.
static bool is_fresh(const char *kept, hw_arena *arena) {
    hw_depend files = {.arena = arena};
    struct stat own, info;
    const char *list = list_of(kept, arena);
    if (stat(kept, &own) != 0 || !list || !hw_depend_read(&files, list)) return false;
    for (size_t i = 0; i < files.count; i++)
        if (stat(files.paths[i], &info) != 0 || !is_before(info.st_ctim, own.st_mtim)) return false;
    return true;
}

// In a folder that goes with this process, however that ends, and inside the cache, so that files can be renamed.
static bool make_headers(const hw_clang_headers *wanted, const char *kept, hw_arena *arena) {
    hw_work_dir work_dir = {.lock = -1};
    hw_args args = {.arena = arena};
    struct timespec times[2];
    const char *words = NULL, *list = list_of(kept, arena);
    int exit_status = 1;
    if (!list || hw_cache_prepare(wanted->cache_dir, NULL) != HW_OK ||
        hw_work_dir_begin(wanted->cache_dir, "work", arena, &work_dir, NULL) != HW_OK)
        return false;
    const char *made = hw_arena_printf(arena, "%s/headers.pch", work_dir.path);
    const char *made_list = hw_arena_printf(arena, "%s/headers.d", work_dir.path);
    hw_args_add_all(&args, wanted->pass);
    hw_args_add_words(&args, "-fpch-instantiate-templates -Xclang -emit-pch -MD -MF", ' ');
    hw_args_add(&args, made_list);
    hw_args_add_words(&args, "-x cuda -o", ' ');
    hw_args_add(&args, made);
    // Not by way of a file that includes it: clang asks for all files again whenever it takes what was kept.
    hw_args_addf(&args, "%s/cuda_runtime.h", wanted->include_dir);
    // The clock that file times are taken from, which lags behind the precise one.
    clock_gettime(CLOCK_REALTIME_COARSE, &times[0]);
    times[1] = times[0];
    const bool is_made = !args.failed && made && made_list &&
                         hw_process_run(args.items, work_dir.path, arena, &words, &exit_status, NULL) == HW_OK &&
                         exit_status == 0 && utimensat(AT_FDCWD, made, times, 0) == 0 &&
                         (!wanted->is_for_program || rename(made_list, list) == 0) && rename(made, kept) == 0;
    hw_work_dir_discard(&work_dir);
    return is_made;
}

// Whether it was asked for before. The mark is an empty file.
static bool is_wanted_again(const char *kept, hw_arena *arena) {
    const char *mark = hw_arena_printf(arena, "%s.seen", kept);
    if (!mark || access(mark, F_OK) == 0) return mark != NULL;
    const int file = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file >= 0) close(file);
    return false;
}

const char *hw_clang_headers_find(const hw_clang_headers *wanted, hw_arena *arena) {
    if (!wanted->cache_dir || !*wanted->cache_dir || wanted->pass->failed) return NULL;
    const char *kept = path_of(wanted, arena);
    if (!kept) return NULL;
    if (access(kept, R_OK) == 0 && (!wanted->is_for_program || is_fresh(kept, arena))) return kept;
    if (wanted->is_for_program && !is_wanted_again(kept, arena)) return NULL;
    return make_headers(wanted, kept, arena) ? kept : NULL;
}
