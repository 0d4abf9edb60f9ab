// Memory that several processes have: an allocation as a name that another process that Halfwarp started can open.
//
// Memory that is shared moves into a file without a name, at the addresses that it has; others find it under /proc by
// the process and its file descriptor, and map it. While it moves, no other thread may write near it.
#ifndef HW_RUNTIME_SHARING_H
#define HW_RUNTIME_SHARING_H

#include "runtime/runtime.h"

// As CUDA gives names of memory, events and pools between processes: 64 bytes.
typedef struct hw_rt_shared_name {
    char kind[8];
    int32_t process, file;
    uint64_t offset, bytes;
    char unused[32];
} hw_rt_shared_name;

// Whose memory it is decides how it is closed: by hw_rt_shared_close, or as an allocation is freed.
typedef enum hw_rt_shared_kind { HW_RT_SHARED_MEMORY, HW_RT_SHARED_OF_POOL, HW_RT_SHARED_EVENT } hw_rt_shared_kind;

// Of the allocation that holds address; device memory alone. HW_RT_INVALID_VALUE, HW_RT_NO_MEMORY.
hw_rt_status hw_rt_share(hw_runtime *runtime, uint64_t address, hw_rt_shared_kind kind, hw_rt_shared_name *out);

// Another process's memory at an address of this one's; opened again, it is the same one, to be closed as often.
// HW_RT_INVALID_CONTEXT: this process's own. HW_RT_INVALID_VALUE: no such memory, or no longer. HW_RT_NO_MEMORY.
hw_rt_status hw_rt_shared_open(hw_runtime *runtime, const hw_rt_shared_name *name, hw_rt_shared_kind kind,
                               const void *site, uint64_t *address);
hw_rt_status hw_rt_shared_close(hw_runtime *runtime, uint64_t address, hw_rt_shared_kind kind);   // HW_RT_INVALID_VALUE

// Events between processes: work is done when the call that gives it returns, so that another process's event is one
// that has happened.
struct hw_rt_event;
hw_rt_status hw_rt_event_share(hw_runtime *runtime, struct hw_rt_event *event, hw_rt_shared_name *out);
hw_rt_status hw_rt_event_open(hw_runtime *runtime, const hw_rt_shared_name *name, struct hw_rt_event **out);

#endif
