// What the user's compiler arguments become on each route; the table is arguments.def.
#ifndef HW_TOOLCHAIN_ARGUMENTS_H
#define HW_TOOLCHAIN_ARGUMENTS_H

#include "base/status.h"
#include "toolchain/args.h"

// clang's arguments by pass; nvcc's are all in `nvcc`.
typedef struct hw_arguments {
    hw_args device, host, link, nvcc;
    bool has_level, has_standard, has_device_debug;    // -O..., -std=..., -G
} hw_arguments;

// HW_USAGE when an argument's value is missing.
hw_status hw_arguments_sort(const char *const *arguments, size_t count, hw_arena *arena, hw_arguments *sorted,
                            hw_diag *diag);

// How many words this argument takes of the command line, itself included: 1 or 2; 0 when the table does not have it.
size_t hw_arguments_words(const char *argument);

#endif
