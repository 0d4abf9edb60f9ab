// Shadow memory: of each piece of memory who wrote it last, and who has read it since.
//
// A line of 128 bytes has three planes: writers, readers, and readers before these. A plane is one reference as long
// as the line is accessed whole, by warps whose lanes lie side by side, or not at all; else it has cells for its words,
// and for its bytes where lanes share words. So a line costs 48 bytes, and a plane 128 more, or 424 for bytes: their
// cells have 26 bits, counted from a base of the plane. Where its references are further apart, they have 32.
//
// Two readers are kept, of two blocks where there are such, else of two warps. A write is compared with both. Where a
// third reader may be in another order with it than these two, the reader before is a list (readers.h).
//
// Internal to check/. Calls are one at a time.
#ifndef HW_CHECK_SHADOW_H
#define HW_CHECK_SHADOW_H

#include <string.h>

#include "check/entries.h"

enum { HW_CHECK_LINE_BYTES = 128, HW_CHECK_WORD_BYTES = 4, HW_CHECK_LINE_WORDS = 32 };

typedef enum hw_check_plane { HW_CHECK_WRITE, HW_CHECK_READ, HW_CHECK_READ_BEFORE, HW_CHECK_PLANES } hw_check_plane;

// Cells of bytes, as they mostly are: what a reference is above `base`, 0: nobody.
enum { HW_CHECK_PACKED_BITS = 26 };
typedef struct hw_check_packed {
    hw_check_ref base;               // HW_CHECK_NO_BASE: all are 0
    // The lowest bits first; what is behind the last ones is loaded and stored with them.
    uint8_t above[HW_CHECK_PACKED_BITS * HW_CHECK_LINE_BYTES / 8 + 4];
} hw_check_packed;
#define HW_CHECK_NO_BASE UINT32_MAX

typedef struct hw_check_line {
    union {
        hw_check_ref whole;          // of the first byte; 0: nobody
        hw_check_ref *cells;
        hw_check_packed *packed;     // of bytes that are not wide
    } planes[HW_CHECK_PLANES];
    uint8_t cell_bytes[HW_CHECK_PLANES];    // 4 or 1; 0: the plane is whole
    bool is_wide[HW_CHECK_PLANES];          // bytes have references of 32 bits
    hw_check_ref newest_write, newest_read; // no writer, and no reader, is above these
    // Words that threads of two blocks have read since this was hw_check_entries_next, and nobody has written: they are
    // both readers that are kept, and no third is needed.
    hw_check_ref settled_since;
    uint32_t settled;
} hw_check_line;

// Half of the lines lie in two of the cache's.
static inline void hw_check_line_prefetch(const hw_check_line *line) {
    __builtin_prefetch(line);
    __builtin_prefetch((const char *)line + sizeof *line - 1);
}

// Where cells come from: blocks of a size for each kind, which are given again; and pages of lines, which are not.
enum { HW_CHECK_WORDS, HW_CHECK_PACKED_BYTES, HW_CHECK_WIDE_BYTES, HW_CHECK_CELL_KINDS };
typedef struct hw_check_cells {
    void *chunks, *spare[HW_CHECK_CELL_KINDS];
    char *next, *end;                // of the newest chunk
    size_t bytes;                    // of all chunks
    size_t n_of_bytes;               // planes that have cells for bytes
    hw_check_ref dead;               // all that comes is in order with what references below this one stand for
} hw_check_cells;
void hw_check_cells_free(hw_check_cells *cells);

// Of a plane of bytes.
static inline hw_check_ref hw_check_line_byte(const hw_check_line *line, hw_check_plane plane, uint32_t at) {
    if (line->is_wide[plane]) return line->planes[plane].cells[at];
    const hw_check_packed *packed = line->planes[plane].packed;
    const uint32_t bit = HW_CHECK_PACKED_BITS * at;
    uint64_t word;
    memcpy(&word, &packed->above[bit / 8], sizeof word);
    const uint32_t above = word >> bit % 8 & ((1u << HW_CHECK_PACKED_BITS) - 1);
    return above ? packed->base + above : 0;
}

