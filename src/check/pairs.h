// Two accesses: is there an order between them, or a race?
//
// Internal to check/.
#ifndef HW_CHECK_PAIRS_H
#define HW_CHECK_PAIRS_H

#include "check/internal.h"

static inline hw_check_cells *hw_check_cells_for(const hw_check_present *now) {
    return now->space == HW_SPACE_SHARED ? &now->check->blocks.cells : &now->check->shadow.cells;
}

static inline bool hw_check_is_write(uint8_t act) { return act != HW_CHECK_READS; }

// Was the access made by a thread of the block that the present one is made in?
static inline bool hw_check_is_of_block(const hw_check_present *now, const hw_check_entry *e) {
    return now->block && e->work == now->entry.work && e->warp - now->first_warp < now->check->blocks.n_warps;
}

// The usual answer: all threads of the block have been at a barrier since.
static inline bool hw_check_is_behind_barrier(const hw_check_present *now, const hw_check_entry *e) {
    return hw_check_is_of_block(now, e) && e->time < now->block->barrier_time && !e->is_pending;
}

// The lanes that have accessed a cell, of which a reference names the first: side by side, or all of them.
uint32_t hw_check_lanes_of_cell(const hw_check_entry *e, int first, uint32_t cell_bytes);

// Lanes of a warp know different things, and are known by others so, where they have met one by one, or told or read
// messages.
bool hw_check_depends_on_lanes(const hw_check_present *now);
// Does lane `of` of an entry, or all of them where it is one of many, come before what `lane` does now?
bool hw_check_is_ordered(const hw_check_present *now, const hw_check_entry *e, int of, int lane, uint32_t cell_bytes);
// Is the access that ref refers to a race with the present one?
bool hw_check_is_race(const hw_check_present *now, hw_check_ref ref, int lane, uint32_t cell_bytes);
// Is what was found of one lane of the entry, and one of the present access, so of the others?
bool hw_check_holds_for_lanes(const hw_check_present *now, const hw_check_entry *e);
// Has each lane done it for itself, as it does now?
bool hw_check_is_of_same_lanes(const hw_check_present *now, const hw_check_entry *e);

// Or in order by a warp's step alone: blocks.by_step.
static inline bool hw_check_is_race_or_fine(hw_check_present *now, hw_check_ref ref, int lane, uint32_t cell_bytes) {
    const uint32_t entry = hw_check_warp_of(ref);
    if (ref < now->floor || entry == now->fine[entry % 4]) return false;
    if (entry == now->uneven && now->is_own && hw_check_lane_of(ref) == (uint32_t)lane) return false;
    bool *by_step = &now->check->blocks.by_step;
    *by_step = false;
    if (hw_check_is_race(now, ref, lane, cell_bytes)) {
        *by_step = false;    // of some of its lanes
        return true;
    }
    if (*by_step) return true;
    if (entry == now->uneven) return false;
    const hw_check_entry author = hw_check_entry_of(&now->check->entries, ref);
    if (hw_check_holds_for_lanes(now, &author)) {
        now->fine[entry % 4] = entry;
    } else {
        now->uneven = entry;
        now->is_own = hw_check_is_of_same_lanes(now, &author);
    }
    return false;
}

#endif
