// Finding, making and trusting clang's precompiled headers.
#define _GNU_SOURCE
#include "toolchain/compilers/clang_headers.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
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

// ---- The user's words -----------------------------------------------------------------------------------------------

// Those with a word of their own behind them, as arguments.def writes them: they are not in the command that makes the
// header, if what is kept is the same without them.
static bool names_folder(const char *word) { return !strcmp(word, "-I") || !strcmp(word, "-isystem"); }
static bool names_macro(const char *word) { return !strcmp(word, "-D") || !strcmp(word, "-U"); }

// The others that may be there: they decide what is kept, and name no files.
static bool is_known(const char *word) {
    static const char *const beginnings[] = {"-O", "-std=", "-f", "-g", "-m", "-W", "-w", "-pthread"};
    if (!strncmp(word, "-Wp,", 4) || !strncmp(word, "-Werror", 7)) return false;
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        if (!strncmp(word, beginnings[i], strlen(beginnings[i]))) return true;
    return false;
}

// Would a search of the folder find one of the files? Each may have been asked for by any end of its path.
static bool has_header(const char *folder, const hw_depend *files, hw_arena *arena) {
    if (access(folder, F_OK) != 0) return false;
    for (size_t i = 0; i < files->count; i++)
        for (const char *slash = files->paths[i]; (slash = strchr(slash, '/')); slash++) {
            if (!strncmp(slash, "/../", 4)) continue;
            const char *path = hw_arena_printf(arena, "%s%s", folder, slash);
            if (!path || access(path, F_OK) == 0) return true;
        }
    return false;
}

