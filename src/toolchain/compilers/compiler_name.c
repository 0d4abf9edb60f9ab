// What compilers call themselves: asking one takes some milliseconds, clang 24 of them, so what it says is kept.
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "toolchain/cache/cache.h"
#include "toolchain/compilers/compilers.h"
#include "toolchain/process.h"

enum { NAME_BYTES = 64 };

// *version: what follows `before` in what a compiler says of itself; NULL: it does not say. HW_NO_MEMORY alone is a
// failure.
static hw_status ask_version(const char *path, const char *before, hw_arena *arena, const char **version) {
    const char *const argv[] = {path, "--version", NULL};
    const char *text = NULL;
    int exit_status = 1;
    *version = NULL;
    const hw_status status = hw_process_run(argv, NULL, arena, &text, &exit_status, NULL);
    if (status == HW_NO_MEMORY) return status;
    if (status != HW_OK || exit_status != 0) return HW_OK;
    const char *found = strstr(text, before);
    if (found) *version = found + strlen(before);
    return HW_OK;
}

static const char *word_of(const hw_compiler *compiler) {
    return compiler->kind == HW_COMPILER_NVCC ? "nvcc" : "clang";
}

static const char *ask_name(const hw_compiler *compiler, hw_arena *arena) {
    const char *version, *word = word_of(compiler);
    if (ask_version(compiler->path, compiler->kind == HW_COMPILER_NVCC ? ", V" : "clang version ", arena, &version))
        return NULL;
    int length = version ? (int)strspn(version, "0123456789.") : 0;
    return length ? hw_arena_printf(arena, "%s %.*s", word, length, version) : hw_arena_printf(arena, "%s", word);
}

// ---- In this process: the answer of the compiler that was asked last, as for each kernel one is chosen --------------

static pthread_mutex_t name_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    hw_hash compiler;
    char name[NAME_BYTES];
} last_name;

static const char *find_last(const hw_hash *key, hw_arena *arena) {
    const char *name = NULL;
    pthread_mutex_lock(&name_lock);
    if (*last_name.name && last_name.compiler.high == key->high && last_name.compiler.low == key->low)
        name = hw_arena_printf(arena, "%s", last_name.name);
    pthread_mutex_unlock(&name_lock);
    return name;
}

static void keep_last(const hw_hash *key, const char *name) {
    pthread_mutex_lock(&name_lock);
    last_name.compiler = *key;
    snprintf(last_name.name, sizeof last_name.name, "%s", strlen(name) < sizeof last_name.name ? name : "");
    pthread_mutex_unlock(&name_lock);
}

// ---- On disk: <cache>/<key>.name, the name and a newline ------------------------------------------------------------

// Is the file the compiler itself? A script, or ccache under a compiler's name, stays what it is when the compiler
// behind it changes: such are asked by each process.
static bool is_compiler_itself(const hw_compiler *compiler) {
    char real[PATH_MAX], head[4] = "";
    const char *word = word_of(compiler), *slash = realpath(compiler->path, real) ? strrchr(real, '/') : NULL;
    if (!slash || strncmp(slash + 1, word, strlen(word)) != 0) return false;
    const int file = open(real, O_RDONLY | O_CLOEXEC);
    const bool is_read = file >= 0 && read(file, head, sizeof head) == sizeof head;
    if (file >= 0) close(file);
    return is_read && !memcmp(head, "\177ELF", sizeof head);
}

static const char *path_of(const hw_compiler *compiler, const hw_hash *key, const char *cache_dir, hw_arena *arena) {
    char text[HW_HASH_TEXT];
    if (!cache_dir || !*cache_dir || !is_compiler_itself(compiler)) return NULL;
    hw_hash_text(key, text);
    return hw_arena_printf(arena, "%s/%s.name", cache_dir, text);
}

static const char *find_kept(const hw_compiler *compiler, const char *path, hw_arena *arena) {
    size_t length;
    char *text = path ? hw_cache_read_file(path, arena, &length) : NULL;
    const char *word = word_of(compiler);
    // What is not a name and the end of a line was not written whole.
    if (!text || length < 2 || length >= NAME_BYTES || strcspn(text, "\n") != length - 1 ||
        strncmp(text, word, strlen(word)) != 0)
        return NULL;
    text[length - 1] = '\0';
    return text;
}

static void keep(const char *path, const char *cache_dir, const char *name, hw_arena *arena) {
    const char *line = hw_arena_printf(arena, "%s\n", name);
    if (line && hw_cache_prepare(cache_dir, NULL) == HW_OK) hw_cache_write_file(path, line, strlen(line), arena);
}

const char *hw_compiler_name(const hw_compiler *compiler, const char *cache_dir, hw_arena *arena) {
    hw_hash key = hw_hash_start();
    hw_hash_number(&key, (uint64_t)compiler->kind);
    hw_compiler_identify(compiler->path, &key);
    const char *name = find_last(&key, arena);
    if (name) return name;
    const char *path = path_of(compiler, &key, cache_dir, arena);
    if (!(name = find_kept(compiler, path, arena))) {
        name = ask_name(compiler, arena);
        // One that did not say its version is asked again.
        if (name && path && strchr(name, ' ')) keep(path, cache_dir, name, arena);
    }
    if (name) keep_last(&key, name);
    return name;
}
