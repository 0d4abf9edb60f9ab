// The basic blocks of PTX text, by line: as much of it as machine code is matched with.
#ifndef HW_TOOLCHAIN_MACHINE_PTX_BLOCKS_H
#define HW_TOOLCHAIN_MACHINE_PTX_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "isa/machine.h"

typedef struct hw_ptx_blocks {
    uint32_t *of;                // by line, from 1 on: number of the block, from 1 on; 0: no instruction begins there
    bool *ends;                  // by line: a branch, or the end of a kernel or function
    hw_machine_range *ranges;    // by number
    uint32_t n_lines, n_blocks;  // numbers are below n_blocks
} hw_ptx_blocks;

// Everything in the arena. False: out of memory. Text that is no PTX has blocks of some kind.
bool hw_ptx_find_blocks(const char *ptx, size_t length, hw_arena *arena, hw_ptx_blocks *blocks);

#endif
