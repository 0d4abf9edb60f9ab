// nvcc's command line without nvcc: files are compiled by clang with our own CUDA headers and the C++ compiler, and
// linked to our CUDA runtime. With the real nvcc: the command line that makes what Halfwarp can run.
#ifndef HW_TOOLCHAIN_NVCC_H
#define HW_TOOLCHAIN_NVCC_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "toolchain/toolchain.h"

// The CUDA release whose nvcc the driver stands for, and the compute capability for which that compiles unless told.
// Source: CUDA 13.0, nvcc --help, "--gpu-architecture".
#define HW_NVCC_RELEASE "13.0"
enum { HW_NVCC_DEFAULT_ARCH = 75 };

// All strings are the caller's, alive for the call.
typedef struct hw_nvcc_settings {
    hw_toolchain_compiler compiler;   // AUTO: the real nvcc when there is one that starts, else clang
    bool hide_nvcc;                   // as on a machine without the CUDA toolkit
    const char *name;                 // what --version says that does nvcc's work
    const char *search_path;          // directories for the compilers, as in PATH
    const char *toolkit_dir;          // a folder like a CUDA toolkit's: include, lib64
    const char *temporary_dir;
    const char *cache_dir;            // of what clang has read of our headers; created when missing; NULL: none
    // Options before and behind the user's, as words of one text; NULL: none. nvcc itself reads them where it runs.
    const char *prepend, *append;
    const volatile sig_atomic_t *stop;                           // not 0: end after the process under way; NULL: never
    void (*say)(void *user, const char *line);                   // a line for standard error
    void (*print)(void *user, const char *text, size_t bytes);   // text for standard output
    // Runs a program with its arguments, ended by NULL, for -run; returns its exit status.
    int (*run)(void *user, const char *const *program);
    void *user;
} hw_nvcc_settings;

// Does what the words of nvcc's command line ask for (without the program's own name). *exit_status: of the compiler
// that failed or, with the real nvcc, of nvcc. Compilers print what they have to say to standard error; a command that
// failed leaves nothing else behind.
// HW_USAGE: an option or a file that is not understood, or not supported, by name; HW_COMPILE: a file does not compile,
// or the program does not link; HW_NOT_FOUND: there is no compiler; HW_IO: a file cannot be read or written, or the
// caller asked to stop.
hw_status hw_nvcc_run(const hw_nvcc_settings *settings, const char *const *words, size_t count, int *exit_status,
                      hw_diag *diag);

#endif
