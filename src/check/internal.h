// What the parts of a check share. Internal to check/.
#ifndef HW_CHECK_INTERNAL_H
#define HW_CHECK_INTERNAL_H

#include "check/blocks.h"
#include "check/check.h"
#include "check/streams.h"
#include "check/works.h"

// How the lanes of a pattern lie.
typedef enum hw_check_shape {
    HW_CHECK_APART,
    HW_CHECK_SIDE_BY_SIDE,           // lanes from the first on, without gaps
    HW_CHECK_TOGETHER,               // at one address
} hw_check_shape;

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

typedef struct hw_check_shape_known {
    uint64_t serial;
    uint8_t shape;                   // hw_check_shape
} hw_check_shape_known;

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
    // The running launch.
    uint32_t work;
    const hw_note *notes;
    uint32_t n_notes, n_shapes;
    hw_check_shape_known *shapes;    // by index of the pattern
    hw_check_blocks blocks;
};

// ---- findings.c ----

// Adds to the finding of these two places, or makes one. shared or device memory at `address`.
void hw_check_add_race(hw_check *check, hw_check_ref earlier, const hw_check_entry *later, int later_lane,
                       uint8_t space, uint64_t address);
void hw_check_add_barrier(hw_check *check, const hw_check_entry *first, const hw_check_entry *other);
void hw_check_add_leak(hw_check *check, const hw_check_allocation *allocation);

// ---- race.c ----

// Accesses of the running launch, and of calls of the host to `bytes` bytes.
void hw_check_tell_access(hw_sink *sink, uint32_t worker, const hw_access *access);
void hw_check_tell_lanes(hw_sink *sink, uint32_t worker, const hw_lane_access *access);
void hw_check_tell_landed(hw_sink *sink, uint32_t worker, const hw_copy_landed *landed);
void hw_check_host_access(hw_check *check, uint32_t work, hw_check_act act, uint64_t address, uint64_t bytes);

#endif
