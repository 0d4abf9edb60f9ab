// What registers hold in the course of a segment, in terms of what they held when it began: so that accesses by
// addresses that the segment computes can be looked up before it does. Internal to compile.
#ifndef HW_COMPILE_SYMBOLS_H
#define HW_COMPILE_SYMBOLS_H

#include "exec/segment.h"

enum { HW_SYMBOLS_MOST = 512 };

typedef struct hw_symbol {
    hw_slot slot;
    bool is_known;
    hw_segment_address value;
} hw_symbol;

// The registers that a segment has written. Begins empty: {.program = program}.
typedef struct hw_symbols {
    const hw_program *program;
    bool follows_all;        // what is unknown is a root of its own, by its version
    uint32_t n_versions;
    hw_symbol symbols[HW_SYMBOLS_MOST];
    uint32_t n;
} hw_symbols;

// Notes what instruction `index` writes. is_guarded: of some lanes only. False: there is no room.
bool hw_symbols_note(hw_symbols *symbols, uint32_t index, bool is_guarded);

// The address of a load or store. False: it is not known before the segment runs.
bool hw_symbols_address(const hw_symbols *symbols, const hw_inst *in, hw_segment_address *address);

// Does the root's register still hold the value that the address is made of?
bool hw_symbols_has_root(const hw_symbols *symbols, const hw_segment_address *address);

#endif
