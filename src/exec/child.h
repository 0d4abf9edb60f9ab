// Launches that kernels make (dynamic parallelism): kept while their launch runs, and made by whoever has made that one
// when it has ended, which is all that CUDA promises since 12.0: a child may begin late, and its parent cannot wait.
#ifndef HW_EXEC_CHILD_H
#define HW_EXEC_CHILD_H

#include <pthread.h>

#include "mem/mem.h"

enum { HW_CHILD_PARAM_BYTES = 4096 };       // of a kernel, at most

typedef struct hw_child {
    uint64_t function;                      // its handle (HW_FUNCTION_HANDLE)
    uint32_t grid[3], block[3], shared_bytes;
    uint64_t params;                        // device memory, where the parent has put them; the list's
    bool is_launched, is_tail;              // is_tail: behind all others
    // Where in its launch it was made: children are in one order whatever thread has executed their parents, those of a
    // block as its threads have launched them, since they may be in one stream.
    uint64_t parent_block;
    uint32_t number;
} hw_child;

typedef struct hw_children {
    hw_child *items;
    size_t n, capacity;
    uint64_t n_streams;                     // that kernels have made
    pthread_mutex_t lock;
} hw_children;

void hw_children_init(hw_children *children);
void hw_children_free(hw_children *children, hw_mem *mem);     // with the memory of their parameters
// In the order in which they are to be made; those that were not launched after all are gone.
void hw_children_sort(hw_children *children, hw_mem *mem);

// What the two calls of a kernel do. The address where the parameters go; 0: there is no memory.
uint64_t hw_children_begin(hw_children *children, hw_mem *mem, const hw_child *child);
// false: nothing was begun there. number: of hw_child.
bool hw_children_launch(hw_children *children, uint64_t params, bool is_tail, uint32_t *number);
bool hw_child_is_launched_by(const char *function);          // one that kernels call (warp/builtin.c)
uint64_t hw_children_make_stream(hw_children *children);     // the name of another stream

#endif
