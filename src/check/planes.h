// References of some cells of a plane, of words or of bytes alike.
//
// Internal to check/. Calls are one at a time.
#ifndef HW_CHECK_PLANES_H
#define HW_CHECK_PLANES_H

#include "check/shadow.h"

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

#endif
