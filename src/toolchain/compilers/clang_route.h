// CUDA by clang without a toolkit: one pass makes PTX, one makes host code with the fat binary in it.
#ifndef HW_TOOLCHAIN_CLANG_ROUTE_H
#define HW_TOOLCHAIN_CLANG_ROUTE_H

#include "toolchain/args.h"
#include "toolchain/compilers/arguments.h"
#include "toolchain/compilers/compilers.h"

// All strings live as long as the command lines that are made of them.
typedef struct hw_clang_route {
    hw_arena *arena;
    const hw_compiler *compiler;
    const hw_arguments *arguments;     // the user's, sorted
    const char *include_dir;           // include/cuda of this project
    const char *empty_dir;             // what clang is told to be the toolkit, so that it looks for none
    const char *fatbin;                // a file, for the host pass; NULL: host code alone
    const char *headers;               // what was kept of our headers for this pass (clang_headers.h); NULL: nothing;
                                       // "": it is being made
    bool optimizes_host;               // -O3 for host code too where the user gave no -O
} hw_clang_route;

// What every pass of clang over CUDA is told, also over a kernel in memory (device_code_process.c): no toolkit is
// looked for, the headers are ours, and libdevice's functions stay calls. empty_dir: as below.
void hw_clang_add_common(const hw_compiler *clang, int arch, const char *include_dir, const char *empty_dir,
                         hw_args *args);
// PTX, of the newest version that this clang writes, with line numbers.
void hw_clang_add_ptx(const hw_compiler *clang, hw_args *args);

// The beginning of a command that compiles for compute capability arch, up to the source (`-x cuda FILE`) and -o. The
// device's prints PTX; the host's has the fat binary register itself before main.
void hw_clang_add_device(const hw_clang_route *route, int arch, hw_args *args);
void hw_clang_add_host(const hw_clang_route *route, int arch, hw_args *args);

#endif
