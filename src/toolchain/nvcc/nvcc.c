// One command of nvcc's: its words, the compiler that is there for them, and their way.
#define _GNU_SOURCE
#include "toolchain/nvcc/nvcc.h"

#include <string.h>

#include "toolchain/nvcc/nvcc_route.h"
#include "toolchain/process.h"

static hw_status run_real(const char *nvcc, const hw_args *words, int *exit_status, hw_diag *diag) {
    hw_args real = {.arena = words->arena};
    hw_status status = hw_nvcc_add_real(nvcc, words, &real, diag);
    return status ? status : hw_process_run_openly(real.items, exit_status, diag);
}

static void print(const hw_nvcc_settings *settings, const char *text) {
    if (text) settings->print(settings->user, text, strlen(text));
}

// Words that ask about the compiler, and have nothing compiled. False when there are none. CMake and Meson look for the
// driver's name and the V with the version, with which the text ends.
static bool answer(const hw_nvcc_settings *settings, const hw_args *words, const hw_compiler *clang, hw_arena *arena) {
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i] + (words->items[i][0] == '-' && words->items[i][1] == '-');
        if (!strcmp(word, "-version") || !strcmp(word, "-V")) {
            print(settings, hw_arena_printf(arena, "%s with clang %d, in place of\n"
                                                   "nvcc: NVIDIA (R) Cuda compiler driver\n"
                                                   "Cuda compilation tools, release %s, V%s.0\n",
                                            settings->name, clang->clang_major, HW_NVCC_RELEASE, HW_NVCC_RELEASE));
            return true;
        }
        const bool asks_arch = !strcmp(word, "-list-gpu-arch") || !strcmp(word, "-arch-ls");
        if (!asks_arch && strcmp(word, "-list-gpu-code") && strcmp(word, "-code-ls")) continue;
        for (int arch = 0; (arch = hw_compiler_clang_arch_after(clang, arch));)
            print(settings, hw_arena_printf(arena, "%s_%d\n", asks_arch ? "compute" : "sm", arch));
        return true;
    }
    return false;
}

static hw_status run_clang(const hw_nvcc_settings *settings, const hw_args *words, hw_arena *arena,
                           const hw_compiler *clang, int *exit_status, hw_diag *diag) {
    hw_nvcc_command command;
    hw_args all = {.arena = arena};
    if (settings->prepend) hw_nvcc_add_text(&all, settings->prepend);
    hw_args_add_all(&all, words);
    if (settings->append) hw_nvcc_add_text(&all, settings->append);
    if (all.failed) return hw_diag_no_memory(diag);
    if (answer(settings, &all, clang, arena)) return HW_OK;
    hw_status status = hw_nvcc_parse(&all, arena, &command, diag);
    return status ? status : hw_nvcc_by_clang(settings, clang, &command, arena, exit_status, diag);
}

// --halfwarp-compiler decides before anything else is understood.
static hw_toolchain_compiler wanted_compiler(const hw_nvcc_settings *settings, const hw_args *words) {
    static const char name[] = "--halfwarp-compiler";
    hw_toolchain_compiler wanted = settings->compiler;
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i], *value = word + strlen(name);
        if (strncmp(word, name, strlen(name)) != 0) continue;
        if (*value == '=') value++;
        else if (i + 1 < words->count) value = words->items[i + 1];
        if (!strcmp(value, "nvcc")) wanted = HW_COMPILER_NVCC;
        if (!strcmp(value, "clang")) wanted = HW_COMPILER_CLANG;
    }
    return wanted;
}

hw_status hw_nvcc_run(const hw_nvcc_settings *settings, const char *const *words, size_t count, int *exit_status,
                      hw_diag *diag) {
    hw_arena *arena = hw_arena_create();
    hw_args expanded = {.arena = arena};
    hw_compiler compiler;
    *exit_status = 0;
    if (!arena) return hw_diag_no_memory(diag);
    hw_status status = hw_nvcc_expand(&expanded, words, count, diag);
    if (!status && expanded.failed) status = hw_diag_no_memory(diag);
    hw_toolchain_options options = {.compiler = wanted_compiler(settings, &expanded), .hide_nvcc = settings->hide_nvcc,
                                    .search_path = settings->search_path, .cache_dir = settings->cache_dir};
    if (!status) status = hw_compiler_choose(&options, arena, &compiler, diag);
    hw_diag why = {0};
    if (!status && compiler.kind == HW_COMPILER_NVCC) {
        hw_status starts = hw_compiler_check_nvcc(compiler.path, arena, &why);
        if (starts && options.compiler == HW_COMPILER_NVCC) status = hw_diag_set(diag, starts, "%s", why.text);
        else if (starts) {
            const char *line = hw_arena_printf(arena, "%s; clang does its work", why.text);
            if (line) settings->say(settings->user, line);
            options.compiler = HW_COMPILER_CLANG;
            status = hw_compiler_choose(&options, arena, &compiler, diag);
        }
    }
    if (!status && compiler.kind == HW_COMPILER_NVCC) status = run_real(compiler.path, &expanded, exit_status, diag);
    else if (!status) status = run_clang(settings, &expanded, arena, &compiler, exit_status, diag);
    hw_arena_destroy(arena);
    return status;
}
