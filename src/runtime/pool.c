// Memory pools: their settings, and what they have given out.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "runtime/device.h"
#include "runtime/internal.h"
#include "runtime/memory.h"
#include "runtime/virtual.h"

void hw_rt_pool_init(hw_rt_machine *machine, hw_rt_pool *pool) {
    pool->number = atomic_fetch_add(&machine->n_pools, 1) + 1;
    for (unsigned i = 1; i <= HW_RT_POOL_FLAGS; i++) atomic_store(&pool->attributes[i], 1);
}

static hw_runtime *of_pool(hw_runtime *runtime, const hw_rt_pool *pool) {
    return hw_rt_owner(runtime, HW_RT_POOL, pool);
}

bool hw_rt_is_pool(hw_runtime *runtime, const hw_rt_pool *pool) {
    runtime = of_pool(runtime, pool);
    return hw_rt_handles_have(&runtime->handles, HW_RT_POOL, pool);
}

hw_rt_status hw_rt_pool_create(hw_runtime *runtime, bool is_shared, hw_rt_pool **out) {
    HW_RT_ENTER(runtime);
    hw_rt_pool *made = hw_rt_handles_make(&runtime->handles, HW_RT_POOL, sizeof *made);
    if (!made) return HW_RT_NO_MEMORY;
    hw_rt_pool_init(runtime->machine, made);
    made->is_shared = is_shared;
    pthread_mutex_lock(&runtime->pool_lock);
    made->next = runtime->pools;
    runtime->pools = made;
    pthread_mutex_unlock(&runtime->pool_lock);
    *out = made;
    return HW_RT_SUCCESS;
}

#define SHARED_NAME "halfwarp-pool"

hw_rt_status hw_rt_pool_export(hw_runtime *runtime, const hw_rt_pool *pool, int *fd) {
    runtime = of_pool(runtime, pool);
    HW_RT_ENTER(runtime);
    if (!hw_rt_is_pool(runtime, pool) || !pool->is_shared) return HW_RT_INVALID_VALUE;
    *fd = memfd_create(SHARED_NAME, 0);
    return *fd < 0 ? HW_RT_NO_MEMORY : HW_RT_SUCCESS;
}

hw_rt_status hw_rt_pool_import(hw_runtime *runtime, int fd, hw_rt_pool **out) {
    if (!hw_rt_is_file_of(fd, SHARED_NAME)) return HW_RT_INVALID_VALUE;
    return hw_rt_pool_create(runtime, false, out);
}

