// A list of chunks, each filled from its start.
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"

enum { CHUNK_BYTES = 64 * 1024 };

typedef struct chunk {
    struct chunk *next;
    size_t used, size;
    _Alignas(16) char bytes[];
} chunk;

struct hw_arena {
    chunk *chunks;
    bool ran_out;
};

hw_arena *hw_arena_create(void) { return hw_calloc(1, sizeof(hw_arena)); }

void hw_arena_destroy(hw_arena *arena) {
    if (!arena) return;
    for (chunk *c = arena->chunks; c;) {
        chunk *next = c->next;
        hw_free(c);
        c = next;
    }
    hw_free(arena);
}

void *hw_arena_take(hw_arena *arena, size_t bytes) {
    if (bytes > (size_t)1 << 46) {
        arena->ran_out = true;
        return NULL;
    }
    bytes = hw_align_up(bytes, 16);
    chunk *c = arena->chunks;
    if (!c || c->size - c->used < bytes) {
        size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        c = hw_malloc(sizeof(chunk) + size);
        if (!c) {
            arena->ran_out = true;
            return NULL;
        }
        *c = (chunk){.next = arena->chunks, .used = 0, .size = size};
        arena->chunks = c;
    }
    void *taken = c->bytes + c->used;
    c->used += bytes;
    memset(taken, 0, bytes);
    return taken;
}

bool hw_arena_ran_out(const hw_arena *arena) { return arena->ran_out; }

char *hw_arena_string(hw_arena *arena, const char *text, size_t length) {
    char *copy = hw_arena_take(arena, length + 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

char *hw_arena_vprintf(hw_arena *arena, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = length < 0 ? NULL : hw_arena_take(arena, (size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *hw_arena_printf(hw_arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = hw_arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}
