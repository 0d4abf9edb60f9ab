// Allocations, and what an address is.
#include "runtime/memory.h"

#include "runtime/capture.h"
#include "runtime/internal.h"
#include "runtime/sharing.h"
#include "runtime/tell.h"

enum { ALIGNMENT = 512 };   // cudaMalloc's

static hw_mem_caller caller_of(hw_rt_order order, const void *site) {
    return (hw_mem_caller){.site = site, .stream = hw_rt_stream_name(order.stream),
                           .is_in_order = order.is_asynchronous};
}

// Whether a capture takes the call, or forbids it.
static bool captures_alloc(hw_runtime *runtime, hw_runtime *gpu, uint64_t bytes, hw_rt_order order, uint64_t *address,
                           hw_rt_status *status) {
    const hw_rt_work work = {.kind = HW_RT_NODE_ALLOC, .memory = {.bytes = bytes, .gpu = gpu}};
    hw_rt_node *made = NULL;
    if (!order.is_asynchronous) return hw_rt_capture_forbids(runtime, status);
    if (!hw_rt_capture_work(runtime, order.stream, &work, &made, status)) return false;
    if (made) *address = hw_rt_node_work(made)->memory.address;
    return true;
}

static bool captures_free(hw_runtime *runtime, uint64_t address, hw_rt_order order, hw_rt_status *status) {
    const hw_rt_work work = {.kind = HW_RT_NODE_FREE, .memory = {.address = address}};
    if (!order.is_asynchronous) return hw_rt_capture_forbids(runtime, status);
    return hw_rt_capture_work(runtime, order.stream, &work, NULL, status);
}

hw_rt_status hw_rt_alloc(hw_runtime *runtime, uint64_t bytes, hw_alloc_kind kind, uint32_t flags, hw_rt_order order,
                         const void *site, uint64_t *address) {
    const bool is_of_pool = order.is_asynchronous && kind == HW_ALLOC_DEVICE;
    hw_runtime *gpu = runtime;   // the pool's, in whatever stream
    runtime = hw_rt_of_stream(runtime, order.stream);
    if (!is_of_pool || !flags) gpu = runtime;
    HW_RT_ENTER(runtime);
    hw_rt_status captured;
    *address = 0;
    if (!hw_rt_is_stream(runtime, order.stream)) return HW_RT_INVALID_HANDLE;
    if (bytes == 0) return HW_RT_SUCCESS;
    if (is_of_pool && !flags)
        return hw_rt_pool_alloc(runtime, hw_rt_current_pool(runtime), bytes, order, site, address);
    if (captures_alloc(runtime, gpu, bytes, order, address, &captured)) return captured;
    hw_mem *mem = hw_rt_mem(gpu);
    const hw_mem_caller caller = caller_of(order, site);
    hw_status status = hw_mem_alloc_for(mem, &caller, bytes, ALIGNMENT, kind, address, NULL);
    if (status) return hw_rt_status_of(status);
    if (flags) hw_mem_set_flags(mem, *address, flags);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_free(hw_runtime *runtime, uint64_t address, uint32_t kinds, hw_rt_order order, const void *site) {
    hw_rt_status status;
    runtime = hw_rt_of_stream(runtime, order.stream);
    HW_RT_ENTER(runtime);
    if (!hw_rt_is_stream(runtime, order.stream)) return HW_RT_INVALID_HANDLE;
    if (!address) return HW_RT_SUCCESS;
    if (captures_free(runtime, address, order, &status)) return status;   // the stream's, and not the memory's
    runtime = hw_rt_of_address(runtime, address);
    if (hw_rt_graph_free(runtime, address, &status)) return status;
    hw_mem *mem = hw_rt_mem(runtime);
    const hw_mem_caller caller = caller_of(order, site);
    hw_allocation found;
    if ((kinds >> HW_ALLOC_DEVICE & 1) && !hw_rt_shared_close(runtime, address, HW_RT_SHARED_OF_POOL))
        return HW_RT_SUCCESS;
    if (!hw_mem_find_any(mem, address, 0, &found) || !(kinds >> found.kind & 1) ||
        hw_mem_free_for(mem, &caller, address, NULL)) {
        hw_rt_tell_bad_free(runtime, address, site);
        return HW_RT_INVALID_VALUE;
    }
    if (found.kind == HW_ALLOC_DEVICE && found.flags) hw_rt_pool_take_back(runtime, found.flags, found.bytes);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_register(hw_runtime *runtime, uint64_t address, uint64_t bytes, uint32_t flags, const void *site) {
    HW_RT_ENTER(runtime);
    hw_mem *mem = hw_rt_mem(runtime);
    if (!address || !bytes) return HW_RT_INVALID_VALUE;
    hw_status status = hw_mem_register(mem, address, bytes, site, NULL);
    if (status) return status == HW_USAGE ? HW_RT_ALREADY_REGISTERED : HW_RT_NO_MEMORY;
    hw_mem_set_flags(mem, address, flags);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_unregister(hw_runtime *runtime, uint64_t address, const void *site) {
    HW_RT_ENTER(runtime);
    hw_allocation found;
    if (!hw_rt_find(runtime, address, 1, &found) || found.kind != HW_ALLOC_REGISTERED) {
        hw_rt_tell_bad_free(runtime, address, site);
        return HW_RT_NOT_REGISTERED;
    }
    const hw_mem_caller caller = caller_of((hw_rt_order){0}, site);
    return hw_rt_status_of(hw_mem_free_for(hw_rt_mem(runtime), &caller, address, NULL));
}

bool hw_rt_find(const hw_runtime *runtime, uint64_t address, uint64_t bytes, hw_allocation *out) {
    return hw_rt_sim(runtime) && hw_mem_find_any(hw_rt_mem(runtime), address, bytes, out);
}

bool hw_rt_is_managed(const hw_runtime *runtime, uint64_t address, uint64_t bytes) {
    hw_allocation found;
    return bytes && hw_rt_find(runtime, address, bytes, &found) &&
           (found.kind == HW_ALLOC_MANAGED || found.kind == HW_ALLOC_REGISTERED);
}

hw_rt_status hw_rt_memory_info(hw_runtime *runtime, uint64_t *total, uint64_t *unused) {
    HW_RT_ENTER(runtime);
    uint64_t used;
    hw_mem_usage(hw_rt_mem(runtime), total, &used);
    *unused = *total - used;
    return HW_RT_SUCCESS;
}
