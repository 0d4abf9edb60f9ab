// Launches that kernels make.
#include "exec/child.h"

#include <stdlib.h>

#include "base/alloc.h"

void hw_children_init(hw_children *children) {
    *children = (hw_children){.n = 0};
    pthread_mutex_init(&children->lock, NULL);
}

void hw_children_free(hw_children *children, hw_mem *mem) {
    for (size_t i = 0; i < children->n; i++) hw_mem_free(mem, children->items[i].params, NULL);
    pthread_mutex_destroy(&children->lock);
    hw_free(children->items);
}

static int compare(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int by_place(const void *left, const void *right) {
    const hw_child *a = left, *b = right;
    if (a->is_tail != b->is_tail) return a->is_tail - b->is_tail;
    if (a->parent_block != b->parent_block) return compare(a->parent_block, b->parent_block);
    return compare(a->number, b->number);
}

void hw_children_sort(hw_children *children, hw_mem *mem) {
    size_t kept = 0;
    for (size_t i = 0; i < children->n; i++) {
        if (children->items[i].is_launched) children->items[kept++] = children->items[i];
        else hw_mem_free(mem, children->items[i].params, NULL);
    }
    children->n = kept;
    if (kept) qsort(children->items, kept, sizeof *children->items, by_place);
}

uint64_t hw_children_begin(hw_children *children, hw_mem *mem, const hw_child *child) {
    uint64_t address = 0;
    if (hw_mem_alloc(mem, HW_CHILD_PARAM_BYTES, 64, HW_ALLOC_HEAP, NULL, "parameters of a kernel's launch", &address,
                     NULL))
        return 0;
    pthread_mutex_lock(&children->lock);
    const bool good = hw_grow((void **)&children->items, children->n, &children->capacity, sizeof *children->items);
    if (good) {
        hw_child *made = &children->items[children->n];
        *made = *child;
        made->params = address;
        made->number = (uint32_t)children->n++;
    }
    pthread_mutex_unlock(&children->lock);
    if (!good) hw_mem_free(mem, address, NULL);
    return good ? address : 0;
}

// A kernel launches what it has begun last.
bool hw_children_launch(hw_children *children, uint64_t params, bool is_tail, uint32_t *number) {
    pthread_mutex_lock(&children->lock);
    size_t i = children->n;
    while (i > 0 && children->items[i - 1].params != params) i--;
    if (i > 0) {
        children->items[i - 1].is_launched = true;
        children->items[i - 1].is_tail = is_tail;
        *number = children->items[i - 1].number;
    }
    pthread_mutex_unlock(&children->lock);
    return i > 0;
}

uint64_t hw_children_make_stream(hw_children *children) {
    enum { APART = 16 };                    // names look like addresses, and are none that CUDA gives a meaning
    pthread_mutex_lock(&children->lock);
    const uint64_t name = APART * ++children->n_streams;
    pthread_mutex_unlock(&children->lock);
    return name;
}
