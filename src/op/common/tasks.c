// Threads that take tasks until there are none left.
#include "op/common/tasks.h"

#include <stdatomic.h>

typedef struct tasks {
    hw_cpu_share *run;
    void *context;
    uint64_t count, share;
    _Atomic uint64_t taken;
} tasks;

static void take_shares(void *context, uint32_t worker) {
    tasks *t = context;
    for (;;) {
        uint64_t first = atomic_fetch_add_explicit(&t->taken, t->share, memory_order_relaxed);
        if (first >= t->count) return;
        t->run(t->context, first, t->count - first < t->share ? t->count : first + t->share, worker);
    }
}

static void run_all(hw_pool *pool, uint32_t n_threads, tasks *t) {
    if (n_threads > t->count) n_threads = (uint32_t)t->count;
    if (n_threads > 1) hw_pool_run(pool, n_threads, take_shares, t);
    else take_shares(t, 0);
}

void hw_cpu_shares_run(hw_pool *pool, uint32_t n_threads, uint64_t n_tasks, uint32_t shares, hw_cpu_share *run,
                       void *context) {
    tasks t = {.run = run, .context = context, .count = n_tasks, .share = n_tasks / n_threads / shares + 1};
    run_all(pool, n_threads, &t);
}

typedef struct one_by_one {
    hw_cpu_task *run;
    void *context;
} one_by_one;

static void run_one(void *context, uint64_t first, uint64_t end, uint32_t worker) {
    const one_by_one *one = context;
    for (; first < end; first++) one->run(one->context, first, worker);
}

void hw_cpu_tasks_run(hw_pool *pool, uint32_t n_threads, uint64_t n_tasks, hw_cpu_task *run, void *context) {
    one_by_one one = {run, context};
    tasks t = {.run = run_one, .context = &one, .count = n_tasks, .share = 1};
    run_all(pool, n_threads, &t);
}
