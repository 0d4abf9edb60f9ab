// With how many workers a launch begins.
//
// To wake a worker takes some microseconds, and a launch ends when all that were woken have come and gone: the more
// processors, the longer small launches took. So a kernel whose blocks were short the last time begins with as many
// workers as there are pieces of its work that are worth it; the others come where blocks are left after a while.
// Results and counts do not depend on who executes a block.
#ifndef HW_EXEC_PACE_H
#define HW_EXEC_PACE_H

#include <stdint.h>

enum { HW_PACE_KERNELS = 64 };
// Of kernels that were launched lately, each at its own place; what two have in common only costs time.
typedef struct hw_paces {
    struct {
        const void *kernel;
        double block_ns;          // of one worker, for a block
    } of[HW_PACE_KERNELS];
} hw_paces;

// Of n_workers that there are, at least one. All of a kernel that is not known.
uint32_t hw_pace_workers(const hw_paces *paces, const void *kernel, uint64_t n_blocks, uint32_t n_workers);
// The launch took all workers so long together.
void hw_pace_note(hw_paces *paces, const void *kernel, uint64_t n_blocks, uint64_t busy_ns);

// When the others come.
enum { HW_PACE_LATE_NS = 100000 };

#endif
