// Who has accessed memory: an entry for what neighbouring warps do by one instruction between two points of order, or
// for a call of the host. Shadow memory holds references to them, 32 bits each: the entry, which of the warps, and
// which of its lanes.
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
    uint32_t warp;               // number of the block times warps in a block, plus that of the warp; modulo 2^32. Of
                                 // several the first
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
    bool is_list : 1;            // no access: two references, in work and warp, without their lanes. That of the first
                                 // is the reference's, the second's `time` lanes behind; of `note` readers, `mask` of
                                 // which were left when all had been asked about (readers.h)
} hw_check_entry;

// 0 stands for nobody.
typedef uint32_t hw_check_ref;
enum { HW_CHECK_LANE_BITS = 5, HW_CHECK_WARP_BITS = 3, HW_CHECK_REF_BITS = HW_CHECK_LANE_BITS + HW_CHECK_WARP_BITS };
enum { HW_CHECK_WARPS_AT_ONCE = 1 << HW_CHECK_WARP_BITS };

typedef struct hw_check_entries {
    hw_check_entry *items;       // 0 is not used
    uint32_t *moved;             // by the last sweep: where the first that stayed, from this one on, is now
    uint32_t n, capacity;
    uint32_t n_lists;            // of these
    uint32_t lists_swept;        // as many there were after the last sweep
    uint32_t most_lists;         // 0: no entry has been made
    struct {
        uint32_t number, hash;
    } recent[1 << 10];           // entries by a hash of what they are of, whose other half tells most apart
    bool ran_out;                // of room: accesses have been left out since
    bool has_left_out;           // readers, for lists have had too many elements
} hw_check_entries;

static inline uint32_t hw_check_lane_of(hw_check_ref ref) { return ref & ((1u << HW_CHECK_LANE_BITS) - 1); }
// The same for all lanes of a warp.
static inline hw_check_ref hw_check_warp_of(hw_check_ref ref) { return ref >> HW_CHECK_LANE_BITS; }
// The entry as one of the warp alone.
static inline hw_check_entry hw_check_entry_of(const hw_check_entries *e, hw_check_ref ref) {
    hw_check_entry entry = e->items[ref >> HW_CHECK_REF_BITS];
    entry.warp += hw_check_warp_of(ref) & (HW_CHECK_WARPS_AT_ONCE - 1);
    return entry;
}

// References to entries that are made from now on are not below this one; those that there are, are. Not 0.
static inline hw_check_ref hw_check_entries_next(const hw_check_entries *e) {
    return (e->n ? e->n : 1) << HW_CHECK_REF_BITS;
}

// A reference to lane 0 of the first warp of an entry equal to this one, which is made where there is none at hand. It
// stands for up to HW_CHECK_WARPS_AT_ONCE warps. 0: no memory.
hw_check_ref hw_check_entries_refer(hw_check_entries *entries, const hw_check_entry *entry);

// Warps of a block that do the same, but not together, share an entry, whose first warp each is so far behind.
static inline uint32_t hw_check_further_of(uint32_t warp_of_block) { return warp_of_block % HW_CHECK_WARPS_AT_ONCE; }

// Lists get shorter where there are many, and longer no more where twice as many are left.
static inline bool hw_check_entries_have_many_lists(const hw_check_entries *e) { return e->n_lists > e->most_lists; }
static inline bool hw_check_entries_have_all_lists(const hw_check_entries *e) {
    return e->n_lists / 2 > e->most_lists;
}

// Should what nobody refers to be freed before the next is made? Then mark all that is referred to, and sweep.
static inline bool hw_check_entries_are_many(const hw_check_entries *e) {
    enum { FIRST_SWEEP = 1 << 18 };
    if (hw_check_entries_have_many_lists(e) && e->n_lists / 2 >= e->lists_swept) return true;
    return e->n == e->capacity && e->n >= FIRST_SWEEP;    // it doubles: sweeping costs a share of making
}
static inline void hw_check_entries_mark(hw_check_entries *e, hw_check_ref ref) {
    e->items[ref >> HW_CHECK_REF_BITS].is_live = true;
}
// False: nothing has been swept, since it is hardly worth it. Else all references have to be exchanged.
bool hw_check_entries_sweep(hw_check_entries *entries);
// What a reference from before the sweep is now; of hw_check_entries_next at some time too.
static inline hw_check_ref hw_check_entries_moved(const hw_check_entries *e, hw_check_ref ref) {
    return e->moved[ref >> HW_CHECK_REF_BITS] << HW_CHECK_REF_BITS | (ref & ((1u << HW_CHECK_REF_BITS) - 1));
}

void hw_check_entries_free(hw_check_entries *entries);

#endif
