// Memory pools: their settings.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "runtime/device.h"
#include "runtime/internal.h"
#include "runtime/memory.h"
#include "runtime/virtual.h"

void hw_rt_pool_init(hw_rt_pool *pool) {
    for (unsigned i = 1; i <= HW_RT_POOL_FLAGS; i++) atomic_store(&pool->attributes[i], 1);
}

bool hw_rt_is_pool(hw_runtime *runtime, const hw_rt_pool *pool) {
    return hw_rt_handles_have(&runtime->handles, HW_RT_POOL, pool);
}

hw_rt_status hw_rt_pool_create(hw_runtime *runtime, bool is_shared, hw_rt_pool **out) {
    HW_RT_ENTER(runtime);
    hw_rt_pool *made = hw_rt_handles_make(&runtime->handles, HW_RT_POOL, sizeof *made);
    if (!made) return HW_RT_NO_MEMORY;
    made->is_shared = is_shared;
    hw_rt_pool_init(made);
    *out = made;
    return HW_RT_SUCCESS;
}

#define SHARED_NAME "halfwarp-pool"

hw_rt_status hw_rt_pool_export(hw_runtime *runtime, const hw_rt_pool *pool, int *fd) {
    HW_RT_ENTER(runtime);
    if (!hw_rt_is_pool(runtime, pool) || !pool->is_shared) return HW_RT_INVALID_VALUE;
    *fd = memfd_create(SHARED_NAME, 0);
    return *fd < 0 ? HW_RT_NO_MEMORY : HW_RT_SUCCESS;
}

hw_rt_status hw_rt_pool_import(hw_runtime *runtime, int fd, hw_rt_pool **out) {
    if (!hw_rt_is_file_of(fd, SHARED_NAME)) return HW_RT_INVALID_VALUE;
    return hw_rt_pool_create(runtime, false, out);
}

hw_rt_status hw_rt_pool_check_access(int device, hw_rt_access access) {
    const hw_rt_status status = hw_rt_check_device(device);
    if (status || access == HW_RT_ACCESS_READ_WRITE) return status;
    return access == HW_RT_ACCESS_NONE ? HW_RT_INVALID_DEVICE : HW_RT_NOT_SUPPORTED;
}

hw_rt_status hw_rt_pool_destroy(hw_runtime *runtime, hw_rt_pool *pool) {
    HW_RT_ENTER(runtime);
    if (pool == &runtime->default_pool || !hw_rt_handles_remove(&runtime->handles, HW_RT_POOL, pool))
        return HW_RT_INVALID_VALUE;
    hw_rt_pool *current = pool;
    atomic_compare_exchange_strong(&runtime->pool, &current, NULL);
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
    HW_RT_ENTER(runtime);
    if (!hw_rt_is_pool(runtime, pool) || !attribute || attribute > HW_RT_POOL_LAST) return HW_RT_INVALID_VALUE;
    const bool is_most = attribute == HW_RT_POOL_RESERVED_MOST || attribute == HW_RT_POOL_USED_MOST;
    if (attribute == HW_RT_POOL_RESERVED_NOW || attribute == HW_RT_POOL_USED_NOW || (is_most && value))
        return HW_RT_INVALID_VALUE;
    atomic_store(&pool->attributes[attribute], value);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_pool_get(hw_runtime *runtime, hw_rt_pool *pool, unsigned attribute, uint64_t *value) {
    HW_RT_ENTER(runtime);
    if (!hw_rt_is_pool(runtime, pool) || !attribute || attribute > HW_RT_POOL_LAST) return HW_RT_INVALID_VALUE;
    uint64_t limit;
    if (attribute == HW_RT_POOL_USED_NOW || attribute == HW_RT_POOL_RESERVED_NOW)
        hw_mem_usage(hw_rt_mem(runtime), &limit, value);
    else *value = atomic_load(&pool->attributes[attribute]);
    return HW_RT_SUCCESS;
}
