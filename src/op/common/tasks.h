// Many small pieces of work, taken by threads one after the other, or some at a time, until there are none left.
#ifndef HW_OP_CPU_TASKS_H
#define HW_OP_CPU_TASKS_H

#include <stddef.h>

#include "base/integers.h"
#include "base/pool.h"

typedef void hw_cpu_task(void *context, uint64_t task, uint32_t worker);

// Calls run(context, t, w) for each t below n_tasks, each once; w, below n_threads, is the thread that runs it. Returns
// when all are done. Which thread gets which task differs from run to run.
void hw_cpu_tasks_run(hw_pool *pool, uint32_t n_threads, uint64_t n_tasks, hw_cpu_task *run, void *context);

typedef void hw_cpu_share(void *context, uint64_t first, uint64_t end, uint32_t worker);

// The same for tasks of which a thread takes some that follow each other, from `first` to before `end`: as many as make
// about `shares` shares for each thread, 1 or more.
void hw_cpu_shares_run(hw_pool *pool, uint32_t n_threads, uint64_t n_tasks, uint32_t shares, hw_cpu_share *run,
                       void *context);

// The distance between the rooms of threads that need `bytes` each, side by side in one piece of memory: each begins in
// a page of its own, and at another place of the cache than its neighbour.
static inline size_t hw_cpu_room_pitch(size_t bytes) { return hw_align_up(bytes, 4096) + 64; }

#endif
