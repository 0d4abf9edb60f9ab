// Shared memory that the system reserves in each block; cooperative groups keep barriers of groups of warps there. Here
// it lies behind the kernel's own, in launches that ask for it.
#ifndef HW_EXEC_RESERVED_H
#define HW_EXEC_RESERVED_H

enum { HW_RESERVED_SHARED_BYTES = 1024 };    // of compute capability 8.0 and newer

#endif
