// Worker threads that sleep between launches.
#ifndef HW_BASE_POOL_H
#define HW_BASE_POOL_H

#include <stdint.h>

typedef struct hw_pool hw_pool;

// `size` workers, of which the caller of hw_pool_run is one. Threads start when first needed. NULL: out of memory.
hw_pool *hw_pool_create(uint32_t size);
void hw_pool_destroy(hw_pool *pool);

// Starts threads for n workers, if the system gives them. Returns how many of the n there are, the caller included.
uint32_t hw_pool_start(hw_pool *pool, uint32_t n);

// Calls work(context, i) for i below n (at most size), each on a thread of its own, i = 0 on the caller's; returns when
// all have. The caller also does the work of threads that could not be started. Runs of several callers come one after
// the other; work itself must not start one.
void hw_pool_run(hw_pool *pool, uint32_t n, void (*work)(void *context, uint32_t index), void *context);

// From within work(context, 0) of a run of n: work(context, i) for i from n on and below `more` begins as well, on
// threads that are there; those that cannot be started are left out. hw_pool_run waits for them, too. Once in a run.
void hw_pool_join(hw_pool *pool, uint32_t n, uint32_t more);

#endif
