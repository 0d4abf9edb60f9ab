// Looking for nvcc and clang.
#define _GNU_SOURCE
#include "toolchain/compilers/compilers.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "toolchain/process.h"

// 19 of "clang-19"; 0 for other names, clang-format-19 among them.
static int clang_version_in_name(const char *name) {
    if (strncmp(name, "clang-", 6) != 0 || !isdigit((unsigned char)name[6])) return 0;
    char *end;
    long version = strtol(name + 6, &end, 10);
    return *end || version > 999 ? 0 : (int)version;
}

// The newest clang-NN in any directory of the list.
static void find_numbered_clang(const char *search_path, hw_arena *arena, hw_compiler *best) {
    for (const char *at = search_path; at && *at;) {
        size_t length = strcspn(at, ":");
        const char *folder = hw_arena_string(arena, at, length);
        DIR *entries = folder && length ? opendir(folder) : NULL;
        struct dirent *entry;
        while (entries && (entry = readdir(entries))) {
            int version = clang_version_in_name(entry->d_name);
            if (version < HW_CLANG_OLDEST || version <= best->clang_major) continue;
            const char *path = hw_process_find(folder, entry->d_name, arena);
            if (path) *best = (hw_compiler){HW_COMPILER_CLANG, path, version};
        }
        if (entries) closedir(entries);
        at += length + (at[length] == ':');
    }
}

// *version 0: it does not say. HW_NO_MEMORY alone is a failure.
static hw_status ask_clang_version(const char *path, const char *cache_dir, hw_arena *arena, int *version,
                                   hw_diag *diag) {
    const hw_compiler clang = {.kind = HW_COMPILER_CLANG, .path = path};
    const char *name = hw_compiler_name(&clang, cache_dir, arena);
    if (!name) return hw_diag_no_memory(diag);
    *version = atoi(name + strlen("clang"));
    return HW_OK;
}

