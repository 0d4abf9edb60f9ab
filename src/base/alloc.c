// The one door to the heap, and its lock for tests.
#include "base/alloc.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"

static atomic_long allocations_left = -1;

static int may_allocate(void) {
    long left = atomic_load_explicit(&allocations_left, memory_order_relaxed);
    if (left < 0) return 1;
    if (left == 0) return 0;
    atomic_fetch_sub_explicit(&allocations_left, 1, memory_order_relaxed);
    return 1;
}

void hw_alloc_fail_after(long successes) { atomic_store(&allocations_left, successes < 0 ? -1 : successes); }

void *hw_malloc(size_t bytes) { return may_allocate() ? malloc(bytes ? bytes : 1) : NULL; }

void *hw_calloc(size_t count, size_t bytes) {
    if (!may_allocate()) return NULL;
    return calloc(count ? count : 1, bytes ? bytes : 1);
}

void *hw_realloc_array(void *old, size_t count, size_t bytes) {
    size_t total;
    if (__builtin_mul_overflow(count, bytes, &total) || !may_allocate()) return NULL;
    return realloc(old, total ? total : 1);
}

void hw_free(void *block) { free(block); }

void *hw_alloc_lanes(size_t bytes) {
    if (bytes > SIZE_MAX - 64 || !may_allocate()) return NULL;
    size_t rounded = hw_align_up(bytes, 64);
    void *block = aligned_alloc(64, rounded ? rounded : 64);
    if (block) memset(block, 0, rounded);
    return block;
}

void hw_free_aligned(void *block) { free(block); }

int hw_grow(void **items, size_t count, size_t *capacity, size_t elem_bytes) {
    if (count < *capacity) return 1;
    size_t wanted = *capacity ? *capacity * 2 : 16;
    void *bigger = hw_realloc_array(*items, wanted, elem_bytes);
    if (!bigger) return 0;
    *items = bigger;
    *capacity = wanted;
    return 1;
}
