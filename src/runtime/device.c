// Settings of the device.
#include "runtime/device.h"

#include "base/integers.h"
#include "runtime/internal.h"

enum { LEAST_FIFO_BYTES = 512 << 10, HEAP_UNIT_BYTES = 64 << 10, STACK_UNIT_BYTES = 16 };   // as an H200 rounds
enum { MOST_STACK_BYTES = 512 << 10, MOST_SYNC_DEPTH = 24, FIRST_STREAM = 16 };

_Static_assert((int)HW_RT_LIMITS == (int)HW_RT_LIMITS_KEPT, "one place for each limit");

void hw_rt_init_device(hw_runtime *runtime) {
    atomic_store(&runtime->next_stream, FIRST_STREAM);
    // As an H200 has them.
    atomic_store(&runtime->limits[HW_RT_LIMIT_PRINTF], 8650752);
    atomic_store(&runtime->limits[HW_RT_LIMIT_PENDING_LAUNCHES], 2048);
    atomic_store(&runtime->limits[HW_RT_LIMIT_L2_FETCH], 64);
}

hw_rt_status hw_rt_check_device(const hw_runtime *runtime, int device) {
    return hw_rt_gpu_at(runtime, device) ? HW_RT_SUCCESS : HW_RT_INVALID_DEVICE;
}

bool hw_rt_device_attribute(const hw_runtime *runtime, int attribute, int *value) {
    enum { PCI_BUS_ID = 33 };
    if (!hw_rt_attribute(hw_rt_gpu(runtime), attribute, value)) return false;
    if (attribute == PCI_BUS_ID) *value = (int)hw_rt_place(runtime);
    return true;
}

void hw_rt_set_flags(hw_runtime *runtime, unsigned flags) { atomic_store(&runtime->flags, flags); }
unsigned hw_rt_flags(const hw_runtime *runtime) { return atomic_load(&runtime->flags); }

// Kernels launch others from 3.5 on, and wait for them before 9.0 (CUDA C++ Programming Guide, "CDP1"); an H200 (9.0)
// knows no such limit.
static bool has_sync_depth(const hw_runtime *runtime) {
    const int cc = (int)hw_rt_gpu(runtime)->arch->cc;
    return cc >= 35 && cc < 90;
}

hw_rt_status hw_rt_set_limit(hw_runtime *runtime, unsigned limit, size_t value) {
    HW_RT_ENTER(runtime);
    switch (limit) {
    case HW_RT_LIMIT_STACK:
        if (value > MOST_STACK_BYTES) return HW_RT_INVALID_VALUE;
        hw_sim_set_stack_bytes(hw_rt_sim(runtime), (uint32_t)hw_align_up(value, STACK_UNIT_BYTES));
        return HW_RT_SUCCESS;
    case HW_RT_LIMIT_HEAP:
        if (value > hw_rt_gpu(runtime)->memory_bytes) return HW_RT_NO_MEMORY;
        hw_sim_set_heap_bytes(hw_rt_sim(runtime), hw_align_up(value, HEAP_UNIT_BYTES));
        return HW_RT_SUCCESS;
    case HW_RT_LIMIT_SYNC_DEPTH:
        if (!has_sync_depth(runtime)) return HW_RT_UNSUPPORTED_LIMIT;
        if (value > MOST_SYNC_DEPTH) return HW_RT_INVALID_VALUE;
        hw_sim_set_sync_depth(hw_rt_sim(runtime), (uint32_t)value);
        return HW_RT_SUCCESS;
    case HW_RT_LIMIT_PRINTF:
        atomic_store(&runtime->limits[limit], value < LEAST_FIFO_BYTES ? LEAST_FIFO_BYTES : value);
        return HW_RT_SUCCESS;
    case HW_RT_LIMIT_PENDING_LAUNCHES:
    case HW_RT_LIMIT_L2_FETCH:
    case HW_RT_LIMIT_L2_KEPT: atomic_store(&runtime->limits[limit], value); return HW_RT_SUCCESS;
    default: return HW_RT_UNSUPPORTED_LIMIT;
    }
}

