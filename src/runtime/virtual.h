// Virtual memory: ranges of addresses, memory without an address, and what lies where.
//
// Memory is a file without a name (memfd), so that it can lie at several addresses, and be another process's as well.
// It outlives contexts. Its addresses are the host's: nothing keeps host code from touching them, as a GPU does.
#ifndef HW_RUNTIME_VIRTUAL_H
#define HW_RUNTIME_VIRTUAL_H

#include "runtime/memory.h"

typedef struct hw_rt_physical hw_rt_physical;

#define HW_RT_GRANULARITY_BYTES ((uint64_t)2 << 20)   // as an H200 has it, the least and the recommended one

// As CUDA numbers them.
typedef enum hw_rt_access { HW_RT_ACCESS_NONE = 0, HW_RT_ACCESS_READ = 1, HW_RT_ACCESS_READ_WRITE = 3 } hw_rt_access;

// Addresses at which nothing lies; bytes: a multiple of the granularity; align: 0, or a power of two; wanted: 0, or
// where the program would have them, which it may not get. HW_RT_INVALID_VALUE, HW_RT_NO_MEMORY.
hw_rt_status hw_rt_reserve(hw_runtime *runtime, uint64_t bytes, uint64_t align, uint64_t wanted, uint64_t *address);
// A whole range at which nothing is mapped: HW_RT_INVALID_VALUE.
hw_rt_status hw_rt_unreserve(hw_runtime *runtime, uint64_t address, uint64_t bytes);

// What a program has asked for: to export it, to have it compressed where that pays, which changes nothing here.
typedef struct hw_rt_physical_wishes {
    bool is_shared, is_compressible;
} hw_rt_physical_wishes;

// bytes: a multiple of the granularity. HW_RT_INVALID_VALUE, HW_RT_NO_MEMORY.
hw_rt_status hw_rt_physical_create(hw_runtime *runtime, uint64_t bytes, hw_rt_physical_wishes wishes,
                                   hw_rt_physical **out);
// The program's handle goes; the memory when it is mapped nowhere. HW_RT_INVALID_VALUE: no handle.
hw_rt_status hw_rt_physical_release(hw_runtime *runtime, hw_rt_physical *physical);
// The memory that is mapped at address, which has a handle more. HW_RT_INVALID_VALUE.
hw_rt_status hw_rt_physical_at(hw_runtime *runtime, uint64_t address, hw_rt_physical **out);
// HW_RT_INVALID_VALUE: no handle.
hw_rt_status hw_rt_physical_get(hw_runtime *runtime, const hw_rt_physical *physical, hw_rt_physical_wishes *out);

// A file descriptor of the program's own, and memory out of one. HW_RT_INVALID_VALUE, HW_RT_NO_MEMORY.
hw_rt_status hw_rt_physical_export(hw_runtime *runtime, hw_rt_physical *physical, int *fd);
hw_rt_status hw_rt_physical_import(hw_runtime *runtime, int fd, hw_rt_physical **out);

// All of the memory, within one reserved range; kernels have no access yet. HW_RT_INVALID_VALUE, HW_RT_NOT_SUPPORTED (a
// part of it, or where something lies: an H200's answer), HW_RT_NO_MEMORY.
hw_rt_status hw_rt_map(hw_runtime *runtime, uint64_t address, uint64_t bytes, hw_rt_physical *physical);
// What is mapped at an address, also while kernels have no access, and the reserved range around it.
typedef struct hw_rt_mapped {
    hw_allocation reserved;
    uint64_t address, bytes;
    hw_rt_access access;
    bool is_shared;            // other processes may be given it
} hw_rt_mapped;
bool hw_rt_find_mapped(hw_runtime *runtime, uint64_t address, hw_rt_mapped *out);
// All mappings in a part of a reserved range, which cuts none of them. HW_RT_INVALID_VALUE.
hw_rt_status hw_rt_unmap(hw_runtime *runtime, uint64_t address, uint64_t bytes);
// Of one or several mappings beside each other, all of each. HW_RT_INVALID_VALUE.
hw_rt_status hw_rt_set_access(hw_runtime *runtime, uint64_t address, uint64_t bytes, hw_rt_access access,
                              const void *site);
hw_rt_status hw_rt_get_access(hw_runtime *runtime, uint64_t address, hw_rt_access *access);
// Lets kernels of a GPU touch a pool's memory, or no longer (pool.c). To the pool's own GPU it is always open, for
// reading and writing, as an H200 answers. HW_RT_INVALID_VALUE (no pool), HW_RT_INVALID_DEVICE, HW_RT_NOT_SUPPORTED.
hw_rt_status hw_rt_pool_set_access(hw_runtime *runtime, hw_rt_pool *pool, int device, hw_rt_access access);
hw_rt_status hw_rt_pool_get_access(hw_runtime *runtime, hw_rt_pool *pool, int device, hw_rt_access *access);

#endif
