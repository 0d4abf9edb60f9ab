// How the processor goes through a permutation: boxes of elements that are contiguous for long enough in both arrays.
#ifndef HW_OP_CPU_PLAN_H
#define HW_OP_CPU_PLAN_H

#include "op/transpose/permutation.h"

typedef enum hw_cpu_way {
    HW_CPU_RUNS,        // the same axis is the fastest of both: runs are copied
    HW_CPU_TRANSPOSE,   // register tiles of the fastest axis of in by the fastest axis of out
    HW_CPU_PLAIN,       // no contiguous axis in one of the arrays: element by element
} hw_cpu_way;

typedef struct hw_cpu_plan {
    hw_permutation p;                  // with elements as wide as they can be
    hw_cpu_way way;
    uint32_t row_axis, col_axis;       // fastest of out; fastest of in, or when they are the same, the next one of in
    uint64_t box[HW_MAX_RANK];         // extents of a box, by axis
    uint64_t n_boxes;
    uint32_t walk[HW_MAX_RANK];        // the axes in the order in which boxes are visited, the innermost first: in's
    uint32_t loops[HW_MAX_RANK];       // the other axes in the order in which a box is read, the innermost first
    uint32_t n_loops;

    uint32_t strip, strips_ahead;      // rows (of RUNS: runs) read at a time; how far ahead they are fetched
    bool fetches;

    bool buffered;                     // a box is put together in a buffer, and leaves it by whole lines
    bool streams;                      // past the cache
    uint32_t run_axis;                 // axes from here on are one run of a box in out
    int64_t buffer_stride[HW_MAX_RANK];   // bytes
    size_t buffer_bytes;
} hw_cpu_plan;

// A pure function of p, which is merged and not in place, and of the size from which on arrays are written past the
// cache: HW_CPU_CACHE_BYTES but in tests.
void hw_cpu_plan_make(const hw_permutation *p, uint64_t cache_bytes, hw_cpu_plan *plan);

#endif
