// Threads that take tasks until there are none left.
#include "op/common/tasks.h"

#include <stdatomic.h>

typedef struct tasks {
    hw_cpu_task *run;
    void *context;
    uint64_t count;
    _Atomic uint64_t taken;
} tasks;

static void take_tasks(void *context, uint32_t worker) {
    tasks *t = context;
    for (;;) {
        uint64_t task = atomic_fetch_add_explicit(&t->taken, 1, memory_order_relaxed);
        if (task >= t->count) return;
        t->run(t->context, task, worker);
    }
}

void hw_cpu_tasks_run(hw_pool *pool, uint32_t n_threads, uint64_t n_tasks, hw_cpu_task *run, void *context) {
    tasks t = {.run = run, .context = context, .count = n_tasks};
    if (n_threads > n_tasks) n_threads = (uint32_t)n_tasks;
    if (n_threads > 1) hw_pool_run(pool, n_threads, take_tasks, &t);
    else take_tasks(&t, 0);
}
