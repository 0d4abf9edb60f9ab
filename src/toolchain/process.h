// Child processes. They get the caller's environment, but for TMPDIR, and an empty standard input.
#ifndef HW_TOOLCHAIN_PROCESS_H
#define HW_TOOLCHAIN_PROCESS_H

#include <stddef.h>

#include "base/arena.h"
#include "base/status.h"
#include "toolchain/cache/hash.h"

// Runs argv (argv[0] is a path) and waits. With collected, standard output and error are put there, in the arena;
// without, both go to the caller's standard error. Its temporary files go to work_dir, where they are swept if it is
// killed; NULL: it makes none. *exit_status: as the process gave it, 128 + signal when killed. HW_IO when it cannot be
// started.
hw_status hw_process_run(const char *const *argv, const char *work_dir, hw_arena *arena, const char **collected,
                         int *exit_status, hw_diag *diag);

// The same with the caller's own standard output and error.
hw_status hw_process_run_openly(const char *const *argv, int *exit_status, hw_diag *diag);

// The path of the program `name` in a list of directories separated by colons, in the arena; NULL when there is none.
const char *hw_process_find(const char *search_path, const char *name, hw_arena *arena);

// Adds to the hash those variables of the environment that change what compilers do.
void hw_process_hash_environment(hw_hash *hash);

#endif
