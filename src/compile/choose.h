// Which instructions of a program become segments (exec/segment.h). Internal to compile.
#ifndef HW_COMPILE_CHOOSE_H
#define HW_COMPILE_CHOOSE_H

#include "base/arena.h"
#include "exec/segment.h"

// The segments of a program, in the order of its instructions, without code; in the arena. Accesses are taken in that
// have been executed, by what was seen of them. *count: how many. NULL when memory ran out.
hw_segment *hw_compile_choose(const hw_program_set *set, const hw_program *program, hw_arena *arena, uint32_t *count);

// Is an instruction compiled as what it computes (forms.h)?
bool hw_compile_is_value(const hw_program *program, uint32_t index);

// With -fno-trapping-math gcc 12 makes trunc(x) of (float)(int)x, which keeps the sign of -0.3: the two conversions are
// never in one loop over lanes. True: the instruction begins the next one. *has_truncated: false at the beginning.
bool hw_compile_rounds_trip(const hw_program *program, uint32_t index, bool *has_truncated);

#endif
