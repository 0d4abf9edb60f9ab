// A matrix of whole runs of bytes, transposed in place by following the cycles of its permutation.
#ifndef HW_OP_CPU_CYCLES_H
#define HW_OP_CPU_CYCLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"

typedef struct hw_cycles {
    uint64_t rows, cols;   // of runs, before
    uint64_t run_bytes;    // at most 2048
    uint32_t n_threads;    // set by prepare
    uint64_t *seen;        // a bit per run and thread
} hw_cycles;

// False: out of memory.
bool hw_cycles_prepare(hw_cycles *c, uint32_t n_threads);
void hw_cycles_release(hw_cycles *c);

// Every thread moves its own slice of all runs, so that the threads never wait for each other, however few and long the
// cycles are.
void hw_cycles_run(const hw_cycles *c, char *memory, hw_pool *pool);

#endif
