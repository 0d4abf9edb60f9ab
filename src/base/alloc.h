// The one door to the heap. Tests close it after the nth allocation to walk every out-of-memory path.
#ifndef HW_BASE_ALLOC_H
#define HW_BASE_ALLOC_H

#include <stddef.h>

// These functions work as malloc, calloc, realloc and free; sizes in bytes. NULL on failure. hw_calloc and
// hw_realloc_array check the product for overflow.
void *hw_malloc(size_t bytes);
void *hw_calloc(size_t count, size_t bytes);
void *hw_realloc_array(void *old, size_t count, size_t bytes);
void hw_free(void *block);

// bytes of zeroed memory at a multiple of 64, for vectors of lanes. Of large blocks only pages that are touched cost
// memory. Freed with hw_free_aligned.
void *hw_alloc_lanes(size_t bytes);
void hw_free_aligned(void *lanes);

// For tests: the next `successes` allocations succeed, and every later one fails; negative: none fails. Not for use
// while other threads allocate.
void hw_alloc_fail_after(long successes);

// Makes room for one more element in a growing array: on success *items holds at least count + 1 elements of
// elem_bytes and *capacity is updated; on failure nothing changes. Returns 1 or 0.
int hw_grow(void **items, size_t count, size_t *capacity, size_t elem_bytes);

#endif
