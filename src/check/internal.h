// What the parts of a check share. Internal to check/.
#ifndef HW_CHECK_INTERNAL_H
#define HW_CHECK_INTERNAL_H

#include <pthread.h>

#include "check/blocks.h"
#include "check/check.h"
#include "check/intervals.h"
#include "check/race.h"
#include "check/streams.h"
#include "check/works.h"

// Two places and what was found there.
typedef struct hw_check_found {
    hw_check_finding finding;
    uint64_t places[2];
} hw_check_found;

// Allocations of the host program that are in use.
typedef struct hw_check_allocation {
    uint64_t address, bytes;
    const void *site;
} hw_check_allocation;

struct hw_check {
    hw_sink sink;                    // first: the sink is the object
    hw_check_options options;
    hw_check_entries entries;
    hw_check_shadow shadow;          // of device memory
    hw_check_streams *streams;
    hw_check_works works;
    hw_check_found **found;          // in the order in which they were found
    size_t n_found, found_capacity;
    hw_check_found *recent[256];     // by a hash of their places
    hw_check_allocation *allocations;
    size_t n_allocations, allocations_capacity;
    bool ran_out;                    // of memory: nothing is found any more
    // Other threads of the host program go on while a launch runs. What they ask for is heard when it has ended: they
    // do not wait for it, so nothing puts the two in order, whichever is heard first.
    pthread_mutex_t lock;            // recursive; of these, and of the list of what was found
    bool is_running;
    hw_host_event *unheard;
    size_t n_unheard, unheard_capacity;
    hw_check_ref floor;              // what device memory refers to below it comes before all that is done now
    uint64_t n_races;                // that have been met
    // The running launch.
    uint32_t work;
    const hw_note *notes;
    uint32_t n_notes, n_runs;
    hw_check_runs **runs;            // by index of the pattern; NULL where it was not met
    hw_check_blocks blocks;
    hw_check_intervals intervals;
};

// ---- findings.c ----

// Adds to the finding of these two places, or makes one. shared or device memory at `address`.
void hw_check_add_race(hw_check *check, hw_check_ref earlier, const hw_check_entry *later, int later_lane,
                       uint8_t space, uint64_t address);
void hw_check_add_barrier(hw_check *check, const hw_check_entry *first, const hw_check_entry *other);
void hw_check_add_leak(hw_check *check, const hw_check_allocation *allocation);

// ---- told.c ----

// What an instruction of that kind does, and the scope of a strong one; NONE: the access is weak.
hw_check_act hw_check_act_of(uint8_t kind, uint8_t space);
uint8_t hw_check_strong_scope(const hw_note *note, hw_check_act act);
// An access by lanes of mask.
void hw_check_begin_present(hw_check *check, hw_check_present *now, hw_check_block *block, uint32_t warp, uint8_t space,
                            uint32_t note, uint8_t kind, uint8_t width_bytes, uint32_t mask);

// Accesses of the running launch, and of calls of the host to `bytes` bytes.
void hw_check_tell_access(hw_sink *sink, uint32_t worker, const hw_access *access);
void hw_check_tell_accesses(hw_sink *sink, uint32_t worker, const hw_access *first, uint32_t n, const uint64_t *bases);
void hw_check_tell_lanes(hw_sink *sink, uint32_t worker, const hw_lane_access *access);
void hw_check_tell_landed(hw_sink *sink, uint32_t worker, const hw_copy_landed *landed);
void hw_check_host_access(hw_check *check, uint32_t work, hw_check_act act, uint64_t address, uint64_t bytes);

#endif
