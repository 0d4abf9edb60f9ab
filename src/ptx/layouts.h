// How the bytes of variables are laid out, as far as a compiler has written it beside the program (-G): DWARF 2 to 4,
// as bytes in the PTX. nvcc writes variables with the names that they have in the PTX, local ones with their place in
// the function's memory.
//
// Unions, bit fields and what has no place of its own are told as one piece: nothing in them is told apart.
// Of a function with a variable at a place that is not understood, or that is not read to its end, nothing is known.
#ifndef HW_PTX_LAYOUTS_H
#define HW_PTX_LAYOUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

typedef enum hw_layout_kind {
    HW_LAYOUT_PIECE,                 // a number, a union, or nobody knows what
    HW_LAYOUT_STRUCT,
    HW_LAYOUT_ARRAY,                 // rows of a matrix are arrays in an array
    HW_LAYOUT_POINTER,
} hw_layout_kind;

typedef struct hw_layout {
    hw_layout_kind kind;
    uint64_t bytes;                  // 0: not known
    uint32_t of;                     // in hw_layouts.items: ARRAY: an element, POINTER: what it points to
    uint32_t first_member, n_members;    // STRUCT; bases are members as well
} hw_layout;

typedef struct hw_layout_member {
    const char *name;                // "" of a base or where there is none
    uint64_t offset;
    uint32_t layout;
} hw_layout_member;

typedef struct hw_layout_variable {
    const char *symbol;              // in the PTX: a variable, a parameter, or the memory of a function's variables
    const char *name;                // in the source
    uint64_t offset;                 // from the symbol
    uint32_t layout;
} hw_layout_variable;

typedef struct hw_layouts {
    const hw_layout *items;          // item 0 is a PIECE of unknown size
    const hw_layout_member *members;
    const hw_layout_variable *variables;
    const struct hw_layout_register *registers;    // sorted
    uint32_t n_items, n_members, n_variables, n_registers;
} hw_layouts;

// A register of a function that is a variable of the source, for some time at least.
typedef struct hw_layout_register {
    const char *function, *name;     // name: "%rd16"; "": the function itself
} hw_layout_register;

// A section of PTX, its bytes, and names that stand in it for addresses.
typedef struct hw_section_name {
    size_t at;
    const char *name;
} hw_section_name;
typedef struct hw_section {
    const uint8_t *bytes;
    const hw_section_name *names;    // in order
    size_t n_bytes, n_names;
} hw_section;

typedef struct hw_debug_sections {
    hw_section info, abbrev, loc;
} hw_debug_sections;

// NULL: no memory. What is not understood is left out, with all that refers to it. What is found is in the arena;
// scratch is not needed any more afterwards. Linear in bytes but for sorts.
const hw_layouts *hw_layouts_read(hw_arena *arena, hw_arena *scratch, const hw_debug_sections *sections);

// The one variable that begins there; NULL: none or several do.
const hw_layout_variable *hw_layouts_find(const hw_layouts *layouts, const char *symbol, uint64_t offset);
// Is the function among those whose variables are told?
bool hw_layouts_know(const hw_layouts *layouts, const char *function);
// Is the register a variable of the source, for some time at least?
bool hw_layouts_is_variable(const hw_layouts *layouts, const char *function, const char *name);

#endif
