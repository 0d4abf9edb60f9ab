// Who has read a piece of memory since it was written.
//
// Two readers are enough where none but all threads of a block, or of a launch, come after a reader together: whoever
// writes is in no order with one of two that are in none with each other. Where parts of a block meet, blocks leave
// each other messages, or works are in several streams, a write may come after these two and not after a third. Then
// the cell's reader before the last one is a list: of all that nothing orders before a newer one. A list's element is
// an entry that refers to two others (entries.h), so that cells beside each other share it.
//
// Of a list of FEW each reader is asked about whenever one more comes. A longer one takes it as it is, until there are
// twice as many as were left when all had been asked about: so a reader costs the same, however many there are. Where
// lists have many elements in all (entries.h), the FEW newest are kept, and at twice as many again two readers.
//
// Internal to check/. Calls are one at a time.
#ifndef HW_CHECK_READERS_H
#define HW_CHECK_READERS_H

#include "check/internal.h"

enum { HW_CHECK_FEW_READERS = 16 };

// The newest of a list, which *ref is, or the one reader that it is. *ref: the others; 0: there are none.
static inline hw_check_ref hw_check_next_reader(const hw_check_entries *entries, hw_check_ref *ref) {
    const hw_check_entry *e = &entries->items[*ref >> HW_CHECK_REF_BITS];
    const hw_check_ref lane = hw_check_lane_of(*ref), one = *ref;
    *ref = 0;
    if (!one || !e->is_list) return one;
    *ref = e->warp | ((lane + e->time) & ((1u << HW_CHECK_LANE_BITS) - 1));
    return e->work | lane;
}

// No reference is above this one.
static inline hw_check_ref hw_check_newest_now(const hw_check_present *now) {
    return hw_check_entries_next(&now->check->entries) - 1;
}

static inline uint32_t hw_check_words_of(uint32_t from, uint32_t to) {
    const uint32_t first = from / HW_CHECK_WORD_BYTES, n = (to - 1) / HW_CHECK_WORD_BYTES - first + 1;
    return (n == 32 ? 0xffffffffu : (1u << n) - 1) << first;
}

// Words that two blocks have read need no third reader, as long as blocks leave each other no messages.
static inline bool hw_check_is_settled(const hw_check_present *now, const hw_check_line *line, uint32_t from,
                                       uint32_t to) {
    return line->settled_since == now->floor && !(hw_check_words_of(from, to) & ~line->settled) &&
           !now->check->blocks.logs.n;
}

// The present access reads [from, to) of the line. ref: of its first lane; the others have 1 << width_bits bytes each.
void hw_check_record_read(hw_check_present *now, hw_check_line *line, uint32_t from, uint32_t to, bool is_whole,
                          hw_check_ref ref, int width_bits);

// The cell's reader becomes another one, and what it had are two before that.
void hw_check_push_reader(hw_check_present *now, hw_check_line *line, uint32_t at, hw_check_ref ref);

#endif