bool hw_rt_find_limit(void *of, unsigned limit, size_t *value) {
    const hw_runtime *runtime = of;
    if (limit >= HW_RT_LIMITS || (limit == HW_RT_LIMIT_SYNC_DEPTH && !has_sync_depth(runtime))) return false;
    if (limit == HW_RT_LIMIT_STACK) *value = hw_sim_stack_bytes(hw_rt_sim(runtime));
    else if (limit == HW_RT_LIMIT_HEAP) *value = hw_sim_heap_bytes(hw_rt_sim(runtime));
    else if (limit == HW_RT_LIMIT_SYNC_DEPTH) *value = hw_sim_sync_depth(hw_rt_sim(runtime));
    else *value = atomic_load(&runtime->limits[limit]);
    return true;
}

hw_rt_status hw_rt_get_limit(hw_runtime *runtime, unsigned limit, size_t *value) {
    HW_RT_ENTER(runtime);
    return hw_rt_find_limit(runtime, limit, value) ? HW_RT_SUCCESS : HW_RT_UNSUPPORTED_LIMIT;
}

hw_rt_status hw_rt_set_cache_preference(hw_runtime *runtime, unsigned preference) {
    HW_RT_ENTER(runtime);
    if (preference >= HW_RT_CACHE_PREFERENCES) return HW_RT_INVALID_VALUE;
    atomic_store(&runtime->cache_preference, (int)preference);
    return HW_RT_SUCCESS;
}

unsigned hw_rt_cache_preference(const hw_runtime *runtime) {
    return (unsigned)atomic_load(&runtime->cache_preference);
}

hw_rt_status hw_rt_set_bank_preference(hw_runtime *runtime, unsigned preference) {
    HW_RT_ENTER(runtime);
    if (preference >= HW_RT_BANK_PREFERENCES) return HW_RT_INVALID_VALUE;
    atomic_store(&runtime->bank_preference, (int)preference);
    return HW_RT_SUCCESS;
}

uint32_t hw_rt_bank_bytes(const hw_runtime *runtime, int function_preference) {
    int wanted = function_preference == HW_RT_BANKS_DEFAULT ? atomic_load(&runtime->bank_preference)
                                                            : function_preference;
    return wanted == HW_RT_BANKS_OF_8 && hw_rt_gpu(runtime)->arch->smem_bank_bytes == 8 ? 8 : 4;
}

bool hw_rt_can_reach_peer(const hw_runtime *runtime, int peer) {
    enum { FIRST_CC = 20 };
    const hw_runtime *other = hw_rt_gpu_at(runtime, peer);
    return other && other != runtime && hw_rt_gpu(runtime)->arch->cc >= FIRST_CC;
}

hw_rt_status hw_rt_enable_peer(hw_runtime *runtime, int peer) {
    HW_RT_ENTER(runtime);
    if (!hw_rt_gpu_at(runtime, peer)) return HW_RT_INVALID_DEVICE;
    if (!hw_rt_can_reach_peer(runtime, peer)) return HW_RT_PEER_UNSUPPORTED;
    if (hw_mem_reaches(hw_rt_mem(runtime), (uint32_t)peer)) return HW_RT_PEER_ENABLED;
    // What a GPU has been let reach is forgotten when that one's context goes: there has to be one.
    const hw_rt_status status = hw_rt_open(hw_rt_gpu_at(runtime, peer));
    if (!status) hw_mem_set_reach(hw_rt_mem(runtime), (uint32_t)peer, true);
    return status;
}

hw_rt_status hw_rt_disable_peer(hw_runtime *runtime, int peer) {
    HW_RT_ENTER(runtime);
    if (!hw_rt_gpu_at(runtime, peer)) return HW_RT_INVALID_DEVICE;
    if ((uint32_t)peer == runtime->number || !hw_mem_reaches(hw_rt_mem(runtime), (uint32_t)peer))
        return HW_RT_PEER_NOT_ENABLED;
    hw_mem_set_reach(hw_rt_mem(runtime), (uint32_t)peer, false);
    return HW_RT_SUCCESS;
}
