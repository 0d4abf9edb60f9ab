// The environment of the program that is run.
#define _GNU_SOURCE
#include "run/environment.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "cli.h"
#include "toolchain/compilers/compilers.h"
#include "toolchain/toolchain.h"

static void set_variable(const char *variable, const char *value) {
    if (value) setenv(variable, value, 1);
    else unsetenv(variable);
}

// Puts value in front of what a colon-separated list of the environment has.
static bool put_first(const char *variable, const char *value) {
    const char *old = getenv(variable);
    char *list = NULL;
    if (asprintf(&list, "%s%s%s", value, old && *old ? ":" : "", old ? old : "") < 0) return false;
    bool good = setenv(variable, list, 1) == 0;
    free(list);
    return good;
}

// The runtime and the driver, in front of real ones, which know nothing of simulated memory.
static bool put_folders_first(const char *shim_dir) {
    char *folders = NULL;
    if (asprintf(&folders, "%s:%s/driver", shim_dir, shim_dir) < 0) return false;
    bool good = put_first("LD_LIBRARY_PATH", folders);
    free(folders);
    return good;
}

// A program with an rpath of its own finds the runtime there and not in LD_LIBRARY_PATH; what is preloaded goes first.
static bool preload_runtime(const char *executable, const char *shim_dir) {
    char name[64], *path = NULL;
    hw_toolchain_find_runtime(executable, name, sizeof name);
    if (!*name) return true;
    if (asprintf(&path, "%s/%s", shim_dir, name) < 0) return false;
    bool good = access(path, R_OK) != 0 || put_first("LD_PRELOAD", path);
    free(path);
    return good;
}

// Ranges that the program names are in its trace: NVTX's headers load this library.
static bool inject_nvtx(const char *shim_dir) {
    char *path = NULL;
    if (asprintf(&path, "%s/libhalfwarp-nvtx.so", shim_dir) < 0) return false;
    const bool good = setenv("NVTX_INJECTION64_PATH", path, 1) == 0;
    free(path);
    return good;
}

// Of Python packages that would have machine code made; what the user has set stays.
static void prefer_ptx(const char *shim_dir) {
    char path[PATH_MAX];
    setenv("CUPY_COMPILE_WITH_PTX", "1", 0);   // CuPy would take NVRTC's
    if (snprintf(path, sizeof path, "%s/driver/ptxas", shim_dir) >= (int)sizeof path) return;
    setenv("TRITON_PTXAS_PATH", path, 0);      // Triton, by default, that of NVIDIA's ptxas
    setenv("TRITON_PTXAS_BLACKWELL_PATH", path, 0);
}

static bool has_file(const char *folder, const char *pattern) {
    char path[PATH_MAX];
    glob_t found;
    if (snprintf(path, sizeof path, "%s/%s", folder, pattern) >= (int)sizeof path) return false;
    const bool has = glob(path, GLOB_NOSORT, NULL, &found) == 0;
    if (has) globfree(&found);
    return has;
}

// Is this the folder of a CUDA toolkit? Distributions have an nvcc in /usr/bin, and ccache has one in its own folder.
static bool is_toolkit(const char *folder) {
    return has_file(folder, "nvvm") &&
           (has_file(folder, "include/cuda.h") || has_file(folder, "targets/*/include/cuda.h"));
}

// The toolkit that programs would find without us: that of the first nvcc on PATH, else the usual one.
static bool find_real_toolkit(hw_arena *arena, char folder[PATH_MAX]) {
    const char *nvcc = hw_compiler_find_nvcc(getenv("PATH"), arena);
    if (!nvcc) return realpath("/usr/local/cuda", folder) && is_toolkit(folder);
    if (!realpath(nvcc, folder)) return false;
    for (int i = 0; i < 2; i++) {   // TOOLKIT/bin/nvcc
        char *slash = strrchr(folder, '/');
        if (!slash) return false;
        *slash = '\0';
    }
    return is_toolkit(folder);
}

// A process without a PATH looks where the system has its programs.
static bool put_first_on_path(const char *folder) {
    char usual[PATH_MAX];
    const char *old = getenv("PATH");
    if ((!old || !*old) && confstr(_CS_PATH, usual, sizeof usual) - 1 < sizeof usual && setenv("PATH", usual, 1) != 0)
        return false;
    return put_first("PATH", folder);
}

