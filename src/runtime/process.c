// The one machine of a process, whatever doors it has, and which of its GPUs is a thread's current one.
#include <pthread.h>

#include "runtime/internal.h"

static pthread_mutex_t process_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(hw_runtime *) the_runtime;     // its first GPU
static _Thread_local uint32_t selected;

// As CUDA: what has been begun is not for the child, which may only begin by itself.
static void unlock_process_in_child(void) {
    hw_runtime *runtime = atomic_load(&the_runtime);
    process_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    if (runtime) hw_rt_become_orphan(runtime);
}

void hw_rt_process_select(uint32_t number) { selected = number; }
uint32_t hw_rt_process_selected(void) { return selected; }

static hw_runtime *current_gpu(hw_runtime *first) { return selected ? first->machine->gpus[selected] : first; }

hw_runtime *hw_rt_process_made(void) {
    hw_runtime *first = atomic_load_explicit(&the_runtime, memory_order_acquire);
    return first ? current_gpu(first) : NULL;
}

hw_runtime *hw_rt_process(void (*describe)(hw_rt_options *options)) {
    hw_runtime *runtime = atomic_load_explicit(&the_runtime, memory_order_acquire);
    if (runtime) return current_gpu(runtime);
    pthread_mutex_lock(&process_lock);
    runtime = atomic_load(&the_runtime);
    if (!runtime) {
        hw_rt_options options = {0};
        describe(&options);
        if (!hw_rt_create(&options, &runtime, NULL)) {
            pthread_atfork(NULL, NULL, unlock_process_in_child);
            atomic_store(&the_runtime, runtime);
        }
    }
    pthread_mutex_unlock(&process_lock);
    return runtime ? current_gpu(runtime) : NULL;
}
