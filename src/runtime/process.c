// The one runtime of a process, whatever doors it has.
#include <pthread.h>

#include "runtime/internal.h"

static pthread_mutex_t process_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(hw_runtime *) the_runtime;

// As CUDA: what has been begun is not for the child, which may only begin by itself.
static void unlock_process_in_child(void) {
    hw_runtime *runtime = atomic_load(&the_runtime);
    process_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    if (runtime) hw_rt_become_orphan(runtime);
}

hw_runtime *hw_rt_process_made(void) { return atomic_load_explicit(&the_runtime, memory_order_acquire); }

hw_runtime *hw_rt_process(void (*describe)(hw_rt_options *options)) {
    hw_runtime *runtime = atomic_load_explicit(&the_runtime, memory_order_acquire);
    if (runtime) return runtime;
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
    return runtime;
}
