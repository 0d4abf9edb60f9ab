// Which part of a variable an access has to stay in, where its address is computed from a part: the arrays among a
// struct's members, and the local variables of a function, which in PTX are one.
//
// Types alone do not tell: optimised code has one number for a member's place and the constant in its index. What nvcc
// makes with -G can be read: it adds the member's place to the variable's address, and then, by an instruction of its
// own, the index times the size of an element, and accesses that. All that is not just so is not told: an address that
// is in a variable in between (`end = s.a + 16; end[-1 - i]`), as the compiler tells as well, or from which something
// is subtracted (`s.a + 16 - i`), may begin where a member ends, which is where the next one begins; bytes of a member
// of words are somebody's memset. Neither is the first member, whose place is 0: `((int *)&s)[i]` may want all of s.
#ifndef HW_LOWER_PART_H
#define HW_LOWER_PART_H

#include "lower/lowering.h"
#include "lower/root.h"
#include "ptx/layouts.h"

// Where registers of a function come from: the one instruction that gives each its value, or NONE.
enum { HW_PART_NONE = UINT32_MAX };

// Is the access to a part that is known? Its name is made in the arena.
bool hw_part_find(const hw_layouts *layouts, hw_arena *arena, const hw_ptx_function *f, const uint32_t *defs,
                  const hw_ptx_inst *access, hw_part *out);

#endif
