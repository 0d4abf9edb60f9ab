// What stops a kernel, as plain data: all that callers of a launch need to know of the executor.
#ifndef HW_EXEC_FAULT_H
#define HW_EXEC_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"
#include "mem/mem.h"

// Why a kernel stopped.
typedef enum hw_fault_kind {
    HW_FAULT_NONE,
    HW_FAULT_ADDRESS,        // outside every allocation, freed, or null
    HW_FAULT_MISALIGNED,
    HW_FAULT_STACK,          // local memory or call depth exhausted
    HW_FAULT_TRAP,           // trap or brkpt
    HW_FAULT_ASSERT,         // a device-side assert failed
    HW_FAULT_INVALID_CALL,   // a call through a pointer that is no function
    HW_FAULT_LANES_MISSING,  // at an instruction of all lanes of the warp
    HW_FAULT_DEADLOCK,
    HW_FAULT_NO_MEMORY,      // on this machine
    HW_FAULT_STOPPED,        // from outside (exec/monitor.h)
} hw_fault_kind;

typedef struct hw_fault {
    hw_fault_kind kind;
    const char *kernel;
    uint32_t block[3], thread[3];
    const char *file;        // source place, or the PTX module's name and line when there is no source line
    uint32_t line;
    const char *instruction; // full mnemonic as written
    bool is_write;
    hw_space space;
    uint64_t address;        // in its space
    uint32_t width_bytes;
    uint64_t space_bytes;    // SHARED, LOCAL: how many bytes there are
    bool has_allocation;     // GLOBAL: the nearest one
    hw_allocation allocation;
    uint64_t texture;        // ADDRESS: of the texture object that was read, which is none, or whose memory is; or 0
    bool has_assertion;      // text is what the program's assert says
    char text[1024];         // one sentence that says all of the above; for a deadlock one line per waiting group
} hw_fault;

#endif
