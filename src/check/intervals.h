// Accesses to shared memory, put off until the block's next barrier.
//
// Between two barriers of a whole block only accesses of that interval can be races with each other. So they are
// written into a log, and mostly never looked at one by one: where all of them read, or all are strong, there is no
// race; where the same accesses as in an interval before have been made, by the same warps in the same order, there is
// none either if there was none then; nor where no thread touches a word that another one writes. What else orders
// threads of the block ends the waiting: then the log goes through shadow memory, and so does what follows until the
// barrier.
//
// Asynchronous copies (of lanes) do not wait for barriers: those that are under way at one stand at the beginning of
// the next log, and a log says when copies begin and when they have been waited for. In between nobody may touch their
// words. Where too many are under way for that, a block's accesses wait no more.
//
// Internal to check/. Calls are one at a time.
#ifndef HW_CHECK_INTERVALS_H
#define HW_CHECK_INTERVALS_H

#include "check/order/blocks.h"
#include "check/lanes.h"
#include "check/race.h"

// What an access to shared memory is. ASYNC_WRITE: an asynchronous copy, which no barrier waits for.
// FOR_OTHERS: lanes get what others have read.
enum {
    HW_CHECK_WEAK_READ = 1, HW_CHECK_WEAK_WRITE = 2, HW_CHECK_STRONG_READ = 4, HW_CHECK_STRONG_WRITE = 8,
    HW_CHECK_ASYNC_WRITE = 16, HW_CHECK_FOR_OTHERS = 32
};
uint8_t hw_check_interval_kind(const hw_note *note, uint8_t kind);

// Intervals without a race, by a hash of their logs.
enum { HW_CHECK_INTERVALS_KEPT = 256 };
typedef struct hw_check_kept {
    char *log;
    uint32_t bytes, capacity;
} hw_check_kept;

typedef struct hw_check_intervals {
    hw_check_kept kept[HW_CHECK_INTERVALS_KEPT];
    uint32_t n_kept;                 // since the beginning
    hw_check_owners owners;
    uint32_t n_waiting;              // blocks with something in their logs
    uint32_t turn;                   // counts the times that all logs were empty, from 1 on
} hw_check_intervals;

void hw_check_intervals_free(hw_check_intervals *intervals);

// Notes down an access of that kind for later. runs: of its pattern, or NULL; they stay as they are as long as a log
// refers to them. False: it cannot wait, and is to be looked at now.
bool hw_check_interval_add(hw_check *check, hw_check_block *block, const hw_access *first,
                           const hw_check_bases *bases, uint8_t kind, hw_check_runs *runs);
// Does a log refer to these runs, perhaps?
static inline bool hw_check_intervals_have(const hw_check_intervals *intervals, const hw_check_runs *runs) {
    return intervals->n_waiting && runs->logged == intervals->turn;
}

// All that waits goes through shadow memory: before threads of the block are put in order otherwise than by a barrier
// of all of them. end: at such a barrier, or with the block.
void hw_check_interval_look(hw_check *check, hw_check_block *block);
void hw_check_interval_end(hw_check *check, hw_check_block *block);
void hw_check_intervals_look(hw_check *check);

// Copies that the warps begin, in the block's list from now on. runs: of their pattern, or NULL.
void hw_check_lane_copies_begin(hw_check *check, hw_check_block *block, const hw_access *first,
                                const hw_check_bases *bases, const hw_check_runs *runs);
// Lanes of a copy have waited for it. It becomes the one of the list, with its pattern, if that is of the same lanes.
void hw_check_lane_copies_land(hw_check_block *block, hw_check_lane_copy *landed);
// Notes that down. False: it cannot wait.
bool hw_check_interval_land(hw_check *check, hw_check_block *block, const hw_check_lane_copy *landed);

#endif
