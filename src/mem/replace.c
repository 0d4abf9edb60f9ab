// Pieces are compared until one differs; from there on all is written.
#include "mem/replace.h"

#include <string.h>

enum { PIECE_BYTES = 4096 };

static size_t piece_of(size_t left) { return left < PIECE_BYTES ? left : PIECE_BYTES; }

bool hw_mem_replace(void *to, const void *from, size_t bytes) {
    size_t same = 0;
    while (same < bytes && !memcmp((char *)to + same, (const char *)from + same, piece_of(bytes - same)))
        same += piece_of(bytes - same);
    memmove((char *)to + same, (const char *)from + same, bytes - same);
    return same < bytes;
}

bool hw_mem_refill(void *to, int value, size_t bytes) {
    char piece[PIECE_BYTES];
    size_t same = 0;
    memset(piece, value, piece_of(bytes));
    while (same < bytes && !memcmp((char *)to + same, piece, piece_of(bytes - same))) same += piece_of(bytes - same);
    memset((char *)to + same, value, bytes - same);
    return same < bytes;
}
