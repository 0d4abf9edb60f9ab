// Memory that is freed all at once: what a module, a program or a report is made of.
#ifndef HW_BASE_ARENA_H
#define HW_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct hw_arena hw_arena;

// NULL when out of memory.
hw_arena *hw_arena_create(void);

// Frees everything ever taken from it. NULL is allowed.
void hw_arena_destroy(hw_arena *arena);

// Zeroed memory, aligned to 16 bytes, alive until the arena goes. NULL when out of memory.
void *hw_arena_take(hw_arena *arena, size_t bytes);

// Has hw_arena_take ever returned NULL? Lets a look-up that found nothing tell "not there" from "out of memory".
bool hw_arena_ran_out(const hw_arena *arena);

// A copy of length characters, with a NUL behind them.
char *hw_arena_string(hw_arena *arena, const char *text, size_t length);

// printf into the arena. NULL when out of memory.
char *hw_arena_printf(hw_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *hw_arena_vprintf(hw_arena *arena, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

#endif
