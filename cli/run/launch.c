// The way of one run: find PROG, compile it if it is source, start it with our CUDA runtime in front of any other, and
// translate how it ended.
#define _GNU_SOURCE
#include "run/launch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "isa/gpu.h"
#include "run/environment.h"
#include "run/progress.h"
#include "toolchain/binary/file_kind.h"
#include "toolchain/toolchain.h"

// A regular file that may be opened with `mode` (R_OK or X_OK). Sets errno when it is not.
static bool is_file(const char *path, int mode) {
    struct stat info;
    if (stat(path, &info) != 0) return false;
    if (!S_ISREG(info.st_mode)) {
        errno = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
        return false;
    }
    return access(path, mode) == 0;
}

// A file that may not be executed is often no program at all.
static void complain_not_run(const char *program, int failure) {
    hw_diag diag = {0};
    if (failure != EACCES || !is_file(program, R_OK))
        hw_cli_complain("cannot run %s: %s", program, strerror(failure));
    else if (hw_toolchain_check_executable(program, &diag)) hw_cli_complain("%s", diag.text);
    else hw_cli_complain("cannot run %s: it is a program without the right to be run (chmod +x)", program);
}

// The executable's path, to be freed: in the current folder, else on PATH as a shell finds it. NULL after a complaint.
static char *find_executable(const char *program) {
    if (is_file(program, X_OK)) {
        char *path = NULL;
        return asprintf(&path, "%s%s", strchr(program, '/') ? "" : "./", program) < 0 ? NULL : path;
    }
    int failure = errno;
    const char *folders = strchr(program, '/') ? NULL : getenv("PATH");
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        char *path = NULL;
        if (asprintf(&path, "%.*s/%s", (int)length, folders, program) < 0) return NULL;
        if (length && is_file(path, X_OK)) return path;
        free(path);
        folders += length + (folders[length] == ':');
    }
    complain_not_run(program, failure);
    return NULL;
}

static int exit_status_of(hw_status status) {
    switch (status) {
    case HW_OK: return 0;
    case HW_COMPILE: return HW_EXIT_COMPILE;
    case HW_UNSUPPORTED:
    case HW_MALFORMED: return HW_EXIT_UNSUPPORTED;
    default: return HW_EXIT_USAGE;
    }
}

static int complain_about(hw_status status, const hw_diag *diag) {
    char text[sizeof *diag + 32];
    hw_cli_complain("%s", hw_diag_format(diag, text, sizeof text));
    return exit_status_of(status);
}

bool hw_cli_hides_nvcc(void) {
    const char *hide = getenv("HALFWARP_HIDE_NVCC");
    return hide && *hide;
}

// What the program's process and this one have in common while it runs.
typedef struct running {
    hw_cli_temporary told;        // its status file
    hw_cli_temporary shard;       // in which it says that it does a part only
    hw_cli_progress progress;
} running;

// "4 message" or "5 message" that the runtime left behind wins over the program's own status, which a program that
// checks no errors leaves at 0. The runtime has printed the message already; of one that went on without what it had
// asked for it is said again behind all that it has printed since.
static int final_status(int program_status, int status_file) {
    char text[1024] = "";
    ssize_t length = pread(status_file, text, sizeof text - 1, 0);
    int status = length > 0 ? atoi(text) : 0;
    if (status != HW_EXIT_USAGE && status != HW_EXIT_UNSUPPORTED && status != HW_EXIT_FAULT) return program_status;
    if (status == HW_EXIT_UNSUPPORTED && program_status != HW_EXIT_UNSUPPORTED) {
        text[strcspn(text, "\n")] = '\0';
        hw_cli_complain("the program went on without what is not simulated (%s): its results are not to be trusted",
                        text + strcspn(text, " ") + (strchr(text, ' ') != NULL));
    }
    return status;
}

static hw_toolchain_compiler compiler_of(const char *name) {
    if (!name) return HW_COMPILER_AUTO;
    return strcmp(name, "nvcc") == 0 ? HW_COMPILER_NVCC : HW_COMPILER_CLANG;
}

static bool is_source(const char *program, const char **ending) {
    const hw_file_kind kind = hw_file_kind_of(program, ending);
    return kind == HW_FILE_CUDA || kind == HW_FILE_CPP;
}

// What is read as device code, and not run.
static bool is_device_code(const char *program) {
    const hw_file_kind kind = hw_file_kind_of(program, NULL);
    return kind == HW_FILE_PTX || kind == HW_FILE_FATBIN;
}

