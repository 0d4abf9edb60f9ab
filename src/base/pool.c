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
    uint32_t size, started, n_workers, busy;
    uint64_t job;
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
        while (!pool->stops && (pool->job == seen || start.index >= pool->n_workers)) {
            seen = pool->job;
            pthread_cond_wait(&pool->wake, &pool->lock);
        }
        if (pool->stops) break;
        seen = pool->job;
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
    if (!pool->threads) {
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

void hw_pool_run(hw_pool *pool, uint32_t n, void (*work)(void *context, uint32_t index), void *context) {
    pthread_mutex_lock(&pool->turn);
    uint32_t threads = hw_pool_start(pool, n);
    pthread_mutex_lock(&pool->lock);
    pool->work = work;
    pool->context = context;
    pool->n_workers = threads;
    pool->busy = threads - 1;
    pool->job++;
    if (threads > 1) pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    work(context, 0);
    for (uint32_t i = threads; i < n; i++) work(context, i);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy) pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    pthread_mutex_unlock(&pool->turn);
}