// Packages that have nvcc compile while they run get PTX from `halfwarp nvcc` where they ask for machine code. The
// toolkit's folder they find by that of nvcc, and are to find the one that they would have found without us. Our folder
// is left out where it cannot be a word of such lists; and all of it, where HALFWARP_PUT_NVCC is 0.
static bool put_nvcc_first(void) {
    char toolkit[PATH_MAX], real[PATH_MAX], path[PATH_MAX];
    const char *wanted = getenv("HALFWARP_PUT_NVCC");
    if ((wanted && !strcmp(wanted, "0")) || !hw_cli_has_toolkit(toolkit) || toolkit[strcspn(toolkit, ": \t\n")] ||
        snprintf(path, sizeof path, "%s/bin/nvcc", toolkit) >= (int)sizeof path)
        return true;
    hw_arena *arena = hw_arena_create();
    if (!arena) return false;
    bool good = getenv("CUDA_HOME") || !find_real_toolkit(arena, real) || setenv("CUDA_PATH", real, 0) == 0;
    hw_arena_destroy(arena);
    good = good && setenv("NVCC", path, 0) == 0;   // CuPy's
    *strrchr(path, '/') = '\0';
    return good && put_first_on_path(path);
}

bool hw_cli_environment_prepare(const hw_cli_launch *launch, const hw_cli_environment *files) {
    set_variable("HALFWARP_GPU", launch->gpu);
    set_variable("HALFWARP_GPUS", launch->gpus);
    set_variable("HALFWARP_THREADS", launch->threads);
    set_variable("HALFWARP_SEED", launch->seed);
    set_variable("HALFWARP_POISON", launch->poison);
    // Else what the user says in the environment: for a script that runs others.
    if (launch->no_reuse) set_variable("HALFWARP_REUSE", "0");
    if (launch->time) set_variable("HALFWARP_TIME", launch->time);
    if (launch->lenient) set_variable("HALFWARP_LENIENT", "1");
    set_variable("HALFWARP_STATUS", files->status);
    set_variable("HALFWARP_MONITOR", files->monitor);
    set_variable("HALFWARP_MAX_LAUNCHES", launch->max_launches);
    set_variable("HALFWARP_ONLY_KERNEL", launch->only_kernel);
    set_variable("HALFWARP_ONLY_LAUNCH", launch->only_launch);
    set_variable("HALFWARP_SHARD", NULL);
    set_variable("HALFWARP_JOURNAL", files->journal);
    set_variable("HALFWARP_CHECK", launch->findings_path);
    set_variable("HALFWARP_LEAKS", launch->findings_path && launch->leaks ? "1" : NULL);
    const char *watched[] = {NULL, "1", "2", "3"};
    set_variable("HALFWARP_CHECK_ARITHMETIC",
                 launch->findings_path ? watched[launch->watches_floats + 2 * launch->watches_integers] : NULL);
    set_variable("HALFWARP_LINES", files->journal && launch->lines ? "1" : NULL);
    set_variable("HALFWARP_CODE", files->journal && launch->page ? "1" : NULL);
    const bool traces = files->journal && (launch->trace || launch->page || launch->plans);
    set_variable("HALFWARP_TRACE", traces ? "1" : NULL);
    set_variable("HALFWARP_NO_L1", files->journal && launch->no_l1 ? "1" : NULL);
    set_variable("HALFWARP_PTXAS", hw_cli_hides_nvcc() ? NULL : "1");
    char max_regs[16];
    snprintf(max_regs, sizeof max_regs, "%u", launch->max_regs);
    set_variable("HALFWARP_MAXRREGCOUNT", launch->max_regs ? max_regs : NULL);
    prefer_ptx(files->shim_dir);
    set_variable("HALFWARP_PTX_BY", *files->compiler_name ? files->compiler_name : NULL);
    set_variable("HALFWARP_KERNEL", files->journal ? launch->kernel : NULL);
    set_variable("HALFWARP_SKIP", files->journal ? launch->skip : NULL);
    set_variable("HALFWARP_COUNT", files->journal ? launch->count : NULL);
    if (traces && !inject_nvtx(files->shim_dir)) return false;
    return put_nvcc_first() && put_folders_first(files->shim_dir) &&
           preload_runtime(files->executable, files->shim_dir);
}
