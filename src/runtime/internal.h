// What the files of the runtime share. Internal to runtime/.
#ifndef HW_RUNTIME_INTERNAL_H
#define HW_RUNTIME_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "runtime/handles.h"
#include "runtime/stream.h"

enum { HW_RT_POOL_ATTRIBUTES = 9, HW_RT_LIMITS_KEPT = 7 };

// ---- machine.c: the GPUs of one process, what they share, and which of them an object belongs to ----

typedef struct hw_rt_machine {
    uint32_t n;
    hw_runtime *gpus[HW_MEM_GPUS];
    hw_sim_common common;
    hw_timeline_host host;
    pthread_mutex_t contexts_lock;    // held while a context of any of them comes or goes
    struct hw_rt_capture *captures;   // that have begun and not ended, each with streams of any of them
    atomic_uint n_captures;
    atomic_uint n_pools;              // of all GPUs, made so far
    uint64_t last_capture;
    pthread_mutex_t capture_lock;     // of these
} hw_rt_machine;

// A machine without GPUs yet; NULL: no memory. And with its GPUs.
hw_rt_machine *hw_rt_machine_create(void);
void hw_rt_machine_destroy(hw_rt_machine *machine);
// Unlocked. Once more in a forked process, where other threads of the parent may have held them.
void hw_rt_machine_init_locks(hw_rt_machine *machine);

// The memory of any GPU that has a context; NULL: none has. With contexts_lock held.
hw_mem *hw_rt_machine_memory(const hw_rt_machine *machine);

// The GPU that has made the handle; the given one where none has. Costs a comparison where there is one GPU.
hw_runtime *hw_rt_owner(hw_runtime *runtime, hw_rt_handle_kind kind, const void *handle);
// The GPU whose work the stream's is: of the default streams, the given one.
hw_runtime *hw_rt_of_stream(hw_runtime *runtime, const hw_rt_stream *stream);
hw_runtime *hw_rt_of_event(hw_runtime *runtime, const hw_rt_event *event);
// The GPU whose memory lies at address; the given one where it is none's.
hw_runtime *hw_rt_of_address(hw_runtime *runtime, uint64_t address);

// ---- a GPU ----

struct hw_rt_pool {
    struct hw_rt_pool *next;           // of the GPU's
    uint32_t number;                   // in the machine, from 1 on: the flags of its allocations, on whichever GPU
    bool is_shared;                    // with other processes
    atomic_uint open_to;               // a bit for each GPU whose kernels may touch its memory, beside the own one
    _Atomic uint64_t attributes[HW_RT_POOL_ATTRIBUTES];
};

struct hw_runtime {
    hw_rt_machine *machine;
    uint32_t number;                  // of this GPU in it
    hw_rt_options options;
    char *ptxas_path, *cache_dir;

    hw_timeline *timeline;            // NULL: times are this machine's
    atomic_bool is_ready;             // there is a context, and nothing is sticky
    _Atomic(hw_sim *) sim;
    hw_mem *memory;                   // sim's, from its first moment to its last; under the machine's contexts_lock
    atomic_int sticky;                // hw_rt_status
    _Atomic uint64_t epoch, n_contexts;
    bool has_failed, is_orphan;       // is_orphan: a forked process whose parent has the context
    pthread_mutex_t lock;             // of making and ending the context

    struct hw_rt_module *modules;
    const struct hw_rt_text *loading; // whose variables are being placed
    pthread_mutex_t load_lock;        // of these two

    struct hw_rt_graph_block *graph_blocks;
    uint64_t graph_memory[4];         // HW_RT_GRAPH_MEMORY_ATTRIBUTES of graph.h
    pthread_mutex_t graph_lock;       // of these two
    atomic_uint n_graph_blocks;       // so that copies of programs without any don't take the lock

