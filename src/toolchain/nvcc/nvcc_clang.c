// nvcc's work by clang: each .cu file is compiled to PTX for each architecture, the PTX goes into a fat binary, and
// that into the object file of its host code, where it registers itself before main. The rest is the C++ compiler's.
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "toolchain/cache/cache.h"
#include "toolchain/nvcc/nvcc_work.h"
#include "toolchain/process.h"

// Every file as an object file, in the command's order.
static hw_status compile_all(hw_nvcc_work *w, hw_args *objects) {
    const hw_args *inputs = &w->command->inputs;
    hw_status status = HW_OK;
    for (size_t i = 0; !status && i < inputs->count; i++) {
        const char *object = inputs->items[i];
        if (hw_nvcc_kind_of(w->command, object) != HW_FILE_OBJECT) {
            object = hw_nvcc_work_file(w, ".o");
            status = hw_nvcc_compile(w, inputs->items[i], object);
        } else if (access(object, R_OK) != 0)
            status = hw_diag_set(w->diag, HW_IO, "cannot read %s: %s", object, strerror(errno));
        hw_args_add(objects, object);
    }
    return status;
}

// ---- Goals ----------------------------------------------------------------------------------------------------------

static hw_status make_program(hw_nvcc_work *w) {
    hw_args objects = {.arena = w->arena}, args = {.arena = w->arena};
    hw_status status = compile_all(w, &objects);
    if (status) return status;
    hw_nvcc_add_host(w, &args);
    if (w->command->shared) hw_args_add(&args, "-shared");
    hw_args_add_all(&args, &w->arguments.host);
    hw_args_add_all(&args, &w->command->forwarded);
    hw_args_add_all(&args, &objects);
    hw_args_add_all(&args, &w->arguments.link);
    hw_args_add_all(&args, &w->command->linked);
    hw_args_addf(&args, "-L%s", w->lib_dir);
    if (w->command->has_runtime) hw_args_add(&args, "-lcudart");
    hw_args_add(&args, "-o");
    hw_args_add(&args, hw_nvcc_output(w->command, "a.out", ".out", w->arena));
    return hw_nvcc_run_tool(w, &args, NULL, "the program does not link");
}

// One file that is no source is the program itself. The word may be in quotes: nvcc has a shell take it, and Meson
// counts on that.
static hw_status run_program(hw_nvcc_work *w) {
    const hw_args *inputs = &w->command->inputs;
    const char *program = hw_nvcc_output(w->command, "a.out", ".out", w->arena);
    hw_args args = {.arena = w->arena};
    if (inputs->count == 1 && hw_nvcc_kind_of(w->command, inputs->items[0]) == HW_FILE_UNKNOWN) {
        hw_nvcc_add_text(&args, inputs->items[0]);
    } else {
        hw_status status = make_program(w);
        if (status) return status;
        hw_args_addf(&args, "%s%s", strchr(program, '/') ? "" : "./", program);
    }
    hw_args_add_all(&args, &w->command->run_arguments);
    if (args.failed || !args.count) return hw_diag_no_memory(w->diag);
    if (!w->command->dry_run) w->exit_status = w->settings->run(w->settings->user, args.items);
    return HW_OK;
}

static hw_status make_library(hw_nvcc_work *w) {
    hw_args objects = {.arena = w->arena}, args = {.arena = w->arena};
    const char *archiver = w->command->archiver;
    if (!archiver) archiver = hw_process_find(w->settings->search_path, "ar", w->arena);
    if (!archiver) return hw_diag_set(w->diag, HW_NOT_FOUND, "there is no ar on PATH: install binutils");
    hw_status status = compile_all(w, &objects);
    if (status) return status;
    hw_args_add(&args, archiver);
    hw_args_add(&args, "cr");
    hw_args_add_all(&args, &w->command->archiver_options);
    hw_args_add(&args, hw_nvcc_output(w->command, "a.a", ".a", w->arena));
    hw_args_add_all(&args, &objects);
    return hw_nvcc_run_tool(w, &args, NULL, "the library cannot be made");
}

