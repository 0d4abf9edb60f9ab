// Ranges of addresses as extents side by side, each free or in use. Internal to mem/.
//
// Callers hold the memory's lock. Extents are numbered through all ranges; number 0 is none.
#ifndef HW_MEM_EXTENT_H
#define HW_MEM_EXTENT_H

#include <stdbool.h>
#include <stdint.h>

enum {
    HW_EXTENT_UNIT_BYTES = 512,      // cudaMalloc's granularity
    HW_EXTENT_MAX = 1 << 23,         // extents that can exist at one time
    HW_EXTENT_BINS = 48,
    HW_EXTENT_RANGES = 2,
};

typedef struct hw_extent {
    uint64_t start, span_bytes;      // multiples of HW_EXTENT_UNIT_BYTES
    uint32_t before, after;          // neighbours by address
    uint32_t prev, next;             // in its bin while free; next: also in the list of unused numbers
    uint8_t range;
    bool is_free;
} hw_extent;

typedef struct hw_extents {
    hw_extent *items;                // HW_EXTENT_MAX of them, reserved; touched pages alone cost memory
    uint32_t n_items, unused;        // numbers handed out so far, and those that came back
    uint32_t bins[HW_EXTENT_RANGES][HW_EXTENT_BINS];   // free extents by the logarithm of their span
} hw_extents;

// No ranges yet. items is HW_EXTENT_MAX zeroed elements.
void hw_extents_init(hw_extents *extents, hw_extent *items);

// Makes [start, start + span_bytes) the range of that number, below HW_EXTENT_RANGES: one free extent. Once each.
void hw_extents_add(hw_extents *extents, uint8_t range, uint64_t start, uint64_t span_bytes);

// Takes span_bytes at a multiple of align (both multiples of the unit) out of a range's free extents. 0: no room.
uint32_t hw_extents_take(hw_extents *extents, uint8_t range, uint64_t span_bytes, uint64_t align);

// Makes an extent free again and merges it with free neighbours. Its number is no longer valid.
void hw_extents_release(hw_extents *extents, uint32_t number);

#endif
