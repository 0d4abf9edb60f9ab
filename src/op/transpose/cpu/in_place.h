// Permutations within one piece of memory.
#ifndef HW_OP_CPU_IN_PLACE_H
#define HW_OP_CPU_IN_PLACE_H

#include "op/transpose/permutation.h"

typedef enum hw_in_place_way {
    HW_IN_PLACE_NOTHING,   // every element stays where it is
    HW_IN_PLACE_SWAP,      // two axes change places: elements are swapped in pairs, no scratch memory
    HW_IN_PLACE_PANELS,    // a matrix: panels of rows or columns through scratch memory, then whole runs by cycles
    HW_IN_PLACE_SMALL,     // many small blocks: each through the scratch memory of its thread
    HW_IN_PLACE_SCRATCH,   // through scratch memory of a block's size
} hw_in_place_way;

// What is to be done with a merged permutation in place. Axis 0 may count blocks that do not mix; block is one of them.
typedef struct hw_in_place {
    hw_in_place_way way;
    hw_permutation p;         // all of it, with elements as wide as they can be
    uint32_t axis[2];         // SWAP: slower and faster in out
    uint64_t n_blocks;
    hw_permutation block;     // the first
    uint64_t block_bytes;
    uint64_t rows, cols;      // PANELS: of the matrix in in
    uint64_t run;             // PANELS: elements that stay together, a divisor of rows or of cols
    bool by_rows;             // which
} hw_in_place;

void hw_in_place_make(const hw_permutation *p, hw_in_place *plan);
const char *hw_cpu_in_place_explain(const hw_permutation *p, char *text, size_t text_bytes);

#endif
