// How the processor goes through a reduction: which way, and how it is cut into parts. A pure function of the form, so
// that results do not depend on the number of threads.
#ifndef HW_OP_CPU_REDUCE_PLAN_H
#define HW_OP_CPU_REDUCE_PLAN_H

#include "op/reduce/cpu/fold.h"
#include "op/reduce/reduction.h"
#include "op/tune/cpu.h"

typedef enum hw_cpu_reduce_way {
    HW_CPU_REDUCE_RUNS,      // output by output, along its terms
    HW_CPU_REDUCE_COLUMNS,   // neighbouring outputs at once, term by term
} hw_cpu_reduce_way;

// Exact sums of neighbouring outputs: the outputs of a tile, and the distance in elements at which the terms of each
// are gathered.
enum { HW_CPU_EXACT_OUTPUTS = 64, HW_CPU_EXACT_PITCH = 256 + 16 };

typedef enum hw_cpu_widen { HW_CPU_AS_IS, HW_CPU_WIDEN_F16, HW_CPU_WIDEN_BF16 } hw_cpu_widen;

typedef struct hw_cpu_reduce_plan {
    const hw_reduction_form *form;
    hw_fold_type type;             // computed with
    uint32_t type_bytes;
    hw_fold_op op;
    hw_cpu_widen widen;
    bool is_arg, is_exact;
    bool in_pairs;                 // sums of floats: parts of them are added in pairs
    hw_cpu_reduce_way way;
    bool contiguous;               // runs; or rows of a tile
    bool whole_runs;               // RUNS: all terms of an output are one run, and no more than a block
    uint32_t rows_at_once;         // COLUMNS: rows of the array that lie side by side and are folded as one; 1: none
    uint32_t width;                // outputs of a tile
    uint64_t tiles;                // along the outputs, none crosses a row of the last kept axis when contiguous
    uint64_t parts, part_terms;    // along the terms of each output; the last part has the rest
    bool writes_rows;              // COLUMNS: a tile's row of sums becomes a piece of the results where it is
} hw_cpu_reduce_plan;

// form has outputs and terms.
void hw_cpu_reduce_plan_make(const hw_reduction_form *form, hw_cpu_reduce_plan *plan);

// How many of `most` threads are worth waking for it.
uint32_t hw_cpu_reduce_threads(const hw_cpu_reduce_plan *plan, uint32_t most);

// The outputs of a tile: from the first on.
typedef struct hw_cpu_tile {
    uint64_t first;
    uint32_t n;
} hw_cpu_tile;
hw_cpu_tile hw_cpu_reduce_tile(const hw_cpu_reduce_plan *plan, uint64_t index);

#endif
