// What the analysis of roots knows: of each register, and of each cell, 8 bytes of a local variable or a parameter of a
// function. Private to lower.
#ifndef HW_LOWER_ROOT_CELLS_H
#define HW_LOWER_ROOT_CELLS_H

#include "lower/root.h"

enum { HW_ORIGIN_ROOTS = 6 };        // more than an address ever has; else it is not known

// Where a value may come from. No roots: it is a number.
typedef struct hw_origin {
    uint32_t roots[HW_ORIGIN_ROOTS]; // sorted
    uint8_t n;
    bool is_unknown;                 // or from elsewhere
} hw_origin;

// False: it had all of that.
bool hw_origin_add(hw_origin *to, const hw_origin *from);
bool hw_origin_add_root(hw_origin *to, uint32_t root);

// Where the cell lies that stands for all of its variable: what is written somewhere in it.
#define HW_CELL_ANYWHERE INT64_MIN

typedef struct hw_cell {
    const hw_ptx_symbol *symbol;
    int64_t offset;
    hw_origin origin;
    bool is_written;                 // as a whole
    uint32_t next;                   // of its bucket
} hw_cell;

typedef struct hw_cells {
    hw_arena *arena;
    hw_cell *items;                  // from 1 on
    uint32_t n, capacity;
    uint32_t buckets[1 << 12];       // by symbol
    bool ran_out;                    // of memory
} hw_cells;

// Makes it where there is none; NULL: no memory. Valid until the next is made.
hw_cell *hw_cells_at(hw_cells *cells, const hw_ptx_symbol *symbol, int64_t offset);
// NULL: there is none.
hw_cell *hw_cells_find(const hw_cells *cells, const hw_ptx_symbol *symbol, int64_t offset);
// Of a symbol, one after the other: the first for 0. 0: there are no more.
uint32_t hw_cells_next(const hw_cells *cells, const hw_ptx_symbol *symbol, uint32_t after);

#endif
