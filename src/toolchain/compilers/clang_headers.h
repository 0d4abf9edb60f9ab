// What clang has read of our CUDA headers, kept in the cache. They are a megabyte, and reading them takes clang longer
// than compiling most kernels and short programs. clang keeps them as a precompiled header, their templates
// instantiated, which every file would do again.
#ifndef HW_TOOLCHAIN_CLANG_HEADERS_H
#define HW_TOOLCHAIN_CLANG_HEADERS_H

#include "toolchain/args.h"
#include "toolchain/compilers/compilers.h"

typedef struct hw_clang_headers {
    const char *cache_dir, *include_dir;   // include_dir: include/cuda of this project
    const hw_compiler *clang;
    const hw_args *pass;    // a command up to the source; all of its words but --cuda-path decide what clang reads
    const hw_args *own;     // of a program: those of its words that are the user's; NULL: this is for a kernel
} hw_clang_headers;

// The precompiled header for passes that begin so, made if need be; NULL where it is not to be had. A kernel's is made
// when it is first asked for, and clang refuses it when a header has changed. A program's is made when it is asked for
// again, so that a program that is compiled once is compiled no later; and again when a header has changed, of which
// clang would complain where the user sees it. The user's macros and folders are no matter to it as long as our headers
// do not name these macros and find the same files; where they do, and with words that are not known here, it is NULL.
const char *hw_clang_headers_find(const hw_clang_headers *wanted, hw_arena *arena);

// The words that include the headers before the first line of a source: from what was kept, or, with NULL, from
// include_dir.
void hw_clang_headers_add(const char *kept, const char *include_dir, hw_args *args);

#endif
