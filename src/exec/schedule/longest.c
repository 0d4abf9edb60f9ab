#include "exec/schedule/longest.h"

#include <string.h>

static void forget_part(hw_longest *l) {
    if (l->is_uneven) memset(l->own, 0, sizeof l->own);
    l->is_uneven = false;
    l->even = 0;
}

void hw_longest_barrier(hw_block *block) {
    hw_longest *l = &block->longest;
    uint64_t most = 0;
    hw_longest_settle(block);
    for (uint32_t i = 0; l->is_uneven && i < block->n_warps; i++)
        if (l->own[i] > most) most = l->own[i];
    l->passed += l->even + most;
    forget_part(l);
}

void hw_longest_block_begins(hw_block *block) {
    hw_longest *l = &block->longest;
    l->settled = block->issued;
    l->turn.n = 0;
    l->passed = 0;
    forget_part(l);
}

void hw_longest_block_ends(hw_block *block) {
    hw_issued *sum = &block->warps[0].worker->issued;
    hw_longest_barrier(block);
    sum->all += block->issued;
    sum->longest += block->longest.passed;
}
