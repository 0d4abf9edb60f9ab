// The two ways of carrying out nvcc's command line; hw_nvcc_run (nvcc.h) chooses.
#ifndef HW_TOOLCHAIN_NVCC_ROUTE_H
#define HW_TOOLCHAIN_NVCC_ROUTE_H

#include "toolchain/compilers/compilers.h"
#include "toolchain/nvcc/nvcc.h"
#include "toolchain/nvcc/nvcc_options.h"

// By clang and the C++ compiler. clang: the one to take.
hw_status hw_nvcc_by_clang(const hw_nvcc_settings *settings, const hw_compiler *clang, const hw_nvcc_command *command,
                           hw_arena *arena, int *exit_status, hw_diag *diag);

// The words for the real nvcc at `path`: the user's, without Halfwarp's own, linked to the shared runtime, and with PTX
// for each architecture that would have machine code alone.
hw_status hw_nvcc_add_real(const char *path, const hw_args *words, hw_args *real, hw_diag *diag);

#endif
