// The GPUs of one process: what they share, and which of them an object belongs to. Internal to runtime/.
#ifndef HW_RUNTIME_MACHINE_H
#define HW_RUNTIME_MACHINE_H

#include <pthread.h>

#include "runtime/handles.h"
#include "runtime/stream.h"

typedef struct hw_rt_machine {
    uint32_t n;
    hw_runtime *gpus[HW_MEM_GPUS];
    hw_sim_locks locks;
    hw_timeline_host host;
    pthread_mutex_t contexts_lock;    // held while a context of any of them comes or goes
} hw_rt_machine;

// A machine without GPUs yet; NULL: no memory. And with its GPUs.
hw_rt_machine *hw_rt_machine_create(void);
void hw_rt_machine_destroy(hw_rt_machine *machine);
// In a forked process: other threads of the parent may have held its locks.
void hw_rt_machine_free_locks(hw_rt_machine *machine);

// The memory of any GPU that has a context; NULL: none has. With contexts_lock held.
hw_mem *hw_rt_machine_memory(const hw_rt_machine *machine);

// The GPU that has made the handle; the given one where none has. Costs a comparison where there is one GPU.
hw_runtime *hw_rt_owner(hw_runtime *runtime, hw_rt_handle_kind kind, const void *handle);
// The GPU whose work the stream's is: of the default streams, the given one.
hw_runtime *hw_rt_of_stream(hw_runtime *runtime, const hw_rt_stream *stream);
hw_runtime *hw_rt_of_event(hw_runtime *runtime, const hw_rt_event *event);
// The GPU whose memory lies at address; the given one where it is none's.
hw_runtime *hw_rt_of_address(hw_runtime *runtime, uint64_t address);

#endif
