// Copies and sets by several threads where there is much to write: one thread reaches a part of a machine's memory
// bandwidth, and fresh pages are cleared by whoever touches them first.
#ifndef HW_MEM_BULK_H
#define HW_MEM_BULK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Threads of its own: a copy must not wait for a kernel that runs, which may be waiting for what is copied.
typedef struct hw_bulk hw_bulk;

// By `threads` threads at most, the caller's among them; others start with the first large copy. NULL: out of memory.
hw_bulk *hw_bulk_create(uint32_t threads);
void hw_bulk_destroy(hw_bulk *bulk);

// memmove and memset. False: `compares`, and the bytes were there already (mem/replace.h). Threads: any; large copies
// come one after the other.
bool hw_bulk_copy(hw_bulk *bulk, void *to, const void *from, size_t bytes, bool compares);
bool hw_bulk_set(hw_bulk *bulk, void *to, int value, size_t bytes, bool compares);

#endif
