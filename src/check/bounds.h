// Accesses outside of the memory that they should stay in, of freed memory, and misaligned ones.
//
// Internal to check/. Calls are one at a time.
#ifndef HW_CHECK_BOUNDS_H
#define HW_CHECK_BOUNDS_H

#include "check/internal.h"

// Accesses of the running launch that cannot be made.
void hw_check_tell_stray(hw_sink *sink, uint32_t worker, const hw_stray *stray);

// Accesses of the running launch that are made: are they where they should be?

static inline bool hw_check_is_in(const hw_home *home, uint8_t space, uint64_t address, uint64_t bytes) {
    const bool is_alike = home->space == (space == HW_SPACE_CONST ? HW_SPACE_GLOBAL : space);
    return is_alike && address - home->begin <= home->bytes && bytes <= home->bytes - (address - home->begin);
}

// The homes of an access of this instruction; n 0: not known.
static inline hw_home_set hw_check_homes_of(const hw_check *c, uint32_t note) {
    const uint32_t access = c->homes ? c->notes[note].access - c->homes->first_access : 0;
    return c->homes && access < c->homes->n_accesses ? c->homes->sets[c->homes->set_of[access]] : (hw_home_set){0};
}

// Of n warps of a block, as hw_sink.accesses has them. Mostly all of them are in one home.
void hw_check_bounds_accesses(hw_check *check, const hw_access *first, uint32_t n, const uint64_t *bases);

// A block ends, and with it its shared memory: others of its cluster have accessed that before, and it has to know.
void hw_check_bounds_block_ends(hw_check *check, hw_check_block *block);

// The bases that put an access of the pattern into its first home as a whole. Where steps are even, none is outside of
// the first and the last; no step is so long that addresses would come round.
void hw_check_bounds_room(const hw_check *check, const hw_access *access, hw_check_runs *runs);
static inline bool hw_check_bounds_have_room(const hw_check_runs *runs, const hw_check_bases *bases) {
    const uint64_t last = bases->at[bases->n - 1];
    bool have = runs->has_room && bases->at[0] - runs->from <= runs->room && last - runs->from <= runs->room;
    for (uint32_t k = 1; !bases->are_even && k < bases->n; k++) have &= bases->at[k] - runs->from <= runs->room;
    return have;
}

#endif
