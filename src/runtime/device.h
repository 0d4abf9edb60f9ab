// A GPU as a device: what it is, its settings, its peers.
#ifndef HW_RUNTIME_DEVICE_H
#define HW_RUNTIME_DEVICE_H

#include "runtime/runtime.h"

// HW_RT_INVALID_DEVICE unless it is the number of a GPU of the machine.
hw_rt_status hw_rt_check_device(const hw_runtime *runtime, int device);

// An attribute by the number that CUDA's two interfaces have for it (cudaDeviceAttr, CUdevice_attribute), of
// attribute.def. False when there is none of that number.
bool hw_rt_attribute(const hw_gpu *gpu, int attribute, int *value);

// The same of a runtime's GPU, with its place on the bus.
bool hw_rt_device_attribute(const hw_runtime *runtime, int attribute, int *value);

// As of cudaSetDeviceFlags; remembered.
void hw_rt_set_flags(hw_runtime *runtime, unsigned flags);
unsigned hw_rt_flags(const hw_runtime *runtime);

// As CUDA numbers them. Stack and heap are the simulator's; the others are remembered.
typedef enum hw_rt_limit {
    HW_RT_LIMIT_STACK, HW_RT_LIMIT_PRINTF, HW_RT_LIMIT_HEAP, HW_RT_LIMIT_SYNC_DEPTH, HW_RT_LIMIT_PENDING_LAUNCHES,
    HW_RT_LIMIT_L2_FETCH, HW_RT_LIMIT_L2_KEPT, HW_RT_LIMITS
} hw_rt_limit;

// Bytes or a count; rounded as an H200 rounds. HW_RT_UNSUPPORTED_LIMIT (also of the depth of synchronisation, which no
// kernel has), HW_RT_INVALID_VALUE, HW_RT_NO_MEMORY.
hw_rt_status hw_rt_set_limit(hw_runtime *runtime, unsigned limit, size_t value);
hw_rt_status hw_rt_get_limit(hw_runtime *runtime, unsigned limit, size_t *value);
// The same of a hw_runtime, for its kernels, which are within a call; false: HW_RT_UNSUPPORTED_LIMIT.
bool hw_rt_find_limit(void *of, unsigned limit, size_t *value);

// What CUDA calls the cache configuration: none, shared, L1, equal (0 to 3); remembered.
enum { HW_RT_CACHE_PREFERENCES = 4 };
hw_rt_status hw_rt_set_cache_preference(hw_runtime *runtime, unsigned preference);   // HW_RT_INVALID_VALUE
unsigned hw_rt_cache_preference(const hw_runtime *runtime);

// How wide a program wants the banks of shared memory: as the device has it, 4 or 8 bytes. CUDA's numbers.
enum { HW_RT_BANKS_DEFAULT, HW_RT_BANKS_OF_4, HW_RT_BANKS_OF_8, HW_RT_BANK_PREFERENCES };
hw_rt_status hw_rt_set_bank_preference(hw_runtime *runtime, unsigned preference);    // HW_RT_INVALID_VALUE
// What a function of that preference gets, 4 or 8: other GPUs than those of 3.x have one width, whatever is set.
uint32_t hw_rt_bank_bytes(const hw_runtime *runtime, int function_preference);

// Can kernels of the GPU be let touch the memory of that one? Those of one machine can since 2.0 (unified virtual
// addressing); no GPU is its own peer.
bool hw_rt_can_reach_peer(const hw_runtime *runtime, int peer);
// Until it is disabled, or either's context goes. HW_RT_INVALID_DEVICE, HW_RT_PEER_UNSUPPORTED, HW_RT_PEER_ENABLED.
hw_rt_status hw_rt_enable_peer(hw_runtime *runtime, int peer);
hw_rt_status hw_rt_disable_peer(hw_runtime *runtime, int peer);   // HW_RT_INVALID_DEVICE, HW_RT_PEER_NOT_ENABLED

#endif
