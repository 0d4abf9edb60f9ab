// The files that a program was made of, as compilers list them for make (-MD).
#ifndef HW_TOOLCHAIN_DEPEND_H
#define HW_TOOLCHAIN_DEPEND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

typedef struct hw_depend {
    hw_arena *arena;
    const char **paths;    // each once
    size_t count, capacity;
} hw_depend;

// Adds the files of one dependency file. False when it cannot be read, or lists nothing.
bool hw_depend_read(hw_depend *files, const char *make_file);

// The same from text, which is changed.
bool hw_depend_parse(hw_depend *files, char *text);

#endif