// Who has byte `at` of the line.
static inline hw_check_ref hw_check_line_ref(const hw_check_line *line, const hw_check_entries *entries,
                                             hw_check_plane plane, uint32_t at) {
    const uint32_t cell_bytes = line->cell_bytes[plane];
    if (cell_bytes == 1) return hw_check_line_byte(line, plane, at);
    const hw_check_ref ref = cell_bytes ? line->planes[plane].cells[at / HW_CHECK_WORD_BYTES]
                                        : line->planes[plane].whole;
    const uint32_t offset = cell_bytes ? at % HW_CHECK_WORD_BYTES : at;
    if (!ref || !offset) return ref;
    const hw_check_entry *e = &entries->items[ref >> HW_CHECK_REF_BITS];
    return e->is_many || e->is_host ? ref : ref + offset / e->width_bytes;
}

// The plane has cells now, of so many bytes or fewer each, in place of larger ones. False: no memory.
bool hw_check_line_split(hw_check_line *line, hw_check_cells *cells, const hw_check_entries *entries,
                         hw_check_plane plane, uint32_t cell_bytes);
// A plane of bytes has another reference at `at`. far: it is too far from the others for the plane's base, so that they
// get another one, or wider cells; without memory for them it has nobody.
void hw_check_line_put_far(hw_check_line *line, hw_check_cells *cells, hw_check_plane plane, uint32_t at,
                           hw_check_ref ref);
static inline void hw_check_line_put_byte(hw_check_line *line, hw_check_cells *cells, hw_check_plane plane, uint32_t at,
                                          hw_check_ref ref) {
    if (line->is_wide[plane]) {
        line->planes[plane].cells[at] = ref;
        return;
    }
    hw_check_packed *packed = line->planes[plane].packed;
    const uint32_t above = !ref ? 0 : ref > packed->base ? ref - packed->base : UINT32_MAX;
    if (above >> HW_CHECK_PACKED_BITS) {
        hw_check_line_put_far(line, cells, plane, at, ref);
        return;
    }
    const uint32_t bit = HW_CHECK_PACKED_BITS * at;
    const uint64_t mask = ((1ull << HW_CHECK_PACKED_BITS) - 1) << bit % 8;
    uint64_t word;
    memcpy(&word, &packed->above[bit / 8], sizeof word);
    word = (word & ~mask) | (uint64_t)above << bit % 8;
    memcpy(&packed->above[bit / 8], &word, sizeof word);
}
// The whole plane has one reference now.
void hw_check_line_join(hw_check_line *line, hw_check_cells *cells, hw_check_plane plane, hw_check_ref ref);
// Nobody is known of the plane's bytes in [from, to).
void hw_check_line_clear(hw_check_line *line, hw_check_cells *cells, const hw_check_entries *entries,
                         hw_check_plane plane, uint32_t from, uint32_t to);
// Nothing is known of the line.
void hw_check_line_forget(hw_check_line *line, hw_check_cells *cells);

// Of some cells of a plane, of words or of bytes alike.

// Cells have 1 or 4 bytes.
static inline int hw_check_bits_of(uint32_t cell_bytes) { return cell_bytes == 1 ? 0 : 2; }

// References of n cells: where a plane of words has them, or a plane of bytes' in `room`. Bytes have to be put back
// when they have been changed.
static inline hw_check_ref *hw_check_lend(const hw_check_line *line, hw_check_plane plane, uint32_t cell, uint32_t n,
                                          hw_check_ref room[HW_CHECK_LINE_BYTES]) {
    if (line->cell_bytes[plane] == HW_CHECK_WORD_BYTES) return line->planes[plane].cells + cell;
    for (uint32_t i = 0; i < n; i++) room[i] = hw_check_line_byte(line, plane, cell + i);
    return room;
}

// Does the plane have a reference in [from, to) that is not below the floor?
static inline bool hw_check_has_newer(const hw_check_line *line, hw_check_plane plane, uint32_t from, uint32_t to,
                                      hw_check_ref floor) {
    const uint32_t cell_bytes = line->cell_bytes[plane];
    if (!cell_bytes) return line->planes[plane].whole >= floor;
    const int bits = hw_check_bits_of(cell_bytes);
    const uint32_t n = ((to - 1) >> bits) - (from >> bits) + 1;
    hw_check_ref newest = 0, room[HW_CHECK_LINE_BYTES];
    const hw_check_ref *cells = hw_check_lend(line, plane, from >> bits, n, room);
    for (uint32_t i = 0; i < n; i++) newest = cells[i] > newest ? cells[i] : newest;
    return newest >= floor;
}

