// Launches that kernels make.
#include "exec/child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void hw_children_init(hw_children *children, uint32_t depth, const hw_child_host *host) {
    *children = (hw_children){.depth = depth, .host = host};
    pthread_mutex_init(&children->lock, NULL);
}

void hw_children_free(hw_children *children, hw_mem *mem) {
    for (size_t i = 0; i < children->n; i++) hw_mem_free(mem, children->items[i].params, NULL);
    pthread_mutex_destroy(&children->lock);
    hw_free(children->users);
    hw_free(children->items);
}

static int compare(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int by_place(const void *left, const void *right) {
    const hw_child *a = left, *b = right;
    if (a->is_tail != b->is_tail) return a->is_tail - b->is_tail;
    if (a->parent_block != b->parent_block) return compare(a->parent_block, b->parent_block);
    return compare(a->number, b->number);
}

static int by_number(const void *left, const void *right) {
    const hw_child *a = left, *b = right;
    return a->is_tail != b->is_tail ? a->is_tail - b->is_tail : compare(a->number, b->number);
}

void hw_children_sort(hw_children *children, hw_mem *mem) {
    size_t kept = 0;
    for (size_t i = 0; i < children->n; i++) {
        if (children->items[i].is_launched) children->items[kept++] = children->items[i];
        else hw_mem_free(mem, children->items[i].params, NULL);
    }
    children->n = kept;
    if (kept) qsort(children->items, kept, sizeof *children->items, children->are_by_number ? by_number : by_place);
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
        made->number = children->made++;
        children->n++;
    }
    pthread_mutex_unlock(&children->lock);
    if (!good) hw_mem_free(mem, address, NULL);
    return good ? address : 0;
}

// A kernel launches what it has begun last.
uint32_t hw_children_launch(hw_children *children, uint64_t params, bool is_tail, const hw_child *how,
                            uint32_t *number) {
    const hw_child_host *host = children->host;
    uint32_t error = HW_CHILD_INVALID_VALUE;
    pthread_mutex_lock(&children->lock);
    size_t i = children->n;
    while (i > 0 && children->items[i - 1].params != params) i--;
    if (i > 0) {
        hw_child *child = &children->items[i - 1];
        child->is_tail = is_tail;
        *number = child->number;
        if (how) {
            child->function = how->function;
            child->shared_bytes = how->shared_bytes;
            memcpy(child->grid, how->grid, sizeof child->grid);
            memcpy(child->block, how->block, sizeof child->block);
        }
        error = host->refuses(host->context, children->depth + 1, child);
        child->is_launched = !error;
    }
    pthread_mutex_unlock(&children->lock);
    return error;
}

static bool is_waited_for(const hw_child *child, uint64_t block) {
    return child->is_launched && !child->is_tail && child->parent_block == block;
}

static size_t count_waited_for(const hw_children *children, uint64_t block) {
    size_t n = 0;
    for (size_t i = 0; i < children->n; i++) n += is_waited_for(&children->items[i], block);
    return n;
}

// Moves what the block has launched; false: there is no memory for it, and all stay.
static bool take_launched(hw_children *children, uint64_t block, hw_children *taken) {
    size_t kept = 0;
    pthread_mutex_lock(&children->lock);
    const size_t n = count_waited_for(children, block);
    if (n) taken->items = hw_calloc(n, sizeof *taken->items);
    const bool good = !n || taken->items;
    for (size_t i = 0; taken->items && i < children->n; i++) {
        const hw_child *child = &children->items[i];
        if (is_waited_for(child, block)) taken->items[taken->n++] = *child;
        else children->items[kept++] = *child;
    }
    if (taken->items) children->n = kept;
    pthread_mutex_unlock(&children->lock);
    return good;
}

hw_status hw_children_wait(hw_children *children, hw_mem *mem, uint64_t block, hw_fault *fault) {
    hw_children taken;
    hw_children_init(&taken, children->depth, children->host);
    hw_status status = HW_OK;
    if (!take_launched(children, block, &taken)) {
        status = HW_NO_MEMORY;
        fault->kind = HW_FAULT_NO_MEMORY;
        snprintf(fault->text, sizeof fault->text, "there is no memory for what a kernel waits for");
    } else if (taken.n) {
        hw_children_sort(&taken, mem);
        status = children->host->execute(children->host->context, &taken, fault);
    }
    hw_children_free(&taken, mem);
    return status;
}

enum { APART = 16 };    // names of streams and events look like addresses, and are none that CUDA gives a meaning

uint64_t hw_children_make_stream(hw_children *children) {
    pthread_mutex_lock(&children->lock);
    const uint64_t name = APART * ++children->n_streams;
    pthread_mutex_unlock(&children->lock);
    return name;
}

static bool have_users(hw_children *children, size_t n) {
    if (n <= children->users_capacity) return true;
    const size_t wanted = n < 64 ? 64 : 2 * n;
    uint64_t *bigger = hw_realloc_array(children->users, wanted, sizeof *bigger);
    if (!bigger) return false;
    memset(bigger + children->users_capacity, 0, (wanted - children->users_capacity) * sizeof *bigger);
    children->users = bigger;
    children->users_capacity = wanted;
    return true;
}

void hw_children_use(hw_children *children, uint64_t block, uint64_t name) {
    const uint64_t place = name / APART;
    pthread_mutex_lock(&children->lock);
    if (place && place <= children->n_streams && have_users(children, place + 1)) children->users[place] = block + 1;
    pthread_mutex_unlock(&children->lock);
}

bool hw_children_follow(hw_children *children, uint64_t block, uint64_t name) {
    const uint64_t place = name / APART;
    pthread_mutex_lock(&children->lock);
    const bool is_of_later = place < children->users_capacity && children->users[place] > block + 1;
    children->are_by_number |= is_of_later;
    pthread_mutex_unlock(&children->lock);
    return is_of_later;
}
