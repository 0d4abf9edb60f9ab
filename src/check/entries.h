// Who has accessed memory: an entry for what a warp does by one instruction between two points of order, or for a call
// of the host. Shadow memory holds references to them, 32 bits each: the entry, and which of the warp's lanes.
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
enum { HW_CHECK_LANE_BITS = 5 };

typedef struct hw_check_entries {
    hw_check_entry *items;       // 0 is not used
    uint32_t *freed;
    uint32_t n, n_freed, capacity;
    uint32_t recent[1 << 10];    // entries by a hash of what they are of
} hw_check_entries;

static inline const hw_check_entry *hw_check_entry_of(const hw_check_entries *e, hw_check_ref ref) {
    return &e->items[ref >> HW_CHECK_LANE_BITS];
}
static inline uint32_t hw_check_lane_of(hw_check_ref ref) { return ref & ((1u << HW_CHECK_LANE_BITS) - 1); }

// A reference to lane 0 of an entry equal to this one, which is made where there is none at hand; 0: no memory.
hw_check_ref hw_check_entries_refer(hw_check_entries *entries, const hw_check_entry *entry);

// Should what nobody refers to be freed before the next is made? Then mark all that is referred to, and sweep.
bool hw_check_entries_are_many(const hw_check_entries *entries);
static inline void hw_check_entries_mark(hw_check_entries *e, hw_check_ref ref) {
    e->items[ref >> HW_CHECK_LANE_BITS].is_live = true;
}
void hw_check_entries_sweep(hw_check_entries *entries);

void hw_check_entries_free(hw_check_entries *entries);

#endif
