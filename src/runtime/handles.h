// Which handles are alive: a hash set of pointers with their kinds. Internal to runtime/. Threads: any.
#ifndef HW_RUNTIME_HANDLES_H
#define HW_RUNTIME_HANDLES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum hw_rt_handle_kind {
    HW_RT_STREAM = 1, HW_RT_EVENT, HW_RT_ARRAY, HW_RT_POOL, HW_RT_MODULE, HW_RT_FUNCTION
} hw_rt_handle_kind;

typedef struct hw_rt_handles {
    struct hw_rt_handle *entries;
    size_t capacity, n_used;           // n_used counts removed ones too
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
bool hw_rt_handles_have(hw_rt_handles *handles, hw_rt_handle_kind kind, const void *handle);
bool hw_rt_handles_remove(hw_rt_handles *handles, hw_rt_handle_kind kind, const void *handle);

#endif
