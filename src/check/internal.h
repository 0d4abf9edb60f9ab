// What the parts of a check share. Internal to check/.
#ifndef HW_CHECK_INTERNAL_H
#define HW_CHECK_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "check/order/blocks.h"
#include "check/check.h"
#include "check/order/children.h"
#include "check/host.h"
#include "check/intervals.h"
#include "check/lanes.h"
#include "check/race.h"
#include "check/reads.h"
#include "check/order/streams.h"
#include "check/undefined.h"
#include "check/works.h"
#include "mem/mem.h"

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
    const hw_check_level *level;
    hw_check_entries entries;
    hw_check_shadow shadow;          // of device memory
    hw_check_all_reads reads;        // of what launches only read
    hw_check_streams *streams;
    hw_check_children children;      // launches that kernels make
    hw_check_works works;
    hw_check_found **found;          // in the order in which they were found
    size_t n_found, found_capacity;
    hw_check_found *recent[256];     // by a hash of their places
    hw_check_host host;
    hw_check_origins origins;        // of undefined values
    atomic_bool ran_out;             // of memory: nothing is found any more
    // Other threads of the host program go on while a launch runs. What they ask for is heard when it has ended: they
    // do not wait for it, so nothing puts the two in order, whichever is heard first.
    pthread_mutex_t lock;            // recursive; of these, and of the list of what was found
    bool is_running;
    hw_check_unheard *unheard;
    size_t n_unheard, unheard_capacity;
    hw_check_ref floor;              // what device memory refers to below it comes before all that is done now
    uint64_t n_races;                // that have been met
    hw_check_ref *missed;            // room for what readers.c gathers
    size_t missed_capacity;
    // The running launch.
    uint32_t work;
    bool may_launch;                 // kernels
    uint64_t launch;                 // its number; when it has ended, of the last one
    const hw_note *notes;
    uint32_t n_notes, n_runs;
    const hw_mem *memory;
    const hw_homes *homes;           // NULL: not known
    uint32_t shared_bytes;           // of a block
    hw_check_runs **runs;            // by index of the pattern; NULL where it was not met
    hw_check_blocks blocks;
    hw_check_intervals intervals;
    struct hw_check_aside *aside;    // launches that wait for the running one (aside.h), the innermost first
};

// ---- findings.c ----

// Adds n to the finding of these places; false: there is none. keep makes it, with a count of n.
bool hw_check_count_again(hw_check *check, hw_check_kind kind, const uint64_t places[2], uint64_t n);
void hw_check_keep(hw_check *check, const hw_check_finding *finding, const uint64_t places[2], uint64_t n);

// The variable or allocation that a byte lies in; of shared memory a variable that some access is known to mean. Its
// name outlives the module.
hw_check_object hw_check_object_at(hw_check *check, uint8_t space, uint64_t address);

// Adds to the finding of these two places, or makes one. shared or device memory at `address`.
void hw_check_add_race(hw_check *check, hw_check_ref earlier, const hw_check_entry *later, int later_lane,
                       uint8_t space, uint64_t address);
void hw_check_add_barrier(hw_check *check, const hw_check_entry *first, const hw_check_entry *other);
// Lanes that meet others by a mask that does not name them.
void hw_check_add_stranger(hw_check *check, const hw_check_entry *stranger);
// n: 1 or 2.
void hw_check_add_stuck(hw_check *check, hw_check_kind kind, const hw_check_entry *waiting, uint32_t n,
                        hw_check_missing missing);
// A thread's own doing; what: hw_arithmetic_kind.
void hw_check_add_arithmetic(hw_check *check, const hw_check_entry *entry, uint8_t what);
// Of calls of the host program: another one of these places, or a new one. Leaks of one place add their bytes up.
void hw_check_add(hw_check *check, const hw_check_finding *finding, const uint64_t places[2]);
// A use of a value that nobody has given. read: what has read it, at `address` in a space; NULL: a register.
void hw_check_add_undefined(hw_check *check, const hw_check_entry *read, const hw_check_entry *use, int lane,
                            uint8_t space, uint64_t address);
// A copy to the host of bytes none of which anybody has written.
void hw_check_add_untouched(hw_check *check, const hw_check_allocation *of, const hw_check_entry *copy,
                            uint64_t address);

// ---- told.c ----

// What an instruction of that kind does, and the scope of a strong one; NONE: the access is weak.
hw_check_act hw_check_act_of(uint8_t kind, uint8_t space);
uint8_t hw_check_strong_scope(const hw_note *note, hw_check_act act);
// An access by lanes of mask.
void hw_check_begin_present(hw_check *check, hw_check_present *now, hw_check_block *block, uint32_t warp, uint8_t space,
                            uint32_t note, uint8_t kind, uint8_t width_bytes, uint32_t mask);

// Accesses of the running launch (n warps, as hw_sink.accesses has them), and of calls of the host to `bytes` bytes.
void hw_check_hear(hw_check *check, const hw_access *first, uint32_t n, const uint64_t *bases);
void hw_check_tell_lanes(hw_sink *sink, uint32_t worker, const hw_lane_access *access);
void hw_check_tell_row(hw_sink *sink, uint32_t worker, const hw_bulk_step *step);
// Notes down what an asynchronous copy writes: pending, as long as it is under way; an ordinary write, made now, when
// its lanes have waited.
void hw_check_record_copy(hw_check *check, hw_check_block *block, const hw_check_lane_copy *copy, bool is_pending);
void hw_check_tell_landed(hw_sink *sink, uint32_t worker, const hw_copy_landed *landed);
void hw_check_host_access(hw_check *check, uint32_t work, hw_check_act act, uint64_t address, uint64_t bytes);

#endif
