// What the program has asked of the GPU, as findings describe it: launches with their kernels' source lines, and calls
// of the host. Internal to check/.
#ifndef HW_CHECK_WORKS_H
#define HW_CHECK_WORKS_H

#include "base/arena.h"
#include "check/entries.h"
#include "event/event.h"

// The places of a kernel's instructions, which the launch's own notes do not outlive.
typedef struct hw_check_place {
    uint32_t file, line, ptx_line;   // file: in the kernel's list
    uint32_t inlined;                // likewise; 0: nowhere
} hw_check_place;

typedef struct hw_check_kernel {
    struct hw_check_kernel *next;
    const char *name;                // mangled
    const char **files;
    hw_check_place *places;          // by note
    hw_check_inlining *inlinings;    // those that places name, and what is outside of them
    uint32_t n_files, n_places, number;
} hw_check_kernel;

typedef struct hw_check_work {
    const hw_check_kernel *kernel;   // NULL: a call of the host
    uint64_t launch, stream;
    uint32_t root;                   // the work of the launch that the host program has made, from which it has come
    const void *site;
    uint32_t grid[3], block[3];
} hw_check_work;

typedef struct hw_check_works {
    hw_arena *arena;
    hw_check_kernel *kernels;
    uint32_t n_kernels;
    hw_check_work *items;            // by number of work, from 1 on
    size_t n, capacity;
} hw_check_works;

// The next is number `number`; those between are unknown. False: no memory.
bool hw_check_works_add_launch(hw_check_works *works, uint32_t number, uint32_t root, const hw_launch_info *info);
bool hw_check_works_add_call(hw_check_works *works, uint32_t number, uint64_t stream, const void *site);

// Calls that come after what the host has waited for, and after no other work, are of a stream of their own. (The
// runtime gives that name to none: hw_launch_info.stream.)
enum { HW_CHECK_HOST_STREAM = 1 };
// Are both of launches that have come from one of the host program's?
bool hw_check_works_are_of_one_root(const hw_check_works *works, const hw_check_entry *a, const hw_check_entry *b);
bool hw_check_works_is_of_host(const hw_check_works *works, const hw_check_entry *entry);

// A number that is the same for accesses of one place: two findings with equal ones are one.
uint64_t hw_check_works_place(const hw_check_works *works, const hw_check_entry *entry);
hw_check_side hw_check_works_side(const hw_check_works *works, const hw_check_entry *entry, int lane);

#endif
