// Where the addresses that a kernel accesses come from: parameters and variables, found in its PTX ahead of time. An
// observer that knows what these point into knows where each access has to stay.
//
// Of each register, and of what is put away in local variables and handed to functions, the analysis finds which roots
// may be in it, whatever way the program takes. Sums, differences, choices and masks of an address have its roots;
// products and shifts are taken to be numbers, and so is what is narrower than an address, but for addresses of shared
// and local memory. What comes out of memory is unknown, and so is what has an unknown part.
#ifndef HW_LOWER_ROOT_H
#define HW_LOWER_ROOT_H

#include "lower/program.h"

// A part of a variable that an address is computed from, as far as the compiler tells (part.h).
typedef struct hw_part {
    uint64_t offset, bytes;          // from the variable's address, or from where the parameter points
    uint64_t stride;                 // it lies there once in each so many bytes, before and behind; 0: once
    const char *name;                // as in the source: "b", "of.b", "of[].b"; of a local variable with its own name
} hw_part;

typedef struct hw_root {
    const hw_ptx_symbol *symbol;     // a variable: GLOBAL, CONST, SHARED, LOCAL; or NULL:
    uint32_t offset;                 // the 8 bytes here among the kernel's parameters, a pointer or a number
    const hw_part *part;             // of what it points to; NULL: all of it
} hw_root;

// Some roots, from any of which an address may come.
typedef struct hw_root_set {
    uint32_t first, n;               // in hw_roots.members
    bool is_written;                 // an access of the set writes, to device memory as far as it says
    uint8_t least_read_bytes;        // of a lane, by an access that reads; 0: none does
} hw_root_set;

typedef struct hw_roots {
    hw_arena *arena;                 // that has all of this
    const hw_root *items;
    const uint32_t *members;         // indexes of items
    const hw_root_set *sets;         // 0: not known, n is 0
    uint32_t n_items, n_sets;
    uint32_t first_access, n_accesses;   // of hw_note.access
    const uint32_t *set_of;          // by access, from the first on
} hw_roots;

// Of an entry and of all that it calls, which has been lowered. NULL: out of memory. Linear but for a fixpoint.
hw_roots *hw_roots_find(const hw_program_set *set, const hw_program *entry);
void hw_roots_free(hw_roots *roots);

// The same, found once and kept until the set goes. One call of a set at a time, by whoever launches the entry.
const hw_roots *hw_roots_of(const hw_program_set *set, const hw_program *entry);

#endif