// The runtime links relocatable device code when the program starts, so that there is nothing to put in here.
static hw_status make_device_link(hw_nvcc_work *w) {
    const hw_args *inputs = &w->command->inputs;
    for (size_t i = 0; i < inputs->count; i++)
        if (hw_nvcc_kind_of(w->command, inputs->items[i]) != HW_FILE_OBJECT)
            return hw_diag_set(w->diag, HW_USAGE, "-dlink takes object files, and %s is none; -dc makes one of it",
                               inputs->items[i]);
    hw_args args = {.arena = w->arena};
    hw_nvcc_add_host(w, &args);
    hw_args_add_all(&args, &w->arguments.host);
    hw_args_add(&args, "-c");
    const char *output = hw_nvcc_output(w->command, "a_dlink.o", ".o", w->arena);
    hw_nvcc_add_source(&args, "c", "/dev/null", output);
    return hw_nvcc_run_tool(w, &args, NULL, "the empty result of -dlink cannot be made");
}

// A file's text for the output, or for standard output where none is named.
static hw_status deliver(hw_nvcc_work *w, const char *made) {
    if (w->command->dry_run || !made) return HW_OK;
    size_t length;
    const char *text = hw_cache_read_file(made, w->arena, &length);
    if (!text) return hw_diag_set(w->diag, HW_IO, "cannot read %s: %s", made, strerror(errno));
    w->settings->print(w->settings->user, text, length);
    return HW_OK;
}

static hw_status preprocess(hw_nvcc_work *w, const char *source) {
    static const char *const flags[] = {[HW_NVCC_PREPROCESSED] = "-E", [HW_NVCC_DEPENDENCIES] = "-M",
                                        [HW_NVCC_USER_DEPENDENCIES] = "-MM"};
    hw_args args = {.arena = w->arena};
    hw_file_kind kind = hw_nvcc_kind_of(w->command, source);
    const char *output = w->command->output ? w->command->output : hw_nvcc_work_file(w, ".txt");
    if (kind > HW_FILE_C) return hw_nvcc_refuse_file(w, kind, source);
    if (kind == HW_FILE_CUDA) {
        hw_clang_add_host(&w->route, HW_NVCC_DEFAULT_ARCH, &args);
        hw_args_add(&args, "-D__NVCC__");
        hw_args_add_all(&args, &w->command->forwarded);
    } else {
        hw_nvcc_add_host(w, &args);
        hw_nvcc_add_host_flags(w, &args);
    }
    hw_args_add(&args, flags[w->command->goal]);
    if (w->command->goal == HW_NVCC_PREPROCESSED) hw_nvcc_add_dependencies(w, w->command->depends, output, &args);
    else hw_args_add_all(&args, &w->command->depends_words);
    hw_nvcc_add_source(&args, kind == HW_FILE_CUDA ? "cuda" : kind == HW_FILE_C ? "c" : "c++", source, output);
    hw_status status = hw_nvcc_run_tool(w, &args, source, "does not compile");
    return status || w->command->output ? status : deliver(w, output);
}

static hw_status make_device_code(hw_nvcc_work *w, const char *source) {
    const bool is_ptx = w->command->goal == HW_NVCC_PTX;
    static const char *const endings[] = {[HW_NVCC_PTX] = ".ptx", [HW_NVCC_FATBIN] = ".fatbin",
                                          [HW_NVCC_CUBIN] = ".cubin"};
    const char *output = hw_nvcc_output(w->command, source, endings[w->command->goal], w->arena);
    const hw_file_kind kind = hw_nvcc_kind_of(w->command, source);
    hw_fatbin_piece pieces[HW_NVCC_MAX_ARCHS];
    int archs[HW_NVCC_MAX_ARCHS];
    size_t count;
    if (w->command->goal != HW_NVCC_FATBIN && w->command->n_archs > 1)
        return hw_diag_set(w->diag, HW_USAGE, "-%s is for one architecture, and several are asked for",
                           is_ptx ? "ptx" : "cubin");
    if (kind == HW_FILE_PTX && !is_ptx) return hw_nvcc_wrap_ptx(w, source, pieces, &count, output);
    if (kind != HW_FILE_CUDA) return hw_nvcc_refuse_file(w, kind, source);
    if (!is_ptx) return hw_nvcc_make_fatbin(w, source, pieces, &count, output);
    hw_status status = hw_nvcc_choose_archs(w, archs, &count);
    return status ? status : hw_nvcc_make_ptx(w, source, archs[0], output);
}

