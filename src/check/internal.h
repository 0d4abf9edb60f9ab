// What the parts of a check share. Internal to check/.
#ifndef HW_CHECK_INTERNAL_H
#define HW_CHECK_INTERNAL_H

#include <pthread.h>

#include "check/blocks.h"
#include "check/check.h"
#include "check/host.h"
#include "check/streams.h"
#include "check/works.h"

// Neighbouring lanes of an access, side by side or at one address; where other lanes have the very same bytes, of all
// of them.
typedef struct hw_check_run {
    int64_t delta;                   // of its first byte
    uint32_t mask;                   // the lanes
    uint8_t first_lane;
    uint8_t elems;                   // of the access's width
    bool is_many;                    // more lanes than elems
} hw_check_run;

// How the lanes of a pattern lie.
typedef struct hw_check_runs {
    uint64_t serial;
    uint32_t n;
    hw_check_run items[HW_WARP_LANES];
} hw_check_runs;

// Two places and what was found there.
typedef struct hw_check_found {
    hw_check_finding finding;
    uint64_t places[2];
} hw_check_found;

// What another thread of the host program has asked for while a launch ran.
typedef struct hw_check_unheard {
    hw_host_event event;
    uint64_t thread;
} hw_check_unheard;

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
    hw_check_host host;
    bool ran_out;                    // of memory: nothing is found any more
    // Other threads of the host program go on while a launch runs. What they ask for is heard when it has ended: they
    // do not wait for it, so nothing puts the two in order, whichever is heard first.
    pthread_mutex_t lock;            // recursive; of these, and of the list of what was found
    bool is_running;
    hw_check_unheard *unheard;
    size_t n_unheard, unheard_capacity;
    // The running launch.
    uint32_t work;
    uint64_t launch;                 // its number; when it has ended, of the last one
    const hw_note *notes;
    uint32_t n_notes, n_runs;
    hw_check_runs **runs;            // by index of the pattern; NULL where it was not met
    hw_check_blocks blocks;
};

// ---- findings.c ----

// Adds to the finding of these two places, or makes one. shared or device memory at `address`.
void hw_check_add_race(hw_check *check, hw_check_ref earlier, const hw_check_entry *later, int later_lane,
                       uint8_t space, uint64_t address);
void hw_check_add_barrier(hw_check *check, const hw_check_entry *first, const hw_check_entry *other);
// A thread's own doing; what: hw_arithmetic_kind.
void hw_check_add_arithmetic(hw_check *check, const hw_check_entry *entry, uint8_t what);
// Of calls of the host program: another one of these places, or a new one. Leaks of one place add their bytes up.
void hw_check_add(hw_check *check, const hw_check_finding *finding, const uint64_t places[2]);

// ---- race.c ----

// Accesses of the running launch, and of calls of the host to `bytes` bytes.
void hw_check_tell_access(hw_sink *sink, uint32_t worker, const hw_access *access);
void hw_check_tell_lanes(hw_sink *sink, uint32_t worker, const hw_lane_access *access);
void hw_check_tell_landed(hw_sink *sink, uint32_t worker, const hw_copy_landed *landed);
void hw_check_host_access(hw_check *check, uint32_t work, hw_check_act act, uint64_t address, uint64_t bytes);

#endif
