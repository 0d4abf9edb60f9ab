// Memory that kernels may touch outside the reserved span: the program's own (cudaHostRegister), and what the runtime
// has mapped. Internal to mem/. Writers hold the memory's lock; readers take none.
#ifndef HW_MEM_REGISTERED_H
#define HW_MEM_REGISTERED_H

#include "mem/mem.h"

typedef struct hw_registered hw_registered;

hw_registered *hw_registered_create(void);   // NULL when out of memory
void hw_registered_destroy(hw_registered *registered);   // NULL is allowed

// HW_USAGE when the range overlaps a registered one, HW_NO_MEMORY when too many are registered.
hw_status hw_registered_add(hw_registered *registered, const hw_allocation *range);
bool hw_registered_remove(hw_registered *registered, uint64_t address);
void hw_registered_remove_of(hw_registered *registered, uint8_t gpu);   // all that the GPU of that number has
void hw_registered_set_flags(hw_registered *registered, uint64_t address, uint32_t flags);

bool hw_registered_find(const hw_registered *registered, uint64_t address, uint64_t bytes, hw_allocation *out);
bool hw_registered_nearest(const hw_registered *registered, uint64_t address, hw_allocation *out);

#endif
