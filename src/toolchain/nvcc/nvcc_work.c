// A command under way: its processes, what its files are and are called, and the C++ compiler.
#define _GNU_SOURCE
#include "toolchain/nvcc/nvcc_work.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toolchain/process.h"

// ---- Processes ------------------------------------------------------------------------------------------------------

// The command as a shell would take it. Options with a path in them are quoted, as nvcc quotes them: CMake looks for
// LIBRARIES in the line of the linker letter by letter.
static const char *shown(hw_nvcc_work *w, const hw_args *args) {
    hw_args line = {.arena = w->arena};
    for (size_t i = 0; i < args->count; i++) {
        bool plain = i == 0 ? !strpbrk(args->items[i], " \"'\\$&;()<>*") :
                              !strpbrk(args->items[i], " \"'\\$&;()<>*") && strncmp(args->items[i], "-L", 2) != 0;
        hw_args_addf(&line, plain ? "%s%s" : "%s\"%s\"", i ? " " : "#$ ", args->items[i]);
    }
    return hw_args_join(&line);
}

hw_status hw_nvcc_run_tool(hw_nvcc_work *w, const hw_args *args, const char *file, const char *failed) {
    if (args->failed) return hw_diag_no_memory(w->diag);
    if (w->command->verbose || w->command->dry_run) {
        const char *line = shown(w, args);
        if (!line) return hw_diag_no_memory(w->diag);
        w->settings->say(w->settings->user, line);
    }
    if (w->command->dry_run) return HW_OK;
    hw_status status = hw_process_run(args->items, w->work_dir.path, w->arena, NULL, &w->exit_status, w->diag);
    if (status) return status;
    if (w->settings->stop && *w->settings->stop)
        return hw_diag_set(w->diag, HW_IO, "stopped by signal %d", (int)*w->settings->stop);
    if (w->exit_status > 128)
        return hw_diag_set_at(w->diag, HW_COMPILE, file, 0, "%s: %s ended by signal %d", failed, args->items[0],
                              w->exit_status - 128);
    return w->exit_status ? hw_diag_set_at(w->diag, HW_COMPILE, file, 0, "%s (%s)", failed, args->items[0]) : HW_OK;
}

const char *hw_nvcc_work_file(hw_nvcc_work *w, const char *ending) {
    return hw_arena_printf(w->arena, "%s/%zu%s", w->work_dir.path, w->n_files++, ending);
}

// ---- Files ----------------------------------------------------------------------------------------------------------

// -x is about source files alone.
hw_file_kind hw_nvcc_kind_of(const hw_nvcc_command *command, const char *name) {
    hw_file_kind kind = hw_file_kind_of(name, NULL);
    if (!command->language || (kind >= HW_FILE_OBJECT && kind < HW_FILE_UNKNOWN)) return kind;
    return !strcmp(command->language, "cu") ? HW_FILE_CUDA : !strcmp(command->language, "c") ? HW_FILE_C : HW_FILE_CPP;
}

static const char *with_ending(hw_nvcc_work *w, const char *path, const char *ending) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    int length = dot && dot > path ? (int)(dot - path) : (int)strlen(path);
    return hw_arena_printf(w->arena, "%.*s%s", length, path, ending);
}

// As nvcc, which says so too of PTX; of fat binaries and machine code it can more than clang.
hw_status hw_nvcc_refuse_file(hw_nvcc_work *w, hw_file_kind kind, const char *name) {
    if (kind == HW_FILE_PTX)
        return hw_diag_set(w->diag, HW_USAGE, "%s is PTX, which goes with -fatbin and -dc alone: name the .cu file, or "
                           "compile it by -dc and link the object file", name);
    if (kind == HW_FILE_FATBIN || kind == HW_FILE_CUBIN)
        return hw_diag_set(w->diag, HW_USAGE, "%s is device code that is made already, which clang cannot build a "
                           "program of: name the .cu or .ptx file", name);
    if (kind == HW_FILE_OBJECT)
        return hw_diag_set(w->diag, HW_USAGE, "%s is compiled already", name);
    return hw_diag_set(w->diag, HW_USAGE,
                       "what is %s? Names of files end in .cu, .cpp, .cc, .cxx, .c, .ptx, .o, .a or .so; -x cu or -x "
                       "c++ says it of another", name);
}

// ---- Command lines --------------------------------------------------------------------------------------------------

// -MD and its companions, for the file that becomes `output`.
void hw_nvcc_add_dependencies(hw_nvcc_work *w, const char *option, const char *output, hw_args *args) {
    const hw_nvcc_command *command = w->command;
    if (!command->depends) return;
    const char *target = command->goal == HW_NVCC_PROGRAM && command->output ? command->output : output;
    hw_args_add(args, option);
    hw_args_add(args, "-MF");
    hw_args_add(args, command->depends_file ? command->depends_file : with_ending(w, target, ".d"));
    bool has_target = false;
    for (size_t i = 0; i < command->depends_words.count; i++)
        has_target |= !strcmp(command->depends_words.items[i], "-MT");
    if (!has_target) {
        hw_args_add(args, "-MT");
        hw_args_add(args, target);
    }
    hw_args_add_all(args, &command->depends_words);
}

void hw_nvcc_add_source(hw_args *args, const char *language, const char *source, const char *output) {
    hw_args_add(args, "-x");
    hw_args_add(args, language);
    hw_args_add(args, source);
    hw_args_add(args, "-o");
    hw_args_add(args, output);
}

// -ccbin names the compiler or its folder; else g++, else clang does its work.
hw_status hw_nvcc_find_host(hw_nvcc_work *w) {
    const char *wanted = w->command->host_compiler;
    struct stat info;
    if (wanted && strchr(wanted, '/'))
        w->host = stat(wanted, &info) == 0 && S_ISDIR(info.st_mode) ? hw_process_find(wanted, "g++", w->arena) : wanted;
    else w->host = hw_process_find(w->settings->search_path, wanted ? wanted : "g++", w->arena);
    if (w->host && access(w->host, X_OK) == 0) return HW_OK;
    if (wanted) return hw_diag_set(w->diag, HW_NOT_FOUND, "there is no C++ compiler %s, which -ccbin names", wanted);
    if ((w->host = hw_process_find(w->settings->search_path, "clang++", w->arena))) return HW_OK;
    w->host_is_clang = true;
    w->host = w->route.compiler->path;
    return HW_OK;
}

void hw_nvcc_add_host(hw_nvcc_work *w, hw_args *args) {
    hw_args_add(args, w->host);
    if (w->host_is_clang) hw_args_add(args, "--driver-mode=g++");
}

void hw_nvcc_add_host_flags(hw_nvcc_work *w, hw_args *args) {
    hw_args_add(args, "-D__NVCC__");
    hw_args_addf(args, "-I%s", w->include_dir);
    hw_compiler_add_old_headers(w->include_dir, args);
    hw_args_add_all(args, &w->arguments.host);
    hw_args_add_all(args, &w->command->forwarded);
}

