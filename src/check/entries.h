// Who has accessed memory: an entry for what a warp does by one instruction between two points of order, or for a call
// of the host. Shadow memory holds references to them, 32 bits each: the entry, and which of the warp's lanes.
//
// Entries are numbered as they are made, also after those that nobody refers to have been swept: so of two references
// the larger one is of the later entry, and one comparison tells those that were there at some time from later ones.
//
// Internal to check/. Calls are one at a time.
#ifndef HW_CHECK_ENTRIES_H
#define HW_CHECK_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

#include "check/finding.h"

typedef struct hw_check_entry {
    uint32_t work;               // of its stream (streams.h)
    uint32_t warp;               // number of the block times warps in a block, plus that of the warp; modulo 2^32
    uint32_t time;               // of its block (blocks.h)
    uint32_t note;               // of the work
    uint32_t mask;               // lanes
    uint8_t act;                 // hw_check_act
    uint8_t width_bytes;         // of one lane
    uint8_t scope;               // hw_scope of what is strong: an atomic, a volatile or stronger one; NONE: it is weak
    bool is_many : 1;            // all lanes of mask access each element that refers to the entry; else its lane alone
    bool is_pending : 1;         // an asynchronous copy that nobody has waited for
    bool is_host : 1;            // a call of the host
    bool is_live : 1;            // for hw_check_entries_sweep
} hw_check_entry;

// 0 stands for nobody.
typedef uint32_t hw_check_ref;
enum { HW_CHECK_LANE_BITS = 5, HW_CHECK_ENTRIES_AT_ONCE = 8 };

typedef struct hw_check_entries {
    hw_check_entry *items;       // 0 is not used
    uint32_t *moved;             // by the last sweep: where the first that stayed, from this one on, is now
    uint32_t n, capacity;
    struct {
        uint32_t first, n;       // entries by a hash of what the first of them is of; n 0: none
    } recent[1 << 10];
} hw_check_entries;

static inline const hw_check_entry *hw_check_entry_of(const hw_check_entries *e, hw_check_ref ref) {
    return &e->items[ref >> HW_CHECK_LANE_BITS];
}
static inline uint32_t hw_check_lane_of(hw_check_ref ref) { return ref & ((1u << HW_CHECK_LANE_BITS) - 1); }

// References to entries that are made from now on are not below this one; those that there are, are. Not 0.
static inline hw_check_ref hw_check_entries_next(const hw_check_entries *e) {
    return (e->n ? e->n : 1) << HW_CHECK_LANE_BITS;
}

// A reference to lane 0 of an entry equal to this one, which is made where there is none at hand, and in front of n - 1
// that are the same of the warps behind its own, up to HW_CHECK_ENTRIES_AT_ONCE in all; 0: no memory.
hw_check_ref hw_check_entries_refer(hw_check_entries *entries, const hw_check_entry *entry, uint32_t n);

// Should what nobody refers to be freed before the next is made? Then mark all that is referred to, and sweep.
bool hw_check_entries_are_many(const hw_check_entries *entries);
static inline void hw_check_entries_mark(hw_check_entries *e, hw_check_ref ref) {
    e->items[ref >> HW_CHECK_LANE_BITS].is_live = true;
}
// False: nothing has been swept, since it is hardly worth it. Else all references have to be exchanged.
bool hw_check_entries_sweep(hw_check_entries *entries);
// What a reference from before the sweep is now; of hw_check_entries_next at some time too.
static inline hw_check_ref hw_check_entries_moved(const hw_check_entries *e, hw_check_ref ref) {
    return e->moved[ref >> HW_CHECK_LANE_BITS] << HW_CHECK_LANE_BITS | hw_check_lane_of(ref);
}

void hw_check_entries_free(hw_check_entries *entries);

#endif
