// A program's segments as C. Internal to compile.
#ifndef HW_COMPILE_SOURCE_H
#define HW_COMPILE_SOURCE_H

#include <stdio.h>

#include "base/arena.h"
#include "exec/segment.h"

// Writes the functions of the segments: segment_N, all lanes on, and, of those without an access, segment_N_some; N is
// the number of the first instruction. False: memory ran out, or the stream took no more.
bool hw_compile_write(FILE *to, const hw_program *program, const hw_segment *segments, uint32_t count,
                      hw_arena *scratch);

#endif
