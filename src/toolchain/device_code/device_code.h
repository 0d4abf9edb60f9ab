// CUDA source in memory -> PTX or machine code in memory, by NVRTC, nvcc or clang, whichever is there. What was
// compiled once is kept on disk. Nothing is printed: what the compiler says of the source goes to diag.
#ifndef HW_TOOLCHAIN_DEVICE_CODE_H
#define HW_TOOLCHAIN_DEVICE_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/status.h"
#include "toolchain/toolchain.h"

// A source text with the name that #include and messages know it by: "common/tile.cuh".
typedef struct hw_source_file {
    const char *path, *text;
    size_t bytes;                     // of the text, which ends with a NUL behind them
} hw_source_file;

// All memory is the caller's, alive for the call.
typedef struct hw_code_request {
    hw_source_file source;
    const hw_source_file *headers;    // what #include "PATH" finds
    size_t n_headers;
    const char *const *defines;       // "NAME=VALUE"
    size_t n_defines;
    int cc;                           // compute capability, 90 for 9.0
    bool wants_machine_code;   // for a GPU: NVRTC alone can; else PTX by any compiler, for the nearest architecture
    int newest_nvrtc;                 // major version that the GPU's driver understands; 0: any
    hw_toolchain_compiler compiler;   // AUTO: NVRTC, else nvcc, else clang
    const char *include_dir;          // include/cuda of this project (clang route); NULL: there is none
    const char *search_path;          // directories for nvcc and clang, as in PATH
    const char *cache_dir;            // created when missing; NULL or "": nothing is kept
} hw_code_request;

typedef struct hw_code {
    const char *bytes;                // in the arena, with a NUL behind them
    size_t length;
    bool is_ptx;                      // also where machine code was wanted and NVRTC does not know the GPU
    int arch;                         // compute capability that it was compiled for
    bool from_cache;
    char made_by[64];                 // compiler and version: as producer.h says it of PTX; "NVRTC 13.0"
} hw_code;

// Compiles, or finds in the cache. Any number of threads and processes; a cache that cannot be read or written costs
// time and nothing else.
// HW_COMPILE: the compiler refused; diag has its first error with file and line. HW_NOT_FOUND: there is no compiler,
// and the sentence says what to install. HW_UNSUPPORTED: NVRTC no longer compiles for such an old GPU.
hw_status hw_toolchain_device_code(const hw_code_request *request, hw_arena *arena, hw_code *code, hw_diag *diag);

#endif
