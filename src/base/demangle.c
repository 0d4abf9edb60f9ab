// The demangler of GCC's C++ runtime (libsupc++, linked statically), told to write into the caller's buffer.
#include "base/demangle.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// libiberty/cp-demangle.c of GCC: the text comes in pieces; 0 on success. No header declares it, and unlike
// __cxa_demangle it takes no heap.
int __gcclibcxx_demangle_callback(const char *mangled, void (*piece)(const char *text, size_t length, void *opaque),
                                  void *opaque);

enum { MAX_MANGLED = 8192 };   // longer names are left alone: the demangler's stack grows with them

typedef struct text {
    char *out;
    size_t used, room;   // room without the NUL
} text;

static void append_piece(const char *piece, size_t length, void *opaque) {
    text *t = opaque;
    if (length > t->room - t->used) length = t->room - t->used;
    memcpy(t->out + t->used, piece, length);
    t->used += length;
}

const char *hw_demangle(const char *mangled, char *out, size_t out_bytes) {
    text t = {.out = out, .room = out_bytes - 1};
    bool is_mangled = !strncmp(mangled, "_Z", 2) && strlen(mangled) <= MAX_MANGLED;
    if (is_mangled && __gcclibcxx_demangle_callback(mangled, append_piece, &t) == 0) out[t.used] = 0;
    else snprintf(out, out_bytes, "%s", mangled);
    return out;
}
