// Debugging information entries, as far as they are of use here: DWARF 2 to 4 (DWARF Debugging Information Format,
// version 4, section 7). Private to ptx.
#ifndef HW_PTX_DWARF_H
#define HW_PTX_DWARF_H

#include "ptx/layouts.h"

enum {
    HW_TAG_ARRAY = 0x01, HW_TAG_CLASS = 0x02, HW_TAG_PARAMETER = 0x05, HW_TAG_MEMBER = 0x0d, HW_TAG_POINTER = 0x0f,
    HW_TAG_REFERENCE = 0x10, HW_TAG_STRUCTURE = 0x13, HW_TAG_TYPEDEF = 0x16, HW_TAG_INHERITANCE = 0x1c,
    HW_TAG_SUBRANGE = 0x21, HW_TAG_CONST = 0x26, HW_TAG_SUBPROGRAM = 0x2e, HW_TAG_VARIABLE = 0x34,
    HW_TAG_VOLATILE = 0x35, HW_TAG_RESTRICT = 0x37,
};

typedef struct hw_dwarf_entry {
    size_t at;                       // in .debug_info, where references find it
    uint64_t tag;
    size_t type;                     // 0: none
    uint64_t bytes, offset;          // offset: of a member, or behind a variable's symbol
    bool has_offset, has_bits;
    bool is_elsewhere;               // it, or something in it, is at places that are not understood, or is not all read
    uint64_t count;                  // of a subrange; 0: not known
    const char *name, *linkage;      // linkage: mangled
    const char *symbol;              // of a variable, in the PTX
    uint32_t layout;                 // of a type, for who makes them
    uint32_t parent;                 // number of the entry it stands in, + 1
} hw_dwarf_entry;

// A register that a variable is in, for some time at least.
typedef struct hw_dwarf_register {
    uint32_t entry;                  // the variable
    uint64_t code;                   // the register's name, the last character in the lowest byte
} hw_dwarf_register;

typedef struct hw_dwarf {
    hw_dwarf_entry *items;           // each behind the one that it stands in
    size_t n, capacity;
    hw_dwarf_register *registers;
    size_t n_registers, registers_capacity;
    bool ran_out;                    // of memory
} hw_dwarf;

// What does not fit ends the reading; what has been read until then stays. Names are those of the sections. Free it.
void hw_dwarf_read(hw_dwarf *dwarf, hw_arena *scratch, const hw_debug_sections *sections);
void hw_dwarf_free(hw_dwarf *dwarf);

#endif
