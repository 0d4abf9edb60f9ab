// Writing that notices when it changes nothing: programs copy the same arrays to the GPU again and again.
#ifndef HW_MEM_REPLACE_H
#define HW_MEM_REPLACE_H

#include <stdbool.h>
#include <stddef.h>

// memmove and memset. False: the bytes were there already, and nothing was written. Costs no more than they do where
// nothing is new, and a look at the first bytes where all is.
bool hw_mem_replace(void *to, const void *from, size_t bytes);
bool hw_mem_refill(void *to, int value, size_t bytes);

#endif
