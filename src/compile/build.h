// From C to machine code: the compiler of this machine makes a shared object, which is kept on disk and loaded.
// Internal to compile.
#ifndef HW_COMPILE_BUILD_H
#define HW_COMPILE_BUILD_H

#include "base/arena.h"
#include "base/status.h"

typedef struct hw_compile_tools {
    const char *compiler;        // path of a C compiler
    const char *cache_dir;       // where objects are kept; NULL: nowhere
    const char *level;           // instruction-set level that code is made for: "base", "avx2", "avx512"
} hw_compile_tools;

// A C compiler in a list of directories: cc, gcc or clang, whichever is first; in the arena. NULL: there is none.
const char *hw_compile_find_compiler(const char *search_path, hw_arena *arena);

// Compiles a text and loads it. *object: what dlopen gave, the caller's to close. HW_IO, HW_NO_MEMORY; HW_UNSUPPORTED
// with the compiler's first words where it refuses the text.
hw_status hw_compile_build(const hw_compile_tools *tools, const char *text, size_t length, hw_arena *arena,
                           void **object, hw_diag *diag);

#endif
