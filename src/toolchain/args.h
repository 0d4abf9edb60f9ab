// The words of a command line, growing in an arena.
#ifndef HW_TOOLCHAIN_ARGS_H
#define HW_TOOLCHAIN_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

typedef struct hw_args {
    hw_arena *arena;
    const char **items;    // ends with NULL once something was added
    size_t count, capacity;
    bool failed;           // memory ran out; checked once, before the command is run
} hw_args;

// word must live as long as the list.
void hw_args_add(hw_args *args, const char *word);
void hw_args_addf(hw_args *args, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Each word of text, separated by `separator`.
void hw_args_add_words(hw_args *args, const char *text, char separator);

// Each word of text, separated by blanks, with value in place of its '%'.
void hw_args_add_filled(hw_args *args, const char *text, const char *value);

// Each word of one of nvcc's lists, separated by commas; one in double quotes, or behind a backslash, which goes, does
// not separate. Source: "--define-macro A,B=1" and the like of CUDA 13.0's nvcc, as --dryrun shows them.
void hw_args_add_list(hw_args *args, const char *text);

void hw_args_add_all(hw_args *args, const hw_args *more);

// All words one behind the other, in the arena; NULL when memory ran out.
char *hw_args_join(const hw_args *args);

#endif