static hw_status make_each(hw_nvcc_work *w) {
    const hw_nvcc_command *command = w->command;
    hw_status status = HW_OK;
    if (command->output && command->inputs.count > 1)
        return hw_diag_set(w->diag, HW_USAGE, "-o names one file, and %zu are to be made; -odir names a folder",
                           command->inputs.count);
    for (size_t i = 0; !status && i < command->inputs.count; i++) {
        const char *source = command->inputs.items[i];
        switch (command->goal) {
        case HW_NVCC_OBJECT:
            status = hw_nvcc_compile(w, source, hw_nvcc_output(command, source, ".o", w->arena));
            break;
        case HW_NVCC_PTX: case HW_NVCC_FATBIN: case HW_NVCC_CUBIN: status = make_device_code(w, source); break;
        default: status = preprocess(w, source); break;
        }
    }
    return status;
}

// ---- The command ----------------------------------------------------------------------------------------------------

// What nvcc shows before its commands; CMake reads it.
static void show_settings(hw_nvcc_work *w) {
    const hw_nvcc_settings *s = w->settings;
    int archs[HW_NVCC_MAX_ARCHS];
    size_t count;
    const char *lines[] = {
        hw_arena_printf(w->arena, "#$ TOP=%s", s->toolkit_dir),
        hw_arena_printf(w->arena, "#$ NVVMIR_LIBRARY_DIR=%s/nvvm/libdevice", s->toolkit_dir),
        hw_arena_printf(w->arena, "#$ PATH=%s", s->search_path ? s->search_path : ""),
        hw_arena_printf(w->arena, "#$ INCLUDES=\"-I%s\"", w->include_dir),
        hw_arena_printf(w->arena, "#$ LIBRARIES=  \"-L%s\"", w->lib_dir),
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (lines[i]) s->say(s->user, lines[i]);
    if (hw_nvcc_choose_archs(w, archs, &count)) return;
    for (size_t i = 0; i < count; i++) {
        const char *line = hw_arena_printf(w->arena, "#$ _ARCHITECTURE_=-arch compute_%d", archs[i]);
        if (line) s->say(s->user, line);
    }
}

static hw_status carry_out(hw_nvcc_work *w) {
    switch (w->command->goal) {
    case HW_NVCC_PROGRAM: return make_program(w);
    case HW_NVCC_RUN: return run_program(w);
    case HW_NVCC_LIBRARY: return make_library(w);
    case HW_NVCC_DEVICE_LINK: return make_device_link(w);
    default: return make_each(w);
    }
}

hw_status hw_nvcc_by_clang(const hw_nvcc_settings *settings, const hw_compiler *clang, const hw_nvcc_command *command,
                           hw_arena *arena, int *exit_status, hw_diag *diag) {
    hw_nvcc_work w = {.settings = settings, .command = command, .arena = arena, .diag = diag};
    w.include_dir = hw_arena_printf(arena, "%s/include", settings->toolkit_dir);
    w.lib_dir = hw_arena_printf(arena, "%s/lib64", settings->toolkit_dir);
    w.route = (hw_clang_route){.arena = arena, .compiler = clang, .arguments = &w.arguments,
                               .include_dir = w.include_dir};
    if (!w.include_dir || !w.lib_dir) return hw_diag_no_memory(diag);
    hw_status status = hw_arguments_sort(command->passed.items, command->passed.count, arena, &w.arguments, diag);
    if (!status) status = hw_nvcc_find_host(&w);
    if (!status && command->verbose | command->dry_run) show_settings(&w);
    for (size_t i = 0; !status && i < command->told.count; i++) settings->say(settings->user, command->told.items[i]);
    if (!status && !command->inputs.count)
        status = hw_diag_set(diag, HW_USAGE, "which file? `halfwarp nvcc --help` has the usage");
    if (!status) status = hw_work_dir_begin(settings->temporary_dir, "halfwarp-nvcc", arena, &w.work_dir, diag);
    w.route.empty_dir = w.work_dir.path;
    if (!status) status = carry_out(&w);
    hw_work_dir_discard(&w.work_dir);
    *exit_status = w.exit_status;
    return status;
}