    struct hw_rt_reservation *reservations;
    struct hw_rt_mapping *mappings;
    struct hw_rt_physical *physicals;
    struct hw_rt_sharing *sharing;    // what other processes have of this one's memory
    struct hw_rt_opened *opened;      // what it has of theirs
    pthread_mutex_t virtual_lock;     // of these five

    hw_rt_handles handles;
    struct hw_rt_pool default_pool, *pools;
    pthread_mutex_t pool_lock;        // of the list of pools, and of what each has given out
    _Atomic(struct hw_rt_pool *) pool;
    atomic_ullong next_stream;
    atomic_uint flags;                // device.h
    atomic_int cache_preference, bank_preference;
    atomic_size_t limits[HW_RT_LIMITS_KEPT];
};

// Every call that needs the context begins with one of these two.
static inline hw_rt_status hw_rt_entered(hw_runtime *runtime) {
    return atomic_load_explicit(&runtime->is_ready, memory_order_acquire) ? HW_RT_SUCCESS : hw_rt_enter(runtime);
}
#define HW_RT_ENTER(runtime)                             \
    do {                                                 \
        hw_rt_status hw_entered = hw_rt_entered(runtime); \
        if (hw_entered) return hw_entered;               \
    } while (0)

// The context's; not NULL behind HW_RT_ENTER.
static inline hw_sim *hw_rt_sim(const hw_runtime *runtime) {
    return atomic_load_explicit(&runtime->sim, memory_order_acquire);
}
static inline hw_mem *hw_rt_mem(const hw_runtime *runtime) { return hw_sim_mem(hw_rt_sim(runtime)); }

// Whether anybody wants to hear what the program does; also before there is a context.
static inline bool hw_rt_is_heard(const hw_runtime *runtime) {
    return hw_rt_sim(runtime) && hw_sim_tells_host(hw_rt_sim(runtime));
}

// runtime.c. A GPU's own, without its machine. NULL is allowed.
void hw_rt_free_gpu(hw_runtime *runtime);
// From now on calls return status; HW_RT_SUCCESS: no longer.
void hw_rt_set_sticky(hw_runtime *runtime, hw_rt_status status);

// Of a child after a fork (process.c): all GPUs of the machine.
void hw_rt_become_orphan(hw_runtime *runtime);

// module.c: all modules, after their context has gone; hw_sim_options.place.
void hw_rt_forget_modules(hw_runtime *runtime);
uint64_t hw_rt_place_variable(void *runtime, const char *name, uint64_t bytes);

// Their memory alone: library.c, graph.c, graph_exec.c.
struct hw_rt_library;
void hw_rt_free_library(struct hw_rt_library *library);
struct hw_rt_graph;
void hw_rt_free_graph(struct hw_rt_graph *graph);
struct hw_rt_exec;
void hw_rt_free_exec(struct hw_rt_exec *exec);

// capture.c, graph_memory.c: what the runtime has of them.
void hw_rt_captures_free(hw_rt_machine *machine);
void hw_rt_graph_blocks_free(hw_runtime *runtime);

// virtual.c: all of it; and what there is of it comes to a new context's memory, for it outlives contexts.
void hw_rt_virtual_free(hw_runtime *runtime);
void hw_rt_virtual_reopen(hw_runtime *runtime, hw_mem *mem);

// sharing.c. Is the file memory of that name, as memfd_create has made it?
#define HW_RT_MEMORY_FILE "halfwarp"   // of pages that contexts or processes share
bool hw_rt_is_file_of(int fd, const char *name);
void hw_rt_sharing_free(hw_runtime *runtime);

// pool.c: the next of the machine's, its settings as they are at first.
void hw_rt_pool_init(hw_rt_machine *machine, struct hw_rt_pool *pool);
// Of memory that a pool of this number has given out, and that is free again; of all, where the context goes.
void hw_rt_pool_take_back(hw_runtime *runtime, uint32_t number, uint64_t bytes);
void hw_rt_pools_forget(hw_runtime *runtime);

// device.c
void hw_rt_init_device(hw_runtime *runtime);

#endif
