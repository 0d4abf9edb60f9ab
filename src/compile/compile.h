// Kernels as machine code: parts of a program's basic blocks, in the interpreter's stead where they are worth it.
//
// The interpreter is the first tier and the reference. While it executes a kernel that takes long, a thread writes the
// kernel's segments (exec/segment.h) as C, made for how its lanes were seen to lie, has the machine's C compiler
// translate them, and attaches them, also to a launch that runs. Results and counts are the interpreter's, to the bit.
// Where there is no compiler, or it fails, nothing happens.
#ifndef HW_COMPILE_COMPILE_H
#define HW_COMPILE_COMPILE_H

#include <stdbool.h>

#include "base/status.h"
#include "lower/program.h"

typedef struct hw_compile hw_compile;

typedef struct hw_compile_options {
    const char *search_path;     // directories with compilers, separated by colons, as PATH is
    const char *cache_dir;       // where machine code is kept between processes; NULL or "": nowhere
    uint64_t patience_ns;        // what a kernel takes before it is compiled; 0: the default
    bool waits;                  // every kernel is compiled before its second launch, which waits for it
} hw_compile_options;

// Strings are copied. HW_OK with *out NULL where there is no C compiler; HW_NO_MEMORY.
hw_status hw_compile_create(const hw_compile_options *options, hw_compile **out, hw_diag *diag);
// Waits for a compiler that runs. NULL is allowed; of the other functions too.
void hw_compile_destroy(hw_compile *compile);

// A launch of a program of the set begins, and ends. One launch at a time. Both take some ten nanoseconds.
void hw_compile_launch_begins(hw_compile *compile, const hw_program_set *set, const hw_program *entry);
void hw_compile_launch_ends(hw_compile *compile);

// The set is about to be freed: its code is not used any more. Waits for a compiler that works on it.
void hw_compile_forget(hw_compile *compile, const hw_program_set *set);

// Compiles what the entry can call now, by the accesses that have been seen, and attaches it; entry NULL: all programs
// of the set. No program twice. *segments: how many they are. HW_UNSUPPORTED, HW_IO, HW_NO_MEMORY with the reason where
// there is no code. For tests.
hw_status hw_compile_now(hw_compile *compile, const hw_program_set *set, const hw_program *entry, uint32_t *segments,
                         hw_diag *diag);

#endif
