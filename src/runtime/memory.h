// Memory of the runtime: allocations, what an address is, copies, sets, pools.
//
// `site` is who asked, as the door describes it in messages about faults; NULL: nobody is named. Addresses are device
// addresses (mem/mem.h); those of host memory are the host's.
#ifndef HW_RUNTIME_MEMORY_H
#define HW_RUNTIME_MEMORY_H

#include "event/host.h"
#include "runtime/runtime.h"
#include "runtime/stream.h"

enum { HW_RT_RESERVED_AT_ONCE = 32 << 20 };   // as an H200 takes memory for pools and graphs
enum { HW_RT_PITCH_BYTES = 512 };   // what rows are rounded up to for their pitch, on all GPUs since 2.0

// In which order the program asked for something that has to do with memory.
typedef struct hw_rt_order {
    hw_rt_stream *stream;
    bool is_asynchronous;              // it asked for a call that need not wait; here every call does
} hw_rt_order;

// Contents as of mem/mem.h. flags are kept with the allocation, for its owner. 0 bytes: success, *address is 0.
// HW_RT_INVALID_HANDLE (the stream), HW_RT_NO_MEMORY.
hw_rt_status hw_rt_alloc(hw_runtime *runtime, uint64_t bytes, hw_alloc_kind kind, uint32_t flags, hw_rt_order order,
                         const void *site, uint64_t *address);

// The allocation that begins at address, if it is of one of the kinds: a bit 1u << hw_alloc_kind for each. address 0:
// success. HW_RT_INVALID_HANDLE (the stream), HW_RT_INVALID_VALUE.
hw_rt_status hw_rt_free(hw_runtime *runtime, uint64_t address, uint32_t kinds, hw_rt_order order, const void *site);

// Makes the program's own memory accessible to kernels: HW_RT_INVALID_VALUE, HW_RT_ALREADY_REGISTERED,
// HW_RT_NO_MEMORY. And takes that back, by the address that was registered: HW_RT_NOT_REGISTERED.
hw_rt_status hw_rt_register(hw_runtime *runtime, uint64_t address, uint64_t bytes, uint32_t flags, const void *site);
hw_rt_status hw_rt_unregister(hw_runtime *runtime, uint64_t address, const void *site);

// The live allocation that holds [address, address + bytes), of any GPU. False when there is none, or no context.
bool hw_rt_find(const hw_runtime *runtime, uint64_t address, uint64_t bytes, hw_allocation *out);
// Whether that is managed memory, or the program's own that stands for such.
bool hw_rt_is_managed(const hw_runtime *runtime, uint64_t address, uint64_t bytes);

// Of the GPU's memory, bytes: all of it, and what is not allocated.
hw_rt_status hw_rt_memory_info(hw_runtime *runtime, uint64_t *total, uint64_t *unused);

// ---- copies and sets ----

// One side of a copy, or what is set.
typedef struct hw_rt_region {
    char *start;
    size_t pitch, slice;               // bytes from row to row, from slice to slice
} hw_rt_region;

// Rows of width bytes, height of them in each of depth slices.
typedef struct hw_rt_shape {
    size_t width, height, depth;
} hw_rt_shape;

// Regions may overlap where each is one row. direction is a hw_host_copy_kind; other numbers are
// HW_RT_INVALID_DIRECTION. Device memory must lie within one allocation, the first and last byte of host memory must
// be readable. HW_RT_INVALID_HANDLE (the stream), HW_RT_INVALID_VALUE.
hw_rt_status hw_rt_copy(hw_runtime *runtime, hw_rt_region to, hw_rt_region from, hw_rt_shape shape, unsigned direction,
                        hw_rt_order order);

// For doors that find by themselves that a copy cannot be: tells observers so. bytes 0: it is not known how many.
void hw_rt_tell_bad_bytes(hw_runtime *runtime, hw_host_action action, hw_host_reason reason, uint64_t address,
                          uint64_t bytes);

// Fills rows of device memory with a byte. HW_RT_INVALID_HANDLE, HW_RT_INVALID_VALUE.
hw_rt_status hw_rt_set(hw_runtime *runtime, hw_rt_region to, int value, hw_rt_shape shape, hw_rt_order order);

// The same with a word of 1, 2 or 4 bytes, of which shape.width is a multiple. Also HW_RT_INVALID_VALUE where a row
// does not begin at a multiple of word_bytes.
hw_rt_status hw_rt_set_words(hw_runtime *runtime, hw_rt_region to, uint32_t word, size_t word_bytes, hw_rt_shape shape,
                             hw_rt_order order);

// ---- pools: settings, accounts, and who may touch their memory, which comes from where hw_rt_alloc's does ----

typedef struct hw_rt_pool hw_rt_pool;

// As CUDA numbers them; the values of the first three are an int's.
enum {
    HW_RT_POOL_FLAGS = 3, HW_RT_POOL_THRESHOLD, HW_RT_POOL_RESERVED_NOW, HW_RT_POOL_RESERVED_MOST, HW_RT_POOL_USED_NOW,
    HW_RT_POOL_USED_MOST, HW_RT_POOL_LAST = HW_RT_POOL_USED_MOST
};

hw_rt_status hw_rt_pool_create(hw_runtime *runtime, bool is_shared, hw_rt_pool **out);   // HW_RT_NO_MEMORY
// A file descriptor of the program's own that stands for a pool made to be shared, and a pool out of one: memory of the
// other process comes into it one by one (sharing.h). HW_RT_INVALID_VALUE, HW_RT_NO_MEMORY.
hw_rt_status hw_rt_pool_export(hw_runtime *runtime, const hw_rt_pool *pool, int *fd);
hw_rt_status hw_rt_pool_import(hw_runtime *runtime, int fd, hw_rt_pool **out);
hw_rt_status hw_rt_pool_destroy(hw_runtime *runtime, hw_rt_pool *pool);  // HW_RT_INVALID_VALUE, also for the default
bool hw_rt_is_pool(hw_runtime *runtime, const hw_rt_pool *pool);
// hw_rt_alloc of device memory of a pool. HW_RT_INVALID_VALUE: no pool.
hw_rt_status hw_rt_pool_alloc(hw_runtime *runtime, hw_rt_pool *pool, uint64_t bytes, hw_rt_order order,
                              const void *site, uint64_t *address);
// Of what it has reserved and given to nobody so many bytes stay at most. HW_RT_INVALID_VALUE: no pool.
hw_rt_status hw_rt_pool_trim(hw_runtime *runtime, hw_rt_pool *pool, uint64_t kept_bytes);
hw_rt_pool *hw_rt_default_pool(hw_runtime *runtime);
// The one that allocations in stream order come from; the default until another is set. HW_RT_INVALID_VALUE.
hw_rt_pool *hw_rt_current_pool(hw_runtime *runtime);
hw_rt_status hw_rt_set_current_pool(hw_runtime *runtime, hw_rt_pool *pool);
// attribute: 1 to HW_RT_POOL_LAST; what was used at most is set to 0, which begins
// anew, what is used now is not. HW_RT_INVALID_VALUE.
hw_rt_status hw_rt_pool_set(hw_runtime *runtime, hw_rt_pool *pool, unsigned attribute, uint64_t value);
hw_rt_status hw_rt_pool_get(hw_runtime *runtime, hw_rt_pool *pool, unsigned attribute, uint64_t *value);

#endif
