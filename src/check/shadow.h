// Shadow memory: of each piece of memory who wrote it last, and who has read it since.
//
// A line of 128 bytes has one cell as long as it is accessed whole, by warps whose lanes lie side by side; else cells
// for its words, and for its bytes where lanes share words. So a line costs 24 bytes, or 384 more, or 1536.
//
// Two readers are kept. A write is compared with both: where a third reader is in another order with it than these two,
// its race is not found. The two are of two blocks where there are such, else of two warps.
//
// Internal to check/. Calls are one at a time.
#ifndef HW_CHECK_SHADOW_H
#define HW_CHECK_SHADOW_H

#include "check/entries.h"

enum { HW_CHECK_LINE_BYTES = 128, HW_CHECK_WORD_BYTES = 4 };

typedef struct hw_check_cell {
    hw_check_ref write, reads[2];    // reads[0] is the later one
} hw_check_cell;

typedef struct hw_check_line {
    hw_check_cell whole;
    uint8_t cell_bytes;              // of each of cells: 4 or 1; 0: the line is whole
    hw_check_cell *cells;
} hw_check_line;

// A piece of a line's cells, for an access to [from, to) of the line: whole lines are one cell.
typedef struct hw_check_piece {
    hw_check_cell *cells;
    uint32_t n, cell_bytes;
} hw_check_piece;

// Finds the cells of bytes [from, to) of a line, and makes them smaller where that is needed. unit_bytes: nothing
// smaller is accessed alone; of a whole line 128. n 0: no memory.
hw_check_piece hw_check_line_piece(hw_check_line *line, const hw_check_entries *entries, uint32_t from, uint32_t to,
                                   uint32_t unit_bytes);
// Makes the line whole again: nothing is known of it.
void hw_check_line_forget(hw_check_line *line);

// The lines of device memory, in pages that are made when they are first asked for.
typedef struct hw_check_page hw_check_page;
typedef struct hw_check_shadow {
    hw_check_page **buckets;
    uint32_t n_pages, n_buckets;
    hw_check_page *recent[256];      // by their numbers
} hw_check_shadow;

// NULL: no memory.
hw_check_line *hw_check_shadow_line(hw_check_shadow *shadow, uint64_t address);
// Nothing is known of these bytes any more, whole lines: the allocation that begins or ends there.
void hw_check_shadow_forget(hw_check_shadow *shadow, uint64_t address, uint64_t bytes);
void hw_check_shadow_mark(const hw_check_shadow *shadow, hw_check_entries *entries);
void hw_check_lines_mark(const hw_check_line *lines, uint32_t n, hw_check_entries *entries);
void hw_check_shadow_free(hw_check_shadow *shadow);

#endif
