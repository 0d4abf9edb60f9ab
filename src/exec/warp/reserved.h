// Shared memory that the system reserves in each block; cooperative groups keep barriers of groups of warps there. In
// launches that use it, this memory lies behind the kernel's own shared memory.
#ifndef HW_EXEC_RESERVED_H
#define HW_EXEC_RESERVED_H

enum { HW_RESERVED_SHARED_BYTES = 1024 };    // of compute capability 8.0 and newer

#endif
