// Worker threads that sleep between launches.
#include "base/pool.h"

#include <pthread.h>
#include <stdbool.h>

#include "base/alloc.h"

struct hw_pool {
    pthread_mutex_t turn;      // one run at a time; taken before lock
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    pthread_t *threads;
    uint64_t *jobs;            // how many each thread has been given
    uint32_t size, started, busy;
    bool stops;
    void (*work)(void *context, uint32_t index);
    void *context;
};

typedef struct thread_start {
    hw_pool *pool;
    uint32_t index;
} thread_start;

static void *thread_main(void *argument) {
    thread_start start = *(thread_start *)argument;
    hw_free(argument);
    hw_pool *pool = start.pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->stops && pool->jobs[start.index] == seen) pthread_cond_wait(&pool->wake, &pool->lock);
        if (pool->stops) break;
        seen++;
        pthread_mutex_unlock(&pool->lock);
        pool->work(pool->context, start.index);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0) pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

hw_pool *hw_pool_create(uint32_t size) {
    hw_pool *pool = hw_calloc(1, sizeof *pool);
    if (!pool) return NULL;
    pool->threads = hw_calloc(size, sizeof *pool->threads);
    pool->jobs = hw_calloc(size, sizeof *pool->jobs);
    if (!pool->threads || !pool->jobs) {
        hw_free(pool->threads);
        hw_free(pool->jobs);
        hw_free(pool);
        return NULL;
    }
    pool->size = size;
    pool->started = 1;
    pthread_mutex_init(&pool->turn, NULL);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    return pool;
}

void hw_pool_destroy(hw_pool *pool) {
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    pool->stops = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 1; i < pool->started; i++) pthread_join(pool->threads[i], NULL);
    pthread_mutex_destroy(&pool->turn);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->wake);
    pthread_cond_destroy(&pool->done);
    hw_free(pool->threads);
    hw_free(pool->jobs);
    hw_free(pool);
}

uint32_t hw_pool_start(hw_pool *pool, uint32_t n) {
    while (pool->started < n && pool->started < pool->size) {
        thread_start *start = hw_malloc(sizeof *start);
        if (!start) break;
        *start = (thread_start){pool, pool->started};
        if (pthread_create(&pool->threads[pool->started], NULL, thread_main, start)) {
            hw_free(start);
            break;
        }
        pool->started++;
    }
    return n < pool->started ? n : pool->started;
}

// The lock is the caller's.
static void begin(hw_pool *pool, uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; i++) {
        pool->jobs[i]++;
        pool->busy++;
    }
    if (first < end) pthread_cond_broadcast(&pool->wake);
}

void hw_pool_join(hw_pool *pool, uint32_t n, uint32_t more) {
    const uint32_t threads = hw_pool_start(pool, more);
    pthread_mutex_lock(&pool->lock);
    begin(pool, n, threads);
    pthread_mutex_unlock(&pool->lock);
}

void hw_pool_run(hw_pool *pool, uint32_t n, void (*work)(void *context, uint32_t index), void *context) {
    pthread_mutex_lock(&pool->turn);
    uint32_t threads = hw_pool_start(pool, n);
    pthread_mutex_lock(&pool->lock);
    pool->work = work;
    pool->context = context;
    pool->busy = 0;
    begin(pool, 1, threads);
    pthread_mutex_unlock(&pool->lock);
    work(context, 0);
    for (uint32_t i = threads; i < n; i++) work(context, i);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy) pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    pthread_mutex_unlock(&pool->turn);
}