// Source to executable. *executable is to be freed; 0 or an exit status after a complaint.
static int compile_source(const hw_cli_launch *launch, const hw_cli_paths *paths, bool as_library, char **executable,
                          char *compiler_name) {
    const char *source = launch->program[0];
    if (!is_file(source, R_OK)) {
        hw_cli_complain("cannot read %s: %s", source, strerror(errno));
        return HW_EXIT_USAGE;
    }
    char *cache = hw_cli_cache_folder();
    hw_toolchain_options options = {
        .source = source,
        .cc = hw_cli_find_gpu(launch->gpu)->arch->cc,
        .arguments = launch->compile_options,
        .argument_count = (size_t)launch->n_compile_options,
        .compiler = compiler_of(launch->compiler),
        .as_library = as_library,
        .include_dir = paths->include_dir,
        .wants_name = launch->wants_compiler_name,
        .shim_dir = paths->shim_dir,
        .hide_nvcc = hw_cli_hides_nvcc(),
        .search_path = getenv("PATH"),
        .cache_dir = cache,
    };
    hw_toolchain_result result = {0};
    hw_diag diag = {0};
    hw_status status = cache ? hw_toolchain_compile(&options, &result, &diag) : hw_diag_no_memory(&diag);
    free(cache);
    if (*result.note) hw_cli_complain("%s", result.note);
    if (status) return complain_about(status, &diag);
    snprintf(compiler_name, HW_CLI_COMPILER_NAME, "%s", result.compiler_name);
    *executable = strdup(result.executable);
    return *executable ? 0 : complain_about(hw_diag_no_memory(&diag), &diag);
}

static int find_compiled(const char *program, bool as_library, char **executable) {
    hw_diag diag = {0};
    if (is_device_code(program) && as_library) {
        *executable = strdup(program);
        return *executable ? 0 : complain_about(hw_diag_no_memory(&diag), &diag);
    }
    if (is_device_code(program)) {
        hw_cli_complain("%s is device code, which a program must launch: run the program; `halfwarp occupancy` and "
                        "`halfwarp ptx` take device code alone", program);
        return HW_EXIT_USAGE;
    }
    if (!(*executable = find_executable(program))) return HW_EXIT_USAGE;
    hw_status status = hw_toolchain_check_executable(*executable, &diag);
    return status ? complain_about(status, &diag) : 0;
}

static int find_program(const hw_cli_launch *launch, const hw_cli_paths *paths, bool as_library, char **executable,
                        char *compiler_name) {
    const char *program = launch->program[0];
    compiler_name[0] = '\0';
    hw_cli_launch_tell_limit(launch);
    if (is_source(program, NULL)) {
        hw_cli_launch_tell_arch(launch);
        return compile_source(launch, paths, as_library, executable, compiler_name);
    }
    return hw_cli_launch_needs_no_compiler(launch) ? find_compiled(program, as_library, executable) : HW_EXIT_USAGE;
}

int hw_cli_launch_find(const hw_cli_launch *launch, char **executable, char compiler_name[HW_CLI_COMPILER_NAME]) {
    hw_cli_paths paths;
    *executable = NULL;
    compiler_name[0] = '\0';
    return hw_cli_find_paths(&paths) ? find_program(launch, &paths, true, executable, compiler_name) : HW_EXIT_USAGE;
}

// prog.cu sees itself as prog, beside its source: where nvcc would have put it, and where it may look for its data.
static void name_program(char **argv) {
    const char *ending;
    if (is_source(argv[0], &ending)) argv[0][ending - argv[0]] = '\0';
}

// The exit status of a program that could be started. *ended_by: the signal that ended it, unless we sent it.
static int run_program(const hw_cli_launch *launch, running *files, const char *executable, int *ended_by) {
    name_program(launch->program);
    const hw_cli_child_care care = hw_cli_progress_care(&files->progress);
    const int ended = hw_cli_child_run(executable, launch->program, &care, ended_by);
    hw_cli_progress_close(&files->progress);
    if (ended < 0) return HW_EXIT_USAGE;
    if (files->progress.has_timed_out) *ended_by = 0;
    else if (launch->shard.count) hw_cli_shard_check(&launch->shard, launch->program[0], &files->shard);
    return final_status(files->progress.has_timed_out ? HW_EXIT_TIMEOUT : ended, files->told.file);
}

int hw_cli_launch_run(const hw_cli_launch *launch, const char *journal_path, int *ended_by) {
    hw_cli_paths paths;
    char *executable = NULL, compiler_name[HW_CLI_COMPILER_NAME] = "";
    running files = {.told.file = -1, .shard.file = -1, .progress.file.file = -1};
    *ended_by = 0;
    int status = hw_cli_find_paths(&paths) ? 0 : HW_EXIT_USAGE;
    if (!status) status = find_program(launch, &paths, false, &executable, compiler_name);
    if (!status && (files.told = hw_cli_temporary_open("status")).file < 0) status = HW_EXIT_USAGE;
    if (!status) hw_cli_progress_open(&files.progress, launch->timeout);
    const hw_cli_environment environment = {
        .journal = journal_path, .status = files.told.path, .compiler_name = compiler_name, .executable = executable,
        .monitor = files.progress.monitors ? files.progress.file.path : NULL, .shim_dir = paths.shim_dir,
    };
    if (!status && !hw_cli_environment_prepare(launch, &environment)) {
        hw_cli_complain("out of memory");
        status = HW_EXIT_USAGE;
    }
    if (!status && launch->shard.count && !hw_cli_shard_tell(&launch->shard, &files.shard)) status = HW_EXIT_USAGE;
    if (!status) status = run_program(launch, &files, executable, ended_by);
    hw_cli_temporary_close(&files.shard);
    hw_cli_temporary_close(&files.told);
    if (launch->executable) *launch->executable = executable;
    else free(executable);
    return status;
}