hw_rt_status hw_rt_pool_set_access(hw_runtime *runtime, hw_rt_pool *pool, int device, hw_rt_access access) {
    runtime = of_pool(runtime, pool);
    HW_RT_ENTER(runtime);
    if (!hw_rt_is_pool(runtime, pool)) return HW_RT_INVALID_VALUE;
    if (!hw_rt_gpu_at(runtime, device)) return HW_RT_INVALID_DEVICE;
    const bool is_own = (uint32_t)device == runtime->number, opens = access == HW_RT_ACCESS_READ_WRITE;
    if (!opens && access != HW_RT_ACCESS_NONE) return HW_RT_NOT_SUPPORTED;
    if (is_own) return opens ? HW_RT_SUCCESS : HW_RT_INVALID_DEVICE;
    if (opens) atomic_fetch_or(&pool->open_to, 1u << device);
    else atomic_fetch_and(&pool->open_to, ~(1u << device));
    hw_mem_open_all(hw_rt_mem(runtime), pool->number, (uint16_t)atomic_load(&pool->open_to));
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_pool_get_access(hw_runtime *runtime, hw_rt_pool *pool, int device, hw_rt_access *access) {
    runtime = of_pool(runtime, pool);
    if (!hw_rt_is_pool(runtime, pool) || !hw_rt_gpu_at(runtime, device)) return HW_RT_INVALID_VALUE;
    const bool is_open = (uint32_t)device == runtime->number || atomic_load(&pool->open_to) >> device & 1;
    *access = is_open ? HW_RT_ACCESS_READ_WRITE : HW_RT_ACCESS_NONE;
    return HW_RT_SUCCESS;
}

// ---- what they have given out ----

static void raise_to(_Atomic uint64_t *most, uint64_t value) {
    if (atomic_load(most) < value) atomic_store(most, value);
}

// With the lock held. kept: what stays reserved though nobody uses it.
static void count_used(hw_rt_pool *pool, uint64_t used, uint64_t kept) {
    _Atomic uint64_t *at = pool->attributes;
    const uint64_t needed = hw_align_up(used, HW_RT_RESERVED_AT_ONCE), had = atomic_load(&at[HW_RT_POOL_RESERVED_NOW]);
    const uint64_t left = had < kept ? had : kept;
    atomic_store(&at[HW_RT_POOL_USED_NOW], used);
    atomic_store(&at[HW_RT_POOL_RESERVED_NOW], needed > left ? needed : left);
    raise_to(&at[HW_RT_POOL_USED_MOST], used);
    raise_to(&at[HW_RT_POOL_RESERVED_MOST], needed);
}

static void give_out(hw_runtime *runtime, hw_rt_pool *pool, uint64_t bytes) {
    pthread_mutex_lock(&runtime->pool_lock);
    count_used(pool, atomic_load(&pool->attributes[HW_RT_POOL_USED_NOW]) + bytes, UINT64_MAX);
    pthread_mutex_unlock(&runtime->pool_lock);
}

// False: the pool is none of this GPU's.
static bool take_back(hw_runtime *gpu, uint32_t number, uint64_t bytes) {
    pthread_mutex_lock(&gpu->pool_lock);
    hw_rt_pool *pool = gpu->pools;
    while (pool && pool->number != number) pool = pool->next;
    const uint64_t used = pool ? atomic_load(&pool->attributes[HW_RT_POOL_USED_NOW]) : 0;
    if (pool)
        count_used(pool, used > bytes ? used - bytes : 0, atomic_load(&pool->attributes[HW_RT_POOL_THRESHOLD]));
    pthread_mutex_unlock(&gpu->pool_lock);
    return pool != NULL;
}

// The pool may be another GPU's than the stream that it was used in; or it is gone.
void hw_rt_pool_take_back(hw_runtime *runtime, uint32_t number, uint64_t bytes) {
    const hw_rt_machine *machine = runtime->machine;
    bool is_done = take_back(runtime, number, bytes);
    for (uint32_t i = 0; !is_done && i < machine->n; i++)
        is_done = machine->gpus[i] != runtime && take_back(machine->gpus[i], number, bytes);
}

void hw_rt_pools_forget(hw_runtime *runtime) {
    pthread_mutex_lock(&runtime->pool_lock);
    for (hw_rt_pool *pool = runtime->pools; pool; pool = pool->next) count_used(pool, 0, 0);
    pthread_mutex_unlock(&runtime->pool_lock);
}

hw_rt_status hw_rt_pool_trim(hw_runtime *runtime, hw_rt_pool *pool, uint64_t kept_bytes) {
    runtime = of_pool(runtime, pool);
    if (!hw_rt_is_pool(runtime, pool)) return HW_RT_INVALID_VALUE;
    pthread_mutex_lock(&runtime->pool_lock);
    count_used(pool, atomic_load(&pool->attributes[HW_RT_POOL_USED_NOW]), kept_bytes);
    pthread_mutex_unlock(&runtime->pool_lock);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_pool_alloc(hw_runtime *runtime, hw_rt_pool *pool, uint64_t bytes, hw_rt_order order,
                              const void *site, uint64_t *address) {
    runtime = of_pool(runtime, pool);
    HW_RT_ENTER(runtime);
    if (!hw_rt_is_pool(runtime, pool)) return HW_RT_INVALID_VALUE;
    hw_rt_status status = hw_rt_alloc(runtime, bytes, HW_ALLOC_DEVICE, pool->number, order, site, address);
    const unsigned open_to = atomic_load(&pool->open_to);
    if (!status && *address && open_to) hw_mem_open(hw_rt_mem(runtime), *address, (uint16_t)open_to);
    hw_allocation made;   // a capture's memory is the graph's, and not the pool's
    if (!status && *address && hw_rt_find(runtime, *address, 1, &made) && made.flags == pool->number)
        give_out(runtime, pool, bytes);
    return status;
}

hw_rt_status hw_rt_pool_destroy(hw_runtime *runtime, hw_rt_pool *pool) {
    runtime = of_pool(runtime, pool);
    HW_RT_ENTER(runtime);
    if (pool == &runtime->default_pool || !hw_rt_handles_remove(&runtime->handles, HW_RT_POOL, pool))
        return HW_RT_INVALID_VALUE;
    hw_rt_pool *current = pool;
    atomic_compare_exchange_strong(&runtime->pool, &current, NULL);
    pthread_mutex_lock(&runtime->pool_lock);
    hw_rt_pool **link = &runtime->pools;
    while (*link != pool) link = &(*link)->next;
    *link = pool->next;
    pthread_mutex_unlock(&runtime->pool_lock);
    hw_free(pool);
    return HW_RT_SUCCESS;
}

hw_rt_pool *hw_rt_default_pool(hw_runtime *runtime) { return &runtime->default_pool; }

hw_rt_pool *hw_rt_current_pool(hw_runtime *runtime) {
    hw_rt_pool *current = atomic_load(&runtime->pool);
    return current ? current : &runtime->default_pool;
}

hw_rt_status hw_rt_set_current_pool(hw_runtime *runtime, hw_rt_pool *pool) {
    HW_RT_ENTER(runtime);
    if (!hw_rt_is_pool(runtime, pool)) return HW_RT_INVALID_VALUE;
    atomic_store(&runtime->pool, pool);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_pool_set(hw_runtime *runtime, hw_rt_pool *pool, unsigned attribute, uint64_t value) {
    runtime = of_pool(runtime, pool);
    HW_RT_ENTER(runtime);
    if (!hw_rt_is_pool(runtime, pool) || !attribute || attribute > HW_RT_POOL_LAST) return HW_RT_INVALID_VALUE;
    const bool is_most = attribute == HW_RT_POOL_RESERVED_MOST || attribute == HW_RT_POOL_USED_MOST;
    if (attribute == HW_RT_POOL_RESERVED_NOW || attribute == HW_RT_POOL_USED_NOW || (is_most && value))
        return HW_RT_INVALID_VALUE;
    // The most is from now on what it is now.
    if (is_most) value = atomic_load(&pool->attributes[attribute - 1]);
    atomic_store(&pool->attributes[attribute], value);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_pool_get(hw_runtime *runtime, hw_rt_pool *pool, unsigned attribute, uint64_t *value) {
    runtime = of_pool(runtime, pool);
    HW_RT_ENTER(runtime);
    if (!hw_rt_is_pool(runtime, pool) || !attribute || attribute > HW_RT_POOL_LAST) return HW_RT_INVALID_VALUE;
    *value = atomic_load(&pool->attributes[attribute]);
    return HW_RT_SUCCESS;
}
