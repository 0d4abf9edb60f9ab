// Which blocks every path to a block leads through. Private to lower.
#ifndef HW_LOWER_DOMINATORS_H
#define HW_LOWER_DOMINATORS_H

#include "lower/lowering.h"

// By block, where nothing else is said; of reachable ones.
typedef struct hw_dominators {
    uint32_t *parent;              // its immediate dominator; of the first block itself
    uint32_t *preorder, *below;    // its place in the tree's preorder; how many blocks it dominates, itself included
    uint32_t *last;                // of those, the greatest hw_cfg_block.order
    uint32_t *at;                  // by place in preorder: the block
} hw_dominators;

// HW_NO_MEMORY. Linear but for the fixpoint.
hw_status hw_dominators_find(hw_lowering *lo, hw_dominators *out);

// Does every path to block b lead through block a? Both are reachable. Constant time.
static inline bool hw_dominates(const hw_dominators *d, uint32_t a, uint32_t b) {
    return d->preorder[b] - d->preorder[a] < d->below[a];
}

#endif
