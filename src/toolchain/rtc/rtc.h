// What NVRTC does, by clang with our own CUDA headers: source and headers in memory, NVRTC's options and name
// expressions -> PTX, names and a log. Nothing is printed.
#ifndef HW_TOOLCHAIN_RTC_H
#define HW_TOOLCHAIN_RTC_H

#include "base/arena.h"
#include "base/status.h"
#include "toolchain/device_code/device_code.h"

// All memory is the caller's, alive for the call.
typedef struct hw_rtc_request {
    const char *name, *text;           // of the source; headers beside it are found in the folder that name has
    const hw_source_file *headers;     // what #include finds before any file
    size_t n_headers;
    const char *const *options;        // as nvrtcCompileProgram takes them; the table is rtc_options.def
    size_t n_options;
    const char *const *expressions;    // of kernels and variables: "N::scale<float>", "&N::counter"
    size_t n_expressions;
    const char *search_path;           // directories for clang, as in PATH
    const char *cache_dir;             // for what clang has read of our headers; NULL or "": nothing is kept
} hw_rtc_request;

// All in the arena.
typedef struct hw_rtc_result {
    const char *ptx;                   // NULL unless HW_OK
    const char **lowered;              // the names of the expressions in it
    const char *refused;               // of HW_UNSUPPORTED: the sentence that says what; NULL when memory ran out
    const char *log;                   // what there is to say, "" when nothing; "FILE(LINE): error: TEXT" as NVRTC does
} hw_rtc_result;

// PTX for the nearest architecture that clang knows. HW_USAGE: an option that is none; HW_UNSUPPORTED: an option, or a
// header's name, that only NVIDIA's NVRTC takes; HW_COMPILE: the source is wrong; HW_NOT_FOUND: there is no clang;
// HW_IO. The log says each, of HW_NO_MEMORY nothing.
hw_status hw_rtc_compile(const hw_rtc_request *request, hw_arena *arena, hw_rtc_result *result);

// Puts the compute capabilities that the clang of this machine compiles for into archs, which has room for max.
// Returns how many there are; 0: there is no clang.
size_t hw_rtc_archs(const char *search_path, const char *cache_dir, int *archs, size_t max);

#endif
