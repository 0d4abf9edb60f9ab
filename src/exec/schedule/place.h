// Where a block's threads are: those at one source line that wait for the same thing, or for nothing. Private to exec.
//
// To be looked at between the turns of its warps, on the block's own worker.
#ifndef HW_EXEC_PLACE_H
#define HW_EXEC_PLACE_H

#include "exec/warp/warp.h"

typedef enum hw_place_state {
    HW_PLACE_RUNS,                // can go on
    HW_PLACE_AT_BARRIER,          // of the block
    HW_PLACE_AT_SYNC,             // for other lanes of the warp, by name
    HW_PLACE_RECONVERGES,         // for other lanes of the warp, behind a branch; no line is known
} hw_place_state;

typedef struct hw_place {
    const char *file;             // NULL: RECONVERGES
    uint32_t line, threads, warps;
    hw_place_state state;
    uint8_t barrier;              // AT_BARRIER
    uint32_t note;                // without meaning for RECONVERGES
    const hw_state *first;        // of the warps, and which of its lanes
    uint32_t mask;
} hw_place;

// Adds the places of the block's threads to the *n of `places`; those for which there is no room among `most` are left
// out.
void hw_places_add(const hw_block *block, hw_place *places, uint32_t most, uint32_t *n);
// Tells sinks that want it that the threads of these places are stuck. stuck: has all but the groups.
void hw_places_tell_stuck(const hw_worker *worker, const hw_place *places, uint32_t n, hw_stuck stuck);

#endif
