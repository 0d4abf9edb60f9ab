// Loops of a region that its lanes go through one after the other. Internal to compile.
#ifndef HW_COMPILE_LANEWISE_H
#define HW_COMPILE_LANEWISE_H

#include "compile/draft.h"
#include "compile/regions.h"

// Is the loop that items[0] begins such a one? n: items from there to the region's end; *step: of its first access.
bool hw_lanewise_has(const hw_program *program, const hw_region_item *items, uint32_t n, uint32_t *step);

// Writes the function of one that is, lanewise_PROGRAM_INSTRUCTION. False: memory ran out.
bool hw_draft_lanewise(FILE *to, hw_draft *w, const hw_region_item *items, uint32_t n, const hw_liveness *live);

#endif
