// Accesses outside of the memory that they should stay in, of freed memory, and misaligned ones.
//
// Internal to check/. Calls are one at a time.
#ifndef HW_CHECK_BOUNDS_H
#define HW_CHECK_BOUNDS_H

#include "check/internal.h"

// Accesses of the running launch that cannot be made.
void hw_check_tell_stray(hw_sink *sink, uint32_t worker, const hw_stray *stray);

// Accesses of the running launch that are made: are they where they should be? bounds_leave: one that is not in its
// first home as a whole, low and high bytes about its base.
void hw_check_bounds_leave(hw_check *check, const hw_access *access, const hw_home_set *homes, int64_t low,
                           int64_t high);

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
static inline void hw_check_bounds_accesses(hw_check *c, const hw_access *a, uint32_t n, const uint64_t *bases) {
    if (a->note >= c->n_notes || !a->pattern->mask) return;
    const hw_home_set homes = hw_check_homes_of(c, a->note);
    if (!homes.n) return;
    const hw_home *home = &c->homes->items[homes.first];
    int64_t low = a->pattern->low, high = a->pattern->high;
    if (a->pattern->index == HW_NO_PATTERN) c->level->span(a->pattern->delta, &low, &high);
    high += a->width_bytes;
    const uint64_t bytes = (uint64_t)(high - low);
    uint64_t least = bases[0], most = bases[0];
    for (uint32_t k = 1; k < n; k++) {
        least = bases[k] < least ? bases[k] : least;
        most = bases[k] > most ? bases[k] : most;
    }
    if (hw_check_is_in(home, a->space, least + (uint64_t)low, most - least + bytes)) return;
    hw_access one = *a;
    for (uint32_t k = 0; k < n; k++, one.where.warp++) {
        one.base = bases[k];
        if (hw_check_is_in(home, a->space, one.base + (uint64_t)low, bytes)) continue;
        hw_check_bounds_leave(c, &one, &homes, low, high);
    }
}

#endif
