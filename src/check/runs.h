// How the lanes of an access lie: runs of neighbouring lanes that lie side by side, or at one address.
//
// Internal to check/.
#ifndef HW_CHECK_RUNS_H
#define HW_CHECK_RUNS_H

#include "event/event.h"

// Neighbouring lanes of an access, side by side or at one address; where other lanes have the very same bytes, of all
// of them.
typedef struct hw_check_run {
    int64_t delta;                   // of its first byte
    uint32_t mask;                   // the lanes
    uint8_t first_lane;
    uint8_t elems;                   // of the access's width
    bool is_many;                    // more lanes than elems
} hw_check_run;

typedef struct hw_check_runs {
    uint64_t serial;                 // of the pattern; 0: it has no name
    uint32_t mask;                   // all lanes
    uint32_t n;
    bool may_overlap;                // no two runs have a byte in common where this is false
    bool are_cells;                  // words, or bytes, of one lane each
    bool is_new;                     // the pattern has been met once
    // Of a pattern with a name: its instruction, what that does in shared memory (intervals.h), and which bases are
    // known to be within bounds: `from` and up to `room` above it.
    uint8_t kinds, kind, width_bytes;
    bool has_room;
    uint32_t note;
    uint64_t from, room;
    uint32_t logged;                 // hw_check_intervals.turn when a log last referred to these
    int32_t delta[HW_WARP_LANES];    // of the lanes; no shared memory is larger
    hw_check_run items[HW_WARP_LANES];
} hw_check_runs;

// Where one access of n warps, one after the other, begins for each.
typedef struct hw_check_bases {
    const uint64_t *at;
    uint64_t step;                   // from one to the next, where it is the same for all of them; 0 of one warp
    uint32_t n;
    bool are_even;                   // it is
} hw_check_bases;

static inline hw_check_bases hw_check_bases_of(uint32_t n, const uint64_t *at) {
    const uint64_t step = n > 1 ? at[1] - at[0] : 0;
    uint64_t differ = 0;
    for (uint32_t k = 2; k < n; k++) differ |= (at[k] - at[k - 1]) ^ step;
    return (hw_check_bases){at, differ ? 0 : step, n, !differ};
}

// delta: of the lanes in mask, whole elements of `width` bytes apart.
// The same, but lanes of 4 bytes, or 1, are runs of their own where no two have the same, which is found sooner.
void hw_check_find_cells(uint32_t mask, const int64_t *delta, uint32_t width, hw_check_runs *runs);
void hw_check_find_runs(uint32_t mask, const int64_t *delta, uint32_t width, hw_check_runs *runs);

#endif
