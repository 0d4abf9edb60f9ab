// Which handles are alive: a hash set of pointers with their kinds. Internal to runtime/. Threads: any.
#ifndef HW_RUNTIME_HANDLES_H
#define HW_RUNTIME_HANDLES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum hw_rt_handle_kind {
    HW_RT_STREAM = 1, HW_RT_EVENT, HW_RT_ARRAY, HW_RT_POOL, HW_RT_MODULE, HW_RT_FUNCTION,
    HW_RT_LIBRARY, HW_RT_KERNEL, HW_RT_GRAPH, HW_RT_NODE, HW_RT_EXEC, HW_RT_USER_OBJECT,
    HW_RT_PHYSICAL
} hw_rt_handle_kind;

enum { HW_RT_HANDLES_BURIED = 256 };

typedef struct hw_rt_handles {
    struct hw_rt_handle *entries;
    size_t capacity, n_used;           // n_used counts removed ones too
    void *buried[HW_RT_HANDLES_BURIED];
    size_t n_buried;
    pthread_mutex_t lock;
} hw_rt_handles;

void hw_rt_handles_init(hw_rt_handles *handles);
// Calls free_one, if it is not NULL, for each that is still alive.
void hw_rt_handles_clear(hw_rt_handles *handles, void (*free_one)(void *context, hw_rt_handle_kind, void *handle),
                         void *context);

bool hw_rt_handles_add(hw_rt_handles *handles, hw_rt_handle_kind kind, void *handle);   // false: out of memory
// Zeroed memory that is a live handle from now on; the caller removes it and frees it with hw_free. NULL when out of
// memory.
void *hw_rt_handles_make(hw_rt_handles *handles, hw_rt_handle_kind kind, size_t bytes);
// For one that was removed, in place of hw_free: its memory goes when some more have been buried, so that none of those
// made next has the same handle, and who still uses this one is told so.
void hw_rt_handles_bury(hw_rt_handles *handles, void *handle);
bool hw_rt_handles_have(hw_rt_handles *handles, hw_rt_handle_kind kind, const void *handle);
bool hw_rt_handles_remove(hw_rt_handles *handles, hw_rt_handle_kind kind, const void *handle);

#endif
