// What of this machine Halfwarp uses, and how it is found.
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/processor.h"
#include "doctor/doctor.h"
#include "op/matmul/cpu/blas.h"
#include "run/launch.h"
#include "toolchain/compilers/compilers.h"
#include "toolchain/compilers/nvrtc.h"
#include "toolchain/process.h"

static bool tell(char *out, size_t bytes, const char *text, const char *more) {
    snprintf(out, bytes, "%s%s%s", text, *more ? ", " : "", more);
    return true;
}

// ---- Compilers ------------------------------------------------------------------------------------------------------

static bool look_for_compiler(hw_toolchain_compiler kind, hw_arena *arena, char *out, size_t bytes) {
    const hw_toolchain_options options = {.compiler = kind, .search_path = getenv("PATH"), .cache_dir = "",
                                          .hide_nvcc = hw_cli_hides_nvcc()};
    hw_compiler compiler;
    hw_diag diag = {0};
    hw_status status = hw_compiler_choose(&options, arena, &compiler, &diag);
    if (!status && kind == HW_COMPILER_NVCC) status = hw_compiler_check_nvcc(compiler.path, arena, &diag);
    if (status) {
        snprintf(out, bytes, "%s", diag.text);
        return false;
    }
    const char *name = hw_compiler_name(&compiler, NULL, arena);
    return tell(out, bytes, name ? name : "", compiler.path);
}

static bool look_for_nvcc(hw_arena *arena, char *out, size_t bytes) {
    return look_for_compiler(HW_COMPILER_NVCC, arena, out, bytes);
}

static bool look_for_clang(hw_arena *arena, char *out, size_t bytes) {
    return look_for_compiler(HW_COMPILER_CLANG, arena, out, bytes);
}

// The first of the programs that is on PATH.
static bool look_for_program(const char *const *names, hw_arena *arena, char *out, size_t bytes) {
    for (; *names; names++) {
        const char *path = getenv("PATH") ? hw_process_find(getenv("PATH"), *names, arena) : NULL;
        if (path) return tell(out, bytes, path, "");
        snprintf(out, bytes, "no %s on PATH", *names);
    }
    return false;
}

#define LOOK_FOR_PROGRAM(function, ...)                                                                               \
    static bool function(hw_arena *arena, char *out, size_t bytes) {                                                  \
        static const char *const names[] = {__VA_ARGS__, NULL};                                                       \
        return look_for_program(names, arena, out, bytes);                                                            \
    }
LOOK_FOR_PROGRAM(look_for_c_compiler, "cc", "gcc", "clang")
LOOK_FOR_PROGRAM(look_for_symbolizer, "addr2line")
LOOK_FOR_PROGRAM(look_for_drawer, "rsvg-convert")
LOOK_FOR_PROGRAM(look_for_man, "man")

// What comes with the CUDA toolkit.
static bool look_in_toolkit(const char *name, hw_arena *arena, char *out, size_t bytes) {
    const char *const names[] = {name, NULL};
    if (!hw_cli_hides_nvcc()) return look_for_program(names, arena, out, bytes);
    snprintf(out, bytes, "hidden by HALFWARP_HIDE_NVCC");
    return false;
}

static bool look_for_ptxas(hw_arena *arena, char *out, size_t bytes) {
    return look_in_toolkit("ptxas", arena, out, bytes);
}

static bool look_for_nvdisasm(hw_arena *arena, char *out, size_t bytes) {
    return look_in_toolkit("nvdisasm", arena, out, bytes);
}

static bool look_for_nvrtc(hw_arena *arena, char *out, size_t bytes) {
    hw_diag diag = {0};
    char name[64];
    (void)arena;
    const hw_nvrtc *nvrtc = hw_nvrtc_open(0, &diag);
    if (nvrtc) {
        snprintf(name, sizeof name, "NVRTC %d.%d", nvrtc->major, nvrtc->minor);
        return tell(out, bytes, name, nvrtc->path);
    }
    snprintf(out, bytes, "%s", diag.text);
    return false;
}

// ---- The machine ----------------------------------------------------------------------------------------------------

static bool look_for_parts(hw_arena *arena, char *out, size_t bytes) {
    hw_cli_paths paths;
    (void)arena;
    if (hw_cli_find_paths(&paths)) return tell(out, bytes, paths.shim_dir, "");
    snprintf(out, bytes, "not beside the command");
    return false;
}

static bool look_at_processor(hw_arena *arena, char *out, size_t bytes) {
    static const char *const levels[HW_SIMD_LEVELS] = {
        [HW_SIMD_BASE] = "no AVX2", [HW_SIMD_AVX2] = "AVX2", [HW_SIMD_AVX512] = "AVX-512"};
    (void)arena;
    const hw_simd_level level = hw_processor_level();
    snprintf(out, bytes, "%ld host threads, %s", sysconf(_SC_NPROCESSORS_ONLN), levels[level]);
    return level > HW_SIMD_BASE;
}

