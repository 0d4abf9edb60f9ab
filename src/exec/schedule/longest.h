// What the longest warps of blocks issue: a block holds its place until its longest warp is done, and where all wait at
// a barrier they wait for the one that has most to do before it.
//
// Warps are not counted one by one: as a turn ends, what the block has issued in it is the warps' whose turn it was,
// each an equal part. Convoys go through the same instructions, and where their warps part each has a turn of its own;
// packed lanes have been counted by their warps. So these are the same numbers whatever executes a kernel, in whatever
// order. An instruction counts where its basic block ends. Barriers of a number of threads, and of clusters, part
// nothing, since others may be anywhere then.
#ifndef HW_EXEC_LONGEST_H
#define HW_EXEC_LONGEST_H

#include "exec/warp/warp.h"

// What of the block's is not yet some warp's becomes that of the warps whose turn it is.
static inline void hw_longest_settle(hw_block *block) {
    hw_longest *l = &block->longest;
    const uint64_t fresh = block->issued - l->settled;
    l->settled = block->issued;
    if (!fresh || !l->turn.n) return;
    if (l->turn.n == block->n_warps) {
        l->even += fresh / l->turn.n;
        return;
    }
    for (uint32_t k = 0; k < l->turn.n; k++) l->own[l->turn.first + k] += fresh / l->turn.n;
    l->is_uneven = true;
}

// From now on it is the turn of these warps, together; returns whose it was.
static inline hw_longest_turn hw_longest_turn_to(hw_block *block, hw_longest_turn turn) {
    const hw_longest_turn before = block->longest.turn;
    hw_longest_settle(block);
    block->longest.turn = turn;
    return before;
}

// All warps of the block have come.
void hw_longest_barrier(hw_block *block);

void hw_longest_block_begins(hw_block *block);
void hw_longest_block_ends(hw_block *block);

#endif
