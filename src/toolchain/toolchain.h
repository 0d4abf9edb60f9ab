// .cu file -> executable whose device code is PTX, by nvcc or by clang with our own CUDA headers; what an executable
// brings with it; what ptxas says of PTX. Compilers run as child processes with the caller's environment; what they
// print goes to the caller's stderr untouched. Results are kept in a cache directory, which processes may share.
#ifndef HW_TOOLCHAIN_TOOLCHAIN_H
#define HW_TOOLCHAIN_TOOLCHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "isa/machine.h"

typedef enum hw_toolchain_compiler {
    HW_COMPILER_AUTO,
    HW_COMPILER_NVCC,
    HW_COMPILER_CLANG,
    HW_COMPILER_NVRTC,     // of device code in memory (device_code.h) alone
} hw_toolchain_compiler;

// All strings are the caller's, alive for the call. Only hw_toolchain_compile reads the fields above the line.
typedef struct hw_toolchain_options {
    const char *source;               // as the user named it: .cu, or .cpp, .cc or .cxx, which is host code alone
    int cc;                           // compute capability wanted, 90 for 9.0; the compiler's nearest is taken
    const char *const *arguments;     // the user's -I, -D, -O, -std=..., nvcc's or clang's spelling; -O3 when no -O
    size_t argument_count;
    hw_toolchain_compiler compiler;   // AUTO: nvcc when there is one, else the newest clang
    bool as_library;                  // to be looked into and not to be run: needs no main
    const char *include_dir;          // include/cuda of this project; of it nvcc reads old/ alone
    bool wants_name;                  // the compiler's, which takes some milliseconds
    const char *shim_dir;             // libcudart.so to link with (clang route); not written into the program
    // ---
    bool hide_nvcc;                   // as on a machine without the CUDA toolkit: no nvcc, no ptxas
    const char *search_path;          // directories for the compilers, as in PATH
    const char *cache_dir;            // created when missing
    uint32_t max_regs;                // ptxas alone: -maxrregcount; 0: none
} hw_toolchain_options;

typedef struct hw_toolchain_result {
    char executable[4096];            // in the cache; its file name is the source's without .cu or the like
    hw_toolchain_compiler compiler;   // NVCC or CLANG
    char compiler_name[64];           // with its version, "nvcc 13.0.88"; "" unless it was wanted
    int arch;                         // compute capability that the device code was compiled for
    bool from_cache;                  // nothing was compiled
    char note[1024];                  // what the user should know, failed or not: why not nvcc; "" when nothing
} hw_toolchain_result;

// Compiles, or finds in the cache. A cached program is used while its source, every file that was included, the
// options, the working directory and the compiler are what they were.
// Where nvcc is there and does not work, AUTO takes clang, with a note.
// HW_COMPILE: the compiler refused (it has said why); HW_NOT_FOUND: there is no compiler, or not the one asked for, or
// that does not work;
// HW_USAGE: an option that the compiler's route has no use for; HW_IO: source or cache cannot be read or written.
hw_status hw_toolchain_compile(const hw_toolchain_options *options, hw_toolchain_result *result, hw_diag *diag);

// Can this file run on a simulated GPU? HW_OK for programs with PTX, and for those with no device code (scripts
// included): they run as they are. HW_UNSUPPORTED with a sentence that says what to change: machine code only, another
// processor. HW_USAGE: not a program; HW_IO: cannot be read.
hw_status hw_toolchain_check_executable(const char *path, hw_diag *diag);

// The name of the CUDA runtime library that the program itself asks for ("libcudart.so.12"), so that ours can be loaded
// before one that the program's own search path (DT_RPATH) would find. "" when it asks for none or is no program.
void hw_toolchain_find_runtime(const char *path, char *name, size_t name_bytes);

// PTX text of a program, with a NUL behind it, and the fat binary that it is in, unless it was linked of several files'
// or is a file of its own (NULL). Alive during the call. A status other than HW_OK ends the walk.
typedef struct hw_ptx_piece {
    const char *ptx;
    size_t length;
    const void *container;
    size_t container_bytes;
} hw_ptx_piece;
typedef hw_status (*hw_toolchain_ptx_sink)(void *user, const hw_ptx_piece *piece, hw_diag *diag);

// Calls sink with the PTX of every piece of device code in an executable, as a GPU of capability cc would be given it;
// relocatable pieces come last, linked to one. A .ptx or .fatbin file is one piece. name: in messages.
// Returns what the sink did; HW_NOT_FOUND where there is no device code, or machine code only; HW_IO, HW_USAGE,
// HW_MALFORMED as above.
hw_status hw_toolchain_each_ptx(const char *path, const char *name, int cc, hw_toolchain_ptx_sink sink, void *user,
                                hw_diag *diag);

// What ptxas reports of one kernel. spill_bytes: stores and loads together.
typedef struct hw_ptxas_usage {
    const char *kernel;               // mangled; alive during the call of the sink
    int regs, spill_bytes, stack_bytes, smem_bytes;
} hw_ptxas_usage;

typedef void (*hw_ptxas_sink)(void *user, const hw_ptxas_usage *usage);

// Asks `ptxas -v -arch=sm_<cc>`, with -maxrregcount where the options say so, about PTX text and calls sink for each
// kernel. Answers are cached on disk.
// HW_NOT_FOUND, with the reason in diag: no ptxas, a cc that it does not know, or PTX that it does not take (what clang
// leaves unresolved, for one); the caller then estimates.
hw_status hw_toolchain_ptxas_regs(const hw_toolchain_options *options, const char *ptx, size_t length, int cc,
                                  hw_ptxas_sink sink, void *user, hw_diag *diag);

// Which instructions of machine code ptxas makes of PTX text, for each kernel and function that it compiles as one: by
// its tables of lines. Asked and cached together with the registers; in the arena. The same failures, and HW_NOT_FOUND
// for what is no machine code of 7.0 or newer.
hw_status hw_toolchain_machine_counts(const hw_toolchain_options *options, const char *ptx, size_t length, int cc,
                                      hw_arena *arena, hw_machine_module *machine, hw_diag *diag);

// The same two of the machine code that a program carries beside its PTX, for where there is no ptxas to ask: container
// is a fat binary (binary/fatbin.h), of which the code counts that a GPU of capability cc would be given. stack_bytes
// is the frame, and spill_bytes what instructions store to local memory and load from it: also what a kernel keeps
// there by itself. Counts of instructions need tables of lines (nvcc -lineinfo), and the PTX that the code was made
// from. HW_NOT_FOUND: it carries none.
hw_status hw_toolchain_carried_regs(const void *container, size_t readable_bytes, int cc, hw_ptxas_sink sink,
                                    void *user, hw_diag *diag);
// Spills of them: without a kernel's own arrays, which are in its frame too.
int hw_carried_spill_bytes(const hw_ptxas_usage *usage, uint32_t own_bytes);
hw_status hw_toolchain_carried_counts(const void *container, size_t readable_bytes, int cc, const char *ptx,
                                      size_t length, hw_arena *arena, hw_machine_module *machine, hw_diag *diag);

// Machine code that ptxas makes of PTX text for sm_<cc>, as `nvdisasm -g` prints it, with source lines; in the arena.
// hide_nvcc, search_path, cache_dir and max_regs of the options are read. HW_NOT_FOUND, with the reason in diag: one of
// the two is not there, or does not take the text; HW_IO, HW_NO_MEMORY.
hw_status hw_toolchain_machine_code(const hw_toolchain_options *options, const char *ptx, size_t length, int cc,
                                    hw_arena *arena, const char **text, size_t *bytes, hw_diag *diag);

#endif
