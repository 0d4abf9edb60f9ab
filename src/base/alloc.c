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
    while (left > 0 && !atomic_compare_exchange_weak(&allocations_left, &left, left - 1)) {}
    return left != 0;
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

// calloc knows which memory comes fresh from the system, and clears no page of it: large tables of which little is used
// cost what is used. Where the block begins stands in front of what the caller gets.
void *hw_alloc_lanes(size_t bytes) {
    enum { ALIGNMENT = 64 };
    if (bytes > SIZE_MAX - 2 * ALIGNMENT || !may_allocate()) return NULL;
    char *block = calloc(1, bytes + 2 * ALIGNMENT);
    if (!block) return NULL;
    void **lanes = (void **)hw_align_up((uintptr_t)block + sizeof block, ALIGNMENT);
    lanes[-1] = block;
    return lanes;
}

void hw_free_aligned(void *lanes) {
    if (lanes) free(((void **)lanes)[-1]);
}

int hw_grow(void **items, size_t count, size_t *capacity, size_t elem_bytes) {
    if (count < *capacity) return 1;
    size_t wanted = *capacity ? *capacity * 2 : 16;
    void *bigger = hw_realloc_array(*items, wanted, elem_bytes);
    if (!bigger) return 0;
    *items = bigger;
    *capacity = wanted;
    return 1;
}
