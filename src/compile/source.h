// A program's segments as C. Internal to compile.
#ifndef HW_COMPILE_SOURCE_H
#define HW_COMPILE_SOURCE_H

#include <stdio.h>

#include "base/arena.h"
#include "compile/regions.h"
#include "exec/segment.h"

// A program with its segments and regions.
typedef struct hw_compile_part {
    const hw_program *program;
    hw_segment *segments;
    uint32_t count;
    hw_region_plan *regions;
    uint32_t n_regions;
} hw_compile_part;

// Writes the functions of the segments of n programs: segment_P_N, all lanes on, and, of those with has_some,
// segment_P_N_some; P is the program's index in its set, N the number of the first instruction. Of the regions
// region_P_N. False: memory ran out, or the stream took no more.
bool hw_compile_write(FILE *to, const hw_compile_part *parts, uint32_t n, hw_arena *scratch);

#endif
