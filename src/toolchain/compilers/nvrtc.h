// NVIDIA's compiler as a library, loaded when it is first needed; nothing of CUDA is there at build time.
#ifndef HW_TOOLCHAIN_NVRTC_H
#define HW_TOOLCHAIN_NVRTC_H

#include <stddef.h>

#include "toolchain/cache/hash.h"
#include "toolchain/device_code/device_code.h"

typedef struct hw_nvrtc_program_data *hw_nvrtc_program;   // nvrtcProgram

typedef struct hw_nvrtc {
    void *library;
    int major, minor;
    char path[4096];         // of the library's file
#define HW_NVRTC(result, name, parameters) result (*name) parameters;
#include "toolchain/compilers/nvrtc.def"
#undef HW_NVRTC
} hw_nvrtc;

// The newest NVRTC on this machine, but of no newer major version than newest_major where there is a choice (0: any).
// It stays loaded. NULL when there is none, with a sentence in diag. Any thread.
const hw_nvrtc *hw_nvrtc_open(int newest_major, hw_diag *diag);

// Sets code->arch and is_ptx: machine code for exactly this GPU, or PTX for the nearest architecture that NVRTC knows.
hw_status hw_nvrtc_choose_arch(const hw_nvrtc *nvrtc, const hw_code_request *request, hw_arena *arena, hw_code *code,
                               hw_diag *diag);

// Compiles for what was chosen. HW_COMPILE, HW_UNSUPPORTED as hw_toolchain_device_code says.
hw_status hw_nvrtc_compile(const hw_nvrtc *nvrtc, const hw_code_request *request, hw_arena *arena, hw_code *code,
                           hw_diag *diag);

#endif
