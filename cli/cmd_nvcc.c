// halfwarp nvcc, also started as halfwarp-nvcc or nvcc: a compiler driver that takes nvcc's command line.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli.h"
#include "run/launch.h"
#include "toolchain/compilers/compilers.h"
#include "toolchain/nvcc/nvcc.h"

static const char nvcc_help[] =
    "usage: halfwarp nvcc [OPTIONS] FILE...\n"
    "       halfwarp-nvcc [OPTIONS] FILE...\n"
    "\n"
    "Takes nvcc's command line and makes what nvcc would make of it: an ordinary\n"
    "program, object file or library, which `halfwarp run` runs. The real nvcc does\n"
    "the work where it is on PATH, else clang and the C++ compiler. As\n"
    "CMAKE_CUDA_COMPILER, in make and Meson, the program's name is halfwarp-nvcc.\n"
    "\n"
    "  FILE              .cu, .cpp, .cc, .cxx, .c, .o, .a, .so; .ptx with -fatbin\n"
    "                    and -dc\n"
    "  -o FILE           what is made\n"
    "  -c, -dc           an object file of each FILE; -odir DIR puts them there\n"
    "  -run              run the program on the simulated H200 when it is made\n"
    "  -shared, -lib     a shared or a static library\n"
    "  -E, -M, -MM       what the preprocessor makes of it; its rule for make\n"
    "  -MD, -MF FILE, -MT NAME\n"
    "                    write that rule beside what is compiled\n"
    "  -ptx, -fatbin     the device code alone; -cubin makes a fat binary with PTX,\n"
    "                    which a driver loads as well\n"
    "  -rdc=true, -dlink\n"
    "                    device code that is linked across files, when the program\n"
    "                    starts\n"
    "  -arch=sm_80, -gencode arch=...,code=...\n"
    "                    the architectures to compile for; compute_75 unless given\n"
    "  -cudart K         none, shared or static; shared and static are the same here\n"
    "  -ccbin PROGRAM    the C++ compiler; g++ unless given\n"
    "  -x L              cu, c++ or c, whatever the names of the files say\n"
    "  -I -D -U -L -l -isystem -include -std= -O -g -G -lineinfo -use_fast_math\n"
    "  -Xcompiler -Xlinker -Xptxas ...\n"
    "                    as nvcc takes them; --options-file FILE reads them from\n"
    "                    there\n"
    "  -v, --dryrun      show the commands; --dryrun does nothing else\n"
    "  --halfwarp-compiler C\n"
    "                    nvcc or clang; unless given nvcc where it is on PATH and\n"
    "                    starts, else clang\n"
    "  --version         as nvcc says it\n";

static volatile sig_atomic_t stopped_by;

static void note_signal(int number) { stopped_by = number; }

// A signal ends the compiler under way, which is in the same process group or told here to be the last; what is half
// made goes with the folder that it lies in.
static void take_signals(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART}, old;
        sigaction(numbers[i], NULL, &old);
        if (old.sa_handler != SIG_IGN) sigaction(numbers[i], &action, NULL);
    }
}

static void say_line(void *user, const char *line) {
    (void)user;
    // What nvcc shows of itself is read by other programs.
    if (strncmp(line, "#$ ", 3) == 0) fprintf(stderr, "%s\n", line);
    else hw_cli_complain("%s", line);
}

static void print_text(void *user, const char *text, size_t bytes) {
    (void)user;
    fwrite(text, 1, bytes, stdout);
}

// What a real nvcc's process is told: its own path, by which it is named where it comes back here.
static const char inside[] = "HALFWARP_INSIDE_NVCC";

// A wrapper (ccache's nvcc, a script) looks for the real nvcc on PATH, and would find us again without end: there we
// are not, and where it calls us all the same it is told so. False when memory ran out.
static bool keep_wrappers_from_us(void) {
    const char *search_path = getenv("PATH");
    hw_arena *arena = hw_arena_create();
    if (!arena) return false;
    const char *nvcc = hw_compiler_find_nvcc(search_path, arena);
    const char *others = nvcc ? hw_compiler_path_of_others(search_path, arena) : NULL;
    const bool good = nvcc ? others && setenv("PATH", others, 1) == 0 && setenv(inside, nvcc, 1) == 0
                           : !hw_arena_ran_out(arena);
    hw_arena_destroy(arena);
    return good;
}

static int run_program(void *user, const char *const *program) {
    (void)user;
    int ended_by;
    unsetenv(inside);
    hw_cli_launch launch = {.gpu = "h200", .program = (char **)program};
    return hw_cli_launch_run(&launch, NULL, &ended_by);
}

static hw_nvcc_settings settings_of(const char *toolkit_dir, const char *cache) {
    const char *folder = getenv("TMPDIR");
    return (hw_nvcc_settings){
        .hide_nvcc = hw_cli_hides_nvcc(),
        .search_path = getenv("PATH"),
        .name = "halfwarp " HW_VERSION,
        .toolkit_dir = toolkit_dir,
        .cache_dir = cache,
        .temporary_dir = folder && *folder == '/' ? folder : "/tmp",
        .prepend = getenv("NVCC_PREPEND_FLAGS"),
        .append = getenv("NVCC_APPEND_FLAGS"),
        .stop = &stopped_by,
        .say = say_line,
        .print = print_text,
        .run = run_program,
    };
}

static int nvcc_main(int argc, char **argv) {
    char toolkit[4096];
    hw_diag diag = {0};
    int exit_status = 0;
    const char *caller = getenv(inside);
    if (!hw_cli_hides_nvcc() && caller) {
        hw_cli_complain("%s, taken for NVIDIA's nvcc, calls halfwarp nvcc again: put the folder of NVIDIA's own in "
                        "front of its folder on PATH, or have clang compile (HALFWARP_HIDE_NVCC=1)", caller);
        return HW_EXIT_USAGE;
    }
    if (!hw_cli_find_toolkit(toolkit)) return HW_EXIT_USAGE;
    if (!hw_cli_hides_nvcc() && !keep_wrappers_from_us()) return hw_cli_fail(hw_diag_no_memory(&diag), &diag);
    char *cache = hw_cli_cache_folder();
    const hw_nvcc_settings settings = settings_of(toolkit, cache);
    take_signals();
    hw_status status = hw_nvcc_run(&settings, (const char *const *)argv + 1, (size_t)argc - 1, &exit_status, &diag);
    free(cache);
    if (stopped_by) {
        signal(stopped_by, SIG_DFL);
        raise(stopped_by);
    }
    return status ? hw_cli_fail(status, &diag) : exit_status;
}

const hw_command hw_cmd_nvcc = {"nvcc", "compile as nvcc does, with or without a CUDA toolkit", nvcc_help, nvcc_main};