static int same_file(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

// The newest: clang-NN by its name; plain clang is asked for its version where it is another file.
static hw_status find_clang(const hw_toolchain_options *options, hw_arena *arena, hw_compiler *best, hw_diag *diag) {
    int version = 0;
    find_numbered_clang(options->search_path, arena, best);
    const char *plain = hw_process_find(options->search_path, "clang", arena);
    // Without memory to look with, what was found need not be the newest, nor what was not found absent.
    if (hw_arena_ran_out(arena)) return hw_diag_no_memory(diag);
    if (!plain || (best->path && same_file(plain, best->path))) return HW_OK;
    hw_status status = ask_clang_version(plain, options->cache_dir, arena, &version, diag);
    if (status == HW_OK && version >= HW_CLANG_OLDEST && version > best->clang_major)
        *best = (hw_compiler){HW_COMPILER_CLANG, plain, version};
    return status;
}

// The last line that says something, without its end: what a program that gave up says last is why.
static const char *last_line(const char *text, hw_arena *arena) {
    const char *line = text;
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n')
        if (*at != '\n') line = at;
    return hw_arena_string(arena, line, strcspn(line, "\n"));
}

static hw_status ask_nvcc(const char *const *argv, const char *cannot, hw_arena *arena, hw_diag *diag) {
    const char *text = NULL;
    int exit_status = 1;
    hw_diag why = {0};
    hw_status status = hw_process_run(argv, NULL, arena, &text, &exit_status, &why);
    if (status == HW_NO_MEMORY) return hw_diag_no_memory(diag);
    if (status) return hw_diag_set(diag, HW_NOT_FOUND, "nvcc %s: %s", cannot, why.text);
    if (!exit_status) return HW_OK;
    const char *line = last_line(text, arena);
    if (line && *line)
        return hw_diag_set(diag, HW_NOT_FOUND, "nvcc %s: %s says: %s", cannot, argv[0], line);
    return hw_diag_set(diag, HW_NOT_FOUND, "nvcc %s: %s ended with status %d", cannot, argv[0], exit_status);
}

hw_status hw_compiler_check_nvcc(const char *path, hw_arena *arena, hw_diag *diag) {
    const char *const argv[] = {path, "--version", NULL};
    return ask_nvcc(argv, "does not start", arena, diag);
}

hw_status hw_compiler_check_compiles(const char *path, hw_arena *arena, hw_diag *diag) {
    const char *const argv[] = {path, "-M", "-x", "cu", "/dev/null", NULL};
    return ask_nvcc(argv, "cannot compile even an empty file", arena, diag);
}

// An nvcc that is this program, whatever that is called, or another build of it, under nvcc's name.
static bool is_halfwarp(const char *path) {
    char real[PATH_MAX];
    const char *slash = realpath(path, real) ? strrchr(real, '/') : NULL;
    return (slash && !strcmp(slash + 1, "halfwarp")) || same_file(path, "/proc/self/exe");
}

const char *hw_compiler_path_of_others(const char *search_path, hw_arena *arena) {
    // A folder with these is one of a system's, without which no compiler works.
    static const char *const needed[] = {"sh", "cc", "g++"};
    hw_args kept = {.arena = arena};
    for (const char *at = search_path; at && *at;) {
        const size_t length = strcspn(at, ":");
        const char *folder = hw_arena_string(arena, at, length);
        const char *nvcc = folder && length ? hw_process_find(folder, "nvcc", arena) : NULL;
        bool stays = !nvcc || !is_halfwarp(nvcc);
        for (size_t i = 0; !stays && i < sizeof needed / sizeof needed[0]; i++)
            stays = hw_process_find(folder, needed[i], arena) != NULL;
        if (stays) hw_args_addf(&kept, "%s%s", kept.count ? ":" : "", folder ? folder : "");
        at += length + (at[length] == ':');
    }
    const char *path = kept.failed ? NULL : hw_args_join(&kept);
    return hw_arena_ran_out(arena) ? NULL : path;
}

const char *hw_compiler_find_nvcc(const char *search_path, hw_arena *arena) {
    for (const char *at = search_path; at && *at;) {
        size_t length = strcspn(at, ":");
        const char *folder = length ? hw_arena_string(arena, at, length) : NULL;
        const char *path = folder ? hw_process_find(folder, "nvcc", arena) : NULL;
        if (path && !is_halfwarp(path)) return path;
        at += length + (at[length] == ':');
    }
    return NULL;
}

hw_status hw_compiler_choose(const hw_toolchain_options *options, hw_arena *arena, hw_compiler *compiler,
                             hw_diag *diag) {
    *compiler = (hw_compiler){0};
    if (options->compiler != HW_COMPILER_CLANG && !options->hide_nvcc) {
        const char *nvcc = hw_compiler_find_nvcc(options->search_path, arena);
        if (hw_arena_ran_out(arena)) return hw_diag_no_memory(diag);
        if (nvcc) {
            *compiler = (hw_compiler){HW_COMPILER_NVCC, nvcc, 0};
            return HW_OK;
        }
    }
    if (options->compiler == HW_COMPILER_NVCC)
        return hw_diag_set(diag, HW_NOT_FOUND,
                           "there is no nvcc on PATH; install the CUDA toolkit, or clang (apt-get install clang)");
    hw_status status = find_clang(options, arena, compiler, diag);
    if (status != HW_OK || compiler->path) return status;
    return hw_diag_set(diag, HW_NOT_FOUND,
                       "there is no CUDA compiler on PATH: install clang %d or newer (apt-get install clang), or nvcc",
                       HW_CLANG_OLDEST);
}

void hw_compiler_prefer_arch(int *best, int candidate, int cc) {
    if (!*best) *best = candidate;
    else if (candidate <= cc ? candidate > *best || *best > cc : *best > cc && candidate < *best) *best = candidate;
}

static int clang_arch(int clang_major, int cc) {
    int best = 0;
#define HW_CLANG_PTX(major, ptx)
#define HW_CLANG_ARCH(arch, since) if (clang_major >= since) hw_compiler_prefer_arch(&best, arch, cc);
#include "toolchain/compilers/clang.def"
#undef HW_CLANG_PTX
#undef HW_CLANG_ARCH
    return best;
}

int hw_compiler_clang_arch_after(const hw_compiler *clang, int arch) {
    int next = 0;
#define HW_CLANG_PTX(major, ptx)
#define HW_CLANG_ARCH(cc, since) if (clang->clang_major >= since && cc > arch && (!next || cc < next)) next = cc;
#include "toolchain/compilers/clang.def"
#undef HW_CLANG_PTX
#undef HW_CLANG_ARCH
    return next;
}

int hw_compiler_clang_ptx(int clang_major) {
    int best = 0;
#define HW_CLANG_PTX(major, ptx) if (clang_major >= major) best = ptx;
#define HW_CLANG_ARCH(arch, since)
#include "toolchain/compilers/clang.def"
#undef HW_CLANG_PTX
#undef HW_CLANG_ARCH
    return best;
}

hw_status hw_compiler_arch(const hw_compiler *compiler, int cc, hw_arena *arena, int *arch, hw_diag *diag) {
    *arch = 0;
    if (compiler->kind == HW_COMPILER_CLANG) {
        *arch = clang_arch(compiler->clang_major, cc);
        return HW_OK;
    }
    const char *const argv[] = {compiler->path, "--list-gpu-arch", NULL};
    static const char word[] = "compute_";
    const char *text = NULL;
    int exit_status = 1;
    hw_status status = hw_process_run(argv, NULL, arena, &text, &exit_status, diag);
    if (status != HW_OK) return status;
    for (const char *at = text; (at = strstr(at, word));) {
        char *end;
        long known = strtol(at + strlen(word), &end, 10);
        // compute_90a is for one GPU's machine code and no better for us.
        if (known > 0 && known < 10000 && !isalnum((unsigned char)*end)) hw_compiler_prefer_arch(arch, (int)known, cc);
        at = end;
    }
    if (*arch) return HW_OK;
    return hw_diag_set(diag, HW_NOT_FOUND, "%s --list-gpu-arch names no architecture (exit status %d)",
                       compiler->path, exit_status);
}

void hw_compiler_identify(const char *path, hw_hash *hash) {
    char real[PATH_MAX];
    struct stat info;
    hw_hash_string(hash, path);
    if (!path || !realpath(path, real) || stat(real, &info) != 0) return;
    hw_hash_string(hash, real);
    hw_hash_number(hash, (uint64_t)info.st_size);
    hw_hash_number(hash, (uint64_t)info.st_mtim.tv_sec);
    hw_hash_number(hash, (uint64_t)info.st_mtim.tv_nsec);
}

// Not alphasort, which asks the language's rules and takes half of the time.
static int by_bytes(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }
static int is_shown(const struct dirent *entry) { return entry->d_name[0] != '.'; }

// In the order of their names, folders with what is in them.
void hw_compiler_identify_headers(const char *include_dir, hw_hash *hash) {
    struct dirent **entries = NULL;
    int count = include_dir ? scandir(include_dir, &entries, is_shown, by_bytes) : 0;
    hw_hash_string(hash, include_dir);
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        struct stat info;
        bool is_there = snprintf(path, sizeof path, "%s/%s", include_dir, entries[i]->d_name) < (int)sizeof path &&
                        stat(path, &info) == 0;
        free(entries[i]);
        if (is_there && S_ISDIR(info.st_mode)) hw_compiler_identify_headers(path, hash);
        if (!is_there || !S_ISREG(info.st_mode)) continue;
        hw_hash_string(hash, path);
        hw_hash_number(hash, (uint64_t)info.st_size);
        hw_hash_number(hash, (uint64_t)info.st_mtim.tv_sec);
        hw_hash_number(hash, (uint64_t)info.st_mtim.tv_nsec);
    }
    free(entries);
}

void hw_compiler_add_old_headers(const char *include_dir, hw_args *args) {
    hw_args_add(args, "-isystem");
    hw_args_addf(args, "%s/old", include_dir);
}

void hw_compiler_add_old_headers_of_nvcc(const char *include_dir, hw_args *args) {
    hw_args_add(args, "-isystem");
    hw_args_addf(args, strchr(include_dir, ',') ? "\"%s/old\"" : "%s/old", include_dir);
}
