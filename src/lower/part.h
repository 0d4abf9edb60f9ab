// Which part of a variable an access has to stay in, where its address is computed from a part: the arrays among a
// struct's members, and the local variables of a function, which in PTX are one.
//
// Types alone do not tell: optimised code has one number for a member's place and the constant in its index. What nvcc
// makes with -G can be read: it adds the member's place to the variable's address, and then, by an instruction of its
// own, the index times the size of an element, and accesses that. All that is not just so is not told: an address that
// is in a variable in between, as the compiler tells as well, or from which something is subtracted; an index that does
// not count the elements of an array (bytes of a member of words are somebody's memset; from a number, (&p->x)[i], one
// goes on to the next). Neither is the first member, whose place is 0: `((int *)&s)[i]` may want all of s.
//
// An address may be the end of a member as well as the next one's begin, from which programs count back,
// `(s.a + 16)[-1 - i]`: where an array or a struct ends just there, the part is both, "a and b". Local variables do not
// have this: the compiler adds their own place first, by an instruction of its own.
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