// Puts blanks in place of comments, which name half of the alphabet. What looks like a string ends with its line.
static void hide_comments(char *text) {
    for (char *at = text, quote = 0; *at; at++) {
        if (quote) {
            if (*at == '\\' && at[1]) at++;
            else if (*at == quote || *at == '\n') quote = 0;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (*at == '/' && (at[1] == '/' || at[1] == '*')) {
            const bool is_line = at[1] == '/';
            const char *end = is_line ? strchr(at, '\n') : strstr(at + 2, "*/");
            const size_t length = !end ? strlen(at) : (size_t)(end - at) + (is_line ? 0 : 2);
            memset(at, ' ', length);
            at += length - 1;
        }
    }
}

static bool is_in_name(char c) { return c == '_' || isalnum((unsigned char)c); }

// Does one of the files say NAME of "NAME", "NAME=2" or "NAME(x)=x"?
static bool names(const hw_depend *files, const char *macro, hw_arena *arena) {
    size_t length = 0, bytes;
    while (is_in_name(macro[length])) length++;
    for (size_t i = 0; length && i < files->count; i++) {
        char *text = hw_cache_read_file(files->paths[i], arena, &bytes);
        if (!text) return true;
        hide_comments(text);
        for (const char *at = text; (at = memmem(at, bytes - (size_t)(at - text), macro, length)); at += length)
            if ((at == text || !is_in_name(at[-1])) && !is_in_name(at[length])) return true;
    }
    return length == 0;
}

// Whether the headers, which are in these files, say the same with the user's words and without.
static bool are_indifferent(const hw_args *own, const hw_depend *files, hw_arena *arena) {
    for (size_t i = 0; i + 1 < own->count; i++) {
        const char *word = own->items[i], *value = own->items[i + 1];
        if (names_folder(word) ? has_header(value, files, arena) : names_macro(word) && names(files, value, arena))
            return false;
        i += names_folder(word) || names_macro(word);
    }
    return true;
}

// Adds the words of the pass that the header is made with. False where one of the user's words is not known.
static bool take_words(const hw_clang_headers *wanted, hw_args *words) {
    for (size_t i = 0; wanted->own && i < wanted->own->count; i++) {
        const char *word = wanted->own->items[i];
        if (names_folder(word) || names_macro(word)) i++;
        else if (!is_known(word)) return false;
    }
    for (size_t i = 0; i < wanted->pass->count; i++) {
        const char *word = wanted->pass->items[i];
        if (wanted->own && (names_folder(word) || names_macro(word))) i++;
        else hw_args_add(words, word);
    }
    return !words->failed;
}

// ---- The header and the list of its files ---------------------------------------------------------------------------

static const char *path_of(const hw_clang_headers *wanted, const hw_args *words, hw_arena *arena) {
    static const char folder[] = "--cuda-path=";   // an empty one, another each time
    char text[HW_HASH_TEXT];
    hw_hash key = hw_hash_start();
    hw_hash_string(&key, "headers with their templates");
    hw_hash_string(&key, wanted->include_dir);
    for (size_t i = 0; i < words->count; i++)
        if (strncmp(words->items[i], folder, sizeof folder - 1)) hw_hash_string(&key, words->items[i]);
    hw_compiler_identify(wanted->clang->path, &key);
    hw_process_hash_environment(&key);
    hw_hash_text(&key, text);
    return hw_arena_printf(arena, "%s/%s.pch", wanted->cache_dir, text);
}

static bool is_before(struct timespec a, struct timespec b) {
    return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

// No header was written since clang began to read them, which is the time that make_headers() gives the file: the time
// of the last change cannot be set by cp -p or a package. Reads the list of files.
static bool is_fresh(const char *kept, hw_depend *files) {
    struct stat own, info;
    const char *list = list_of(kept, files->arena);
    if (stat(kept, &own) != 0 || !list || !hw_depend_read(files, list)) return false;
    for (size_t i = 0; i < files->count; i++)
        if (stat(files->paths[i], &info) != 0 || !is_before(info.st_ctim, own.st_mtim)) return false;
    return true;
}

// In a folder that goes with this process, however that ends, and inside the cache, so that files can be renamed.
static bool make_headers(const hw_clang_headers *wanted, const hw_args *words, const char *kept, hw_arena *arena) {
    hw_work_dir work_dir = {.lock = -1};
    hw_args args = {.arena = arena};
    struct timespec times[2];
    const char *said = NULL, *list = list_of(kept, arena);
    int exit_status = 1;
    if (!list || hw_cache_prepare(wanted->cache_dir, NULL) != HW_OK ||
        hw_work_dir_begin(wanted->cache_dir, "work", arena, &work_dir, NULL) != HW_OK)
        return false;
    const char *made = hw_arena_printf(arena, "%s/headers.pch", work_dir.path);
    const char *made_list = hw_arena_printf(arena, "%s/headers.d", work_dir.path);
    hw_args_add_all(&args, words);
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
                         hw_process_run(args.items, work_dir.path, arena, &said, &exit_status, NULL) == HW_OK &&
                         exit_status == 0 && utimensat(AT_FDCWD, made, times, 0) == 0 &&
                         (!wanted->own || rename(made_list, list) == 0) && rename(made, kept) == 0;
    hw_work_dir_discard(&work_dir);
    return is_made;
}

// Makes a program's when it is asked for again. The mark is an empty file, which who makes it has locked: of several
// compilations at a time one does, and the others read the headers themselves.
static bool make_when_asked_again(const hw_clang_headers *wanted, const hw_args *words, const char *kept,
                                  hw_arena *arena) {
    const char *mark = hw_arena_printf(arena, "%s.seen", kept);
    if (!mark || hw_cache_prepare(wanted->cache_dir, NULL) != HW_OK) return false;
    int file = open(mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    const bool is_first = file >= 0;
    if (!is_first) file = open(mark, O_WRONLY | O_CLOEXEC);
    const bool is_made = !is_first && file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0 &&
                         make_headers(wanted, words, kept, arena);
    if (file >= 0) close(file);
    return is_made;
}

const char *hw_clang_headers_find(const hw_clang_headers *wanted, hw_arena *arena) {
    hw_args words = {.arena = arena};
    hw_depend files = {.arena = arena};
    if (!wanted->cache_dir || !*wanted->cache_dir || wanted->pass->failed || !take_words(wanted, &words)) return NULL;
    const char *kept = path_of(wanted, &words, arena);
    if (!kept) return NULL;
    const bool is_there = access(kept, R_OK) == 0;
    if (!wanted->own) return is_there || make_headers(wanted, &words, kept, arena) ? kept : NULL;
    if (!is_there || !is_fresh(kept, &files)) {
        files.count = 0;
        if (!make_when_asked_again(wanted, &words, kept, arena) || !is_fresh(kept, &files)) return NULL;
    }
    return are_indifferent(wanted->own, &files, arena) ? kept : NULL;
}
