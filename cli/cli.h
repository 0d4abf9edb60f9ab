// What the subcommands share.
#ifndef HW_CLI_CLI_H
#define HW_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "halfwarp.h"
#include "isa/gpu.h"

// Exit statuses of halfwarp itself; otherwise it exits with the program's own.
enum {
    HW_EXIT_FOUND = 1,   // check: there are findings; diff: something is worse
    HW_EXIT_USAGE = 2,   // wrong usage, or a file that cannot be read or written
    HW_EXIT_COMPILE = 3,
    HW_EXIT_UNSUPPORTED = 4,
    HW_EXIT_FAULT = 5,
    HW_EXIT_TIMEOUT = 124,   // --timeout, as timeout(1)
};

typedef struct hw_command {
    const char *name;
    const char *does;                     // one line for `halfwarp --help`
    const char *help;                     // what `halfwarp NAME --help` prints
    int (*main)(int argc, char **argv);   // argv[0] is the subcommand's name; returns the exit status
} hw_command;

extern const hw_command hw_cmd_run, hw_cmd_profile, hw_cmd_check, hw_cmd_gpus, hw_cmd_transpose, hw_cmd_bench,
    hw_cmd_ladder, hw_cmd_occupancy, hw_cmd_matmul, hw_cmd_reduce, hw_cmd_nearest, hw_cmd_bandwidth, hw_cmd_nvcc,
    hw_cmd_ptx, hw_cmd_diff, hw_cmd_plan, hw_cmd_doctor, hw_cmd_help;

// The commands in the order of `halfwarp --help`; NULL behind the last.
const hw_command *hw_cli_command_at(size_t index);
// NULL after a complaint.
const hw_command *hw_cli_find_command(const char *name);
// What `halfwarp --help` prints.
void hw_cli_print_help(FILE *out);
// What a shell runs to complete our words, to standard output; shell: "bash". The exit status.
int hw_cli_print_completions(const char *shell);

// The commit that was built, for benchmarks; "unknown" where git was not there.
extern const char hw_cli_commit[];

// Prints "halfwarp: ..." on stderr.
void hw_cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The GPU that --gpu names, however it is spelled, or of a file (io/gpu_file.h), which is read once; it lives until the
// program ends. NULL after a complaint.
const hw_gpu *hw_cli_find_gpu(const char *word);

// What HALFWARP_GPU, sim:G and hw_cli_find_gpu take for such a GPU: its id, or its file's absolute path.
const char *hw_cli_gpu_word(const hw_gpu *gpu);

// An empty file of ours for the program's process, and those that it starts, to write to. It lies in the folder for
// such files and has no name there, so that it goes with this process, however that ends; others open it by path while
// this process lives. file is -1 after a complaint.
typedef struct hw_cli_temporary {
    int file;        // a descriptor of ours
    char path[64];   // "/proc/PID/fd/N"
} hw_cli_temporary;

hw_cli_temporary hw_cli_temporary_open(const char *what);
// The same in memory, which cannot be full; without a complaint.
hw_cli_temporary hw_cli_temporary_memory(const char *what);
// Allowed twice.
void hw_cli_temporary_close(hw_cli_temporary *temporary);

// Where the parts lie that belong to this program: in the build tree beside it, installed under ../lib and ../share.
typedef struct hw_cli_paths {
    char shim_dir[4096];      // holds libcudart.so.*
    char include_dir[4096];   // CUDA headers of our own
} hw_cli_paths;

// False, with a complaint, when they are not where they should be.
bool hw_cli_find_paths(hw_cli_paths *paths);

// A folder laid out as a CUDA toolkit is, with bin/nvcc, include and lib64. As above.
bool hw_cli_find_toolkit(char folder[4096]);
// The same without a complaint where it is not there.
bool hw_cli_has_toolkit(char folder[4096]);

// Where the cases and peers of the benchmarks lie. As above.
bool hw_cli_find_bench(char folder[4096]);

// The manual page of that name, such as halfwarp-run. False where it is not installed, without a complaint.
bool hw_cli_find_manual(const char *page, char path[4096]);

// ~/.cache/halfwarp, or where the user says caches belong; to be freed. NULL: out of memory.
char *hw_cli_cache_folder(void);

// Complains about a failure of the library. Returns the exit status that it means.
int hw_cli_fail(hw_status status, const hw_diag *diag);

// Opens the device that --device names (NULL: the default) with the user's cache and PATH; memory_limit in bytes, 0:
// none. 0, or the exit status after a complaint.
int hw_cli_open_device(const char *name, unsigned long long memory_limit, hw_device **device);

#endif