static inline void hw_check_put_back(hw_check_line *line, hw_check_cells *cells, hw_check_plane plane, uint32_t cell,
                                     uint32_t n, const hw_check_ref *lent) {
    if (line->cell_bytes[plane] == HW_CHECK_WORD_BYTES) return;
    for (uint32_t i = 0; i < n; i++) hw_check_line_put_byte(line, cells, plane, cell + i, lent[i]);
}

// Of the cells in [from, to), where lanes follow each other each 1 << width_bits bytes.
static inline void hw_check_put_refs(hw_check_line *line, hw_check_cells *cells, hw_check_plane plane, uint32_t from,
                                     uint32_t to, hw_check_ref ref, int width_bits) {
    if (line->cell_bytes[plane] == 1) {
        for (uint32_t at = from; at < to; at++)
            hw_check_line_put_byte(line, cells, plane, at, ref + ((at - from) >> width_bits));
        return;
    }
    const uint32_t n = (to - from) / HW_CHECK_WORD_BYTES;
    hw_check_ref *words = line->planes[plane].cells + from / HW_CHECK_WORD_BYTES;
    if (width_bits == 2) for (uint32_t i = 0; i < n; i++) words[i] = ref + i;
    else for (uint32_t i = 0; i < n; i++) words[i] = ref + (i * HW_CHECK_WORD_BYTES >> width_bits);
}

// One cell, or the whole plane.
static inline void hw_check_put_ref(hw_check_line *line, hw_check_cells *cells, hw_check_plane plane, uint32_t at,
                                    hw_check_ref ref) {
    if (line->cell_bytes[plane] == 1) hw_check_line_put_byte(line, cells, plane, at, ref);
    else if (line->cell_bytes[plane]) line->planes[plane].cells[at / HW_CHECK_WORD_BYTES] = ref;
    else line->planes[plane].whole = ref;
}

// For hw_check_entries_sweep, before and after. below: references below it are not needed any more.
void hw_check_lines_mark(const hw_check_line *lines, uint32_t n, hw_check_entries *entries, hw_check_ref below);
void hw_check_lines_move(hw_check_line *lines, uint32_t n, hw_check_cells *cells, const hw_check_entries *entries,
                         hw_check_ref below);

// The lines of device memory, in pages that are made when they are first asked for.
typedef struct hw_check_page hw_check_page;
typedef struct hw_check_shadow {
    hw_check_page **buckets;
    uint32_t n_pages, n_buckets;
    struct {
        uint64_t number;             // + 1
        hw_check_page *page;
    } recent[256];                   // by their numbers
    hw_check_cells cells;
} hw_check_shadow;

// The line of an address, as long as nothing is forgotten. NULL: no memory.
hw_check_line *hw_check_shadow_find(hw_check_shadow *shadow, uint64_t address);
enum { HW_CHECK_PAGE_BYTES = 1 << 20, HW_CHECK_PAGE_LINES = HW_CHECK_PAGE_BYTES / HW_CHECK_LINE_BYTES };
struct hw_check_page {
    hw_check_page *next;
    uint64_t number;
    hw_check_line lines[HW_CHECK_PAGE_LINES];
};
static inline hw_check_line *hw_check_shadow_line(hw_check_shadow *s, uint64_t address) {
    const uint64_t number = address / HW_CHECK_PAGE_BYTES;
    const uint32_t place = number % (sizeof s->recent / sizeof *s->recent);
    if (s->recent[place].number != number + 1) return hw_check_shadow_find(s, address);
    return &s->recent[place].page->lines[address % HW_CHECK_PAGE_BYTES / HW_CHECK_LINE_BYTES];
}
// Has a line of these bytes a plane with cells for bytes?
bool hw_check_shadow_has_bytes(const hw_check_shadow *shadow, uint64_t address, uint64_t bytes);
// Nothing is known of these bytes any more, whole lines: the allocation that begins or ends there.
void hw_check_shadow_forget(hw_check_shadow *shadow, uint64_t address, uint64_t bytes);
void hw_check_shadow_mark(const hw_check_shadow *shadow, hw_check_entries *entries);
void hw_check_shadow_move(hw_check_shadow *shadow, const hw_check_entries *entries);
void hw_check_shadow_free(hw_check_shadow *shadow);

#endif