// The folder, or what is there of the folders that it would be made in, can be written.
static bool can_be_written(const char *path, hw_arena *arena) {
    char *part = hw_arena_string(arena, path, strlen(path));
    while (part && access(part, F_OK) != 0 && errno == ENOENT) {
        char *slash = strrchr(part, '/');
        if (!slash) return access(".", W_OK) == 0;
        slash[slash == part] = '\0';
    }
    return part && access(part, W_OK | X_OK) == 0;
}

static bool look_at_cache(hw_arena *arena, char *out, size_t bytes) {
    char *folder = hw_cli_cache_folder();
    const bool is_good = folder && can_be_written(folder, arena);
    snprintf(out, bytes, "%s%s", folder ? folder : "out of memory", is_good ? "" : " cannot be written");
    free(folder);
    return is_good;
}

static bool look_for_gpu(hw_arena *arena, char *out, size_t bytes) {
    hw_device *device = NULL;
    hw_diag diag = {0};
    (void)arena;
    const hw_device_options options = {.cache_dir = "", .search_path = getenv("PATH")};
    if (hw_device_open("cuda:0", &options, &device, &diag)) {
        snprintf(out, bytes, "%s", diag.text);
        return false;
    }
    snprintf(out, bytes, "%s", hw_device_get_properties(device)->name);
    hw_device_close(device);
    return true;
}

static bool look_for_blas(hw_arena *arena, char *out, size_t bytes) {
    const hw_blas *blas;
    hw_diag diag = {0};
    (void)arena;
    if (!hw_blas_open(&blas, &diag)) return tell(out, bytes, "OpenBLAS", "");
    snprintf(out, bytes, "%s", diag.text);
    return false;
}

const hw_doctor_row hw_doctor_rows[] = {
    {"runtime libraries", HW_DOCTOR_NEEDED, look_for_parts, "programs call them in place of CUDA's",
     "install Halfwarp again, with its lib and share"},
    {"cache folder", HW_DOCTOR_NEEDED, look_at_cache, "compiled programs and kernels are kept there",
     "export HALFWARP_CACHE=FOLDER"},
    {"nvcc", HW_DOCTOR_BETTER, look_for_nvcc, "compiles .cu files as for a GPU, to the same PTX",
     "install the CUDA toolkit and put its bin on PATH, or leave it to clang"},
    {"clang", HW_DOCTOR_BETTER, look_for_clang, "compiles .cu files without a CUDA toolkit",
     "apt-get install clang"},
    {"ptxas", HW_DOCTOR_BETTER, look_for_ptxas, "registers and spills, so occupancy, as on the GPU; else estimates",
     "install the CUDA toolkit, which has it, and put its bin on PATH"},
    {"nvdisasm", HW_DOCTOR_BETTER, look_for_nvdisasm, "machine code beside the source, on pages of profile --report",
     "install the CUDA toolkit (cuda-nvdisasm) and put its bin on PATH"},
    {"C compiler", HW_DOCTOR_BETTER, look_for_c_compiler, "kernels that take long are compiled for this processor",
     "apt-get install gcc"},
    {"processor", HW_DOCTOR_BETTER, look_at_processor, "lanes side by side in vectors; blocks on all threads",
     "nothing to type: results and counters are the same, and come later"},
    {"addr2line", HW_DOCTOR_BETTER, look_for_symbolizer, "findings name the lines of the host program's calls",
     "apt-get install binutils, and compile host code with -g"},
    {"GPU", HW_DOCTOR_BETTER, look_for_gpu, "ladders and operations on it, with --device cuda:0; simulating needs none",
     "nothing to type: --gpu G simulates one"},
    {"NVRTC", HW_DOCTOR_BETTER, look_for_nvrtc, "compiles the library's kernels for a GPU, and for a simulated one",
     "install the CUDA toolkit, which has it; nvcc and clang do it as well"},
    {"OpenBLAS", HW_DOCTOR_BETTER, look_for_blas, "halfwarp matmul on the processor", "apt-get install libopenblas0"},
    {"rsvg-convert", HW_DOCTOR_BETTER, look_for_drawer, "pictures as .png; .svg needs nothing",
     "apt-get install librsvg2-bin"},
    {"man", HW_DOCTOR_BETTER, look_for_man, "halfwarp help COMMAND shows manuals; else --help",
     "apt-get install man-db"},
};
const size_t hw_doctor_n_rows = sizeof hw_doctor_rows / sizeof hw_doctor_rows[0];
