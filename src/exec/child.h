// Launches that kernels make (dynamic parallelism): kept while their launch runs, and made by whoever has made that one
// when it has ended, or, in CUDA 11's device runtime, when a thread of the block that made them waits for them.
#ifndef HW_EXEC_CHILD_H
#define HW_EXEC_CHILD_H

#include <pthread.h>

#include "base/status.h"
#include "exec/fault.h"
#include "mem/mem.h"

enum { HW_CHILD_PARAM_BYTES = 4096 };       // of a kernel, at most
// Launches within launches that are waited for, the host's included, as CUDA has them: their depths are below this.
enum { HW_CHILD_DEPTHS = 24 };

// cudaError_t that launches within kernels end with.
enum { HW_CHILD_INVALID_VALUE = 1, HW_CHILD_TOO_DEEP = 65 };

typedef struct hw_child {
    uint64_t function;                      // its handle (HW_FUNCTION_HANDLE)
    uint32_t grid[3], block[3], shared_bytes;
    uint64_t params;                        // device memory, where the parent has put them; the list's
    bool is_launched, is_tail;              // is_tail: behind all others
    // Where in its launch it was made: children are in one order whatever thread has executed their parents, those of a
    // block as its threads have launched them, since they may be in one stream. Where a block launches into a stream
    // behind a later block, or lets one wait for an event that such has recorded, they are in the order of their
    // numbers, in which the one has waited for the other.
    uint64_t parent_block;
    uint32_t number;
} hw_child;

struct hw_children;

// cudaFuncAttributes, as far as all versions of CUDA from 11 on have it.
typedef struct hw_child_attributes {
    uint64_t shared_bytes, const_bytes, local_bytes;
    int32_t most_threads, regs, ptx_version, binary_version, caches_all, most_dynamic_shared_bytes, carveout;
} hw_child_attributes;

// The simulated device, as kernels ask it.
typedef struct hw_child_host {
    void *context;
    uint32_t gpus;
    uint32_t sync_depth;                    // launches as deep as this, the host's being 0, cannot wait any more
    // Makes them, whole, in this order. HW_UNSUPPORTED: fault->text says why kernels cannot wait.
    hw_status (*execute)(void *context, struct hw_children *children, hw_fault *fault);
    // cudaError_t of a launch at that depth that no GPU would take, which is then not made; 0: it can be made.
    uint32_t (*refuses)(void *context, uint32_t depth, const hw_child *child);
    bool (*attribute)(void *context, int attribute, int *value);
    bool (*limit)(void *context, uint32_t limit, size_t *value);    // cudaLimit
    bool (*describe)(void *context, uint64_t function, hw_child_attributes *out);
    // Blocks that a multiprocessor holds.
    bool (*occupancy)(void *context, uint64_t function, uint32_t threads, uint32_t shared_bytes, uint32_t *blocks);
} hw_child_host;

typedef struct hw_children {
    hw_child *items;
    size_t n, capacity;
    uint32_t made;                          // so far, those that are gone included
    uint64_t n_streams;                     // that kernels have made, and events
    uint64_t *users;                        // by place of a stream or event: the block that has launched into it, or
    size_t users_capacity;                  // recorded it, last, + 1; 0: none
    bool are_by_number;                     // in the order of numbers
    pthread_mutex_t lock;
    uint32_t depth;                         // of the launch that makes them
    const hw_child_host *host;
} hw_children;

void hw_children_init(hw_children *children, uint32_t depth, const hw_child_host *host);
void hw_children_free(hw_children *children, hw_mem *mem);     // with the memory of their parameters
// In the order in which they are to be made; those that were not launched after all are gone.
void hw_children_sort(hw_children *children, hw_mem *mem);

// What the calls of a kernel do. The address where the parameters go; 0: there is no memory.
uint64_t hw_children_begin(hw_children *children, hw_mem *mem, const hw_child *child);
// how: function, sizes and shared memory where they come with this call, or NULL. number: of hw_child. Returns
// cudaError_t: nothing was begun there, or it is refused.
uint32_t hw_children_launch(hw_children *children, uint64_t params, bool is_tail, const hw_child *how,
                            uint32_t *number);
bool hw_child_is_launched_by(const char *function);          // one that kernels call (warp/device_runtime.c)
uint64_t hw_children_make_stream(hw_children *children);     // the name of another stream or event
// A thread of the block launches into a stream, or records an event, of that name; is what it does with that behind
// what a later block has done so? Without memory for it the order of children is that of their blocks.
void hw_children_use(hw_children *children, uint64_t block, uint64_t name);
bool hw_children_follow(hw_children *children, uint64_t block, uint64_t name);
// Returns when those that the block has launched so far have been made; fault as hw_child_host.execute has it.
hw_status hw_children_wait(hw_children *children, hw_mem *mem, uint64_t block, hw_fault *fault);

#endif
