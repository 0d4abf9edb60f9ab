// An object is named for everything that it depends on: text, flags, and the compiler that made it.
#include "compile/build.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "toolchain/cache/cache.h"
#include "toolchain/compilers/compilers.h"
#include "toolchain/process.h"

// As cmake/core.cmake compiles the interpreter's bodies, so that both give the same bits.
#define EVERYWHERE "-std=gnu11", "-O3", "-w", "-fPIC", "-shared", "-ffp-contract=off", "-fno-strict-aliasing", \
                   "-fno-math-errno", "-fno-trapping-math"
#define AVX2 "-mavx2", "-mfma", "-mbmi", "-mbmi2", "-mf16c"
#define AVX512 "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", AVX2, "-mprefer-vector-width=512"

typedef struct level_row {
    const char *level;
    const char *const *flags;
} level_row;
static const char *const flags_base[] = {EVERYWHERE, NULL};
static const char *const flags_avx2[] = {EVERYWHERE, AVX2, NULL};
static const char *const flags_avx512[] = {EVERYWHERE, AVX512, NULL};
static const level_row levels[] = {{"base", flags_base}, {"avx2", flags_avx2}, {"avx512", flags_avx512}};

enum { MOST_ARGUMENTS = 40 };

static const char *const *flags_of(const char *level) {
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++)
        if (!strcmp(levels[k].level, level)) return levels[k].flags;
    return NULL;
}

const char *hw_compile_find_compiler(const char *search_path, hw_arena *arena) {
    static const char *const names[] = {"cc", "gcc", "clang"};
    const char *found = NULL;
    for (size_t k = 0; k < sizeof names / sizeof *names && !found; k++)
        found = hw_process_find(search_path, names[k], arena);
    return found;
}

static void name_object(const hw_compile_tools *tools, const char *const *flags, const char *text, size_t length,
                        char name[HW_HASH_TEXT]) {
    hw_hash hash = hw_hash_start();
    hw_compiler_identify(tools->compiler, &hash);
    for (size_t k = 0; flags[k]; k++) hw_hash_string(&hash, flags[k]);
    hw_hash_bytes(&hash, text, length);
    hw_hash_text(&hash, name);
}

// A folder for temporary files: that of the cache, or the system's.
static const char *work_parent(const hw_compile_tools *tools) {
    const char *system = getenv("TMPDIR");
    if (tools->cache_dir) return tools->cache_dir;
    return system && *system ? system : "/tmp";
}

static hw_status run_compiler(const hw_compile_tools *tools, const char *const *flags, const char *work,
                              const char *text, size_t length, hw_arena *arena, const char **out, hw_diag *diag) {
    const char *in = hw_arena_printf(arena, "%s/kernel.c", work);
    *out = hw_arena_printf(arena, "%s/kernel.so", work);
    if (!in || !*out) return hw_diag_no_memory(diag);
    int failure = hw_cache_write_file(in, text, length, arena), exit_status = 0;
    if (failure) return hw_diag_errno(diag, failure, "cannot write %s", in);
    const char *argv[MOST_ARGUMENTS] = {tools->compiler}, *said = "";
    size_t n = 1;
    while (flags[n - 1]) argv[n] = flags[n - 1], n++;
    argv[n++] = in, argv[n++] = "-o", argv[n++] = *out, argv[n++] = "-lm";
    hw_status status = hw_process_run(argv, work, arena, &said, &exit_status, diag);
    if (status != HW_OK || !exit_status) return status;
    return hw_diag_set(diag, HW_UNSUPPORTED, "%s does not compile a kernel's text: %.*s", tools->compiler,
                       (int)strcspn(said, "\n"), said);
}

static hw_status load(const char *path, void **object, hw_diag *diag) {
    *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return *object ? HW_OK : hw_diag_set(diag, HW_IO, "cannot load a compiled kernel: %s", dlerror());
}

hw_status hw_compile_build(const hw_compile_tools *tools, const char *text, size_t length, hw_arena *arena,
                           void **object, hw_diag *diag) {
    const char *const *flags = flags_of(tools->level);
    char name[HW_HASH_TEXT];
    if (!flags) return hw_diag_set(diag, HW_UNSUPPORTED, "there is no code for level %s", tools->level);
    name_object(tools, flags, text, length, name);
    const char *kept = tools->cache_dir ? hw_arena_printf(arena, "%s/%s.so", tools->cache_dir, name) : NULL;
    if (kept && access(kept, R_OK) == 0 && load(kept, object, diag) == HW_OK) return HW_OK;
    hw_work_dir work;
    const char *out;
    hw_status status = tools->cache_dir ? hw_cache_prepare(tools->cache_dir, diag) : HW_OK;
    if (status == HW_OK) status = hw_work_dir_begin(work_parent(tools), "kernel", arena, &work, diag);
    if (status != HW_OK) return status;
    status = run_compiler(tools, flags, work.path, text, length, arena, &out, diag);
    if (status == HW_OK && kept && rename(out, kept) == 0) out = kept;
    if (status == HW_OK) status = load(out, object, diag);
    hw_work_dir_discard(&work);
    return status;
}
