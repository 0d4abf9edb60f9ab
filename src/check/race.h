// Accesses, compared with those before them that nothing puts in order with them, and noted down for those to come.
//
// Internal to check/.
#ifndef HW_CHECK_RACE_H
#define HW_CHECK_RACE_H

#include "check/entries.h"
#include "check/runs.h"

typedef struct hw_check hw_check;
typedef struct hw_check_block hw_check_block;

// What is being done, and by whom.
typedef struct hw_check_present {
    hw_check *check;
    hw_check_block *block;           // NULL: by the host
    hw_check_block *home;            // of SHARED: whose memory it is, the block or one of its cluster
    uint32_t warp;                   // of the block
    uint32_t first_warp;             // of the block, as entries number them
    uint32_t behind;                 // several warps may do it one after the other: this one is so far behind the first
    bool is_of_row;                  // an asynchronous copy of a row, whose way to memory is another (async proxy)
    bool comes_before;               // it began before all that it is compared with, and nobody has waited for it
    bool is_alone;                   // it is no such: warps that do the same by themselves share entries
    uint8_t space;
    hw_check_entry entry;
    hw_check_ref ref;                // of the entry's lane 0; 0: it has not been asked for
    hw_check_ref floor;              // references below it are of accesses that come before all that is done now
    // Cells side by side mostly have the same entries, so that what was found of one is remembered for the next.
    uint32_t fine[4];                // entries that are no race with the present one, whatever the lanes, by their
                                     // number modulo 4; 0: none
    uint32_t uneven;                 // one with which it depends on the lanes
    bool is_own;                     // it is what the same lanes did, each for itself
    uint32_t last, kept;             // readers of which is_to_keep was asked last,
    bool keeps;                      // and what it said
    bool settles;                    // then the two that are kept are of two blocks of this launch
    bool lists;                      // a write may miss the other one: the reader before is a list,
    hw_check_ref list;               // this one, 0: it is not made yet; its lane is counted from the last reader's,
    uint32_t list_apart;             // for a reader before the last one that is so many lanes behind it
} hw_check_present;

enum { HW_CHECK_COMPARE = 1, HW_CHECK_RECORD = 2 };

// The bytes from begin on, of lanes side by side or of all of them. what: COMPARE, RECORD, or both.
void hw_check_go_through(hw_check_present *now, uint64_t begin, uint64_t bytes, int first_lane, unsigned what);

// Accesses by the lanes of runs. Lanes of one instruction are not compared with each other: which of them writes last
// is not said, but that one does. behind: the same by the warp so far behind the first, up to HW_CHECK_WARPS_AT_ONCE in
// all, one after the other.
void hw_check_access_runs(hw_check_present *now, const hw_check_runs *runs, uint64_t base, uint32_t behind);

// The same of n warps, whose lanes each write a word, side by side with the same lane of the next warp: a column of a
// matrix. False: nothing has been done, as it is not so, or others have been there since the floor.
bool hw_check_write_columns(hw_check_present *now, const hw_check_runs *runs, const uint64_t *bases, uint32_t n);

// The same of n warps, whose lanes each write a word, side by side but for some places. False: nothing has been done.
bool hw_check_write_rows(hw_check_present *now, const hw_check_runs *runs, const uint64_t *bases, uint32_t n);

#endif
