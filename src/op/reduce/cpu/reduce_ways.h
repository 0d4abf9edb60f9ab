// The two ways, and exact sums: each does one part of the terms of one tile of outputs.
#ifndef HW_OP_CPU_REDUCE_WAYS_H
#define HW_OP_CPU_REDUCE_WAYS_H

#include "op/reduce/cpu/reduce_part.h"
#include "op/reduce/exact_sum.h"

// Scratch memory of a thread.
size_t hw_cpu_reduce_room(const hw_cpu_reduce_plan *plan);

// n terms from `first` on of the outputs of a tile; parts[i] is that of output tile.first + i. room: as above, at a
// multiple of 64. A plan that writes_rows has no parts: results are written.
void hw_cpu_reduce_runs(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, hw_cpu_tile tile, uint64_t first,
                        uint64_t n, void *room, hw_cpu_part *parts);
void hw_cpu_reduce_columns(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, hw_cpu_tile tile, uint64_t first,
                           uint64_t n, void *room, hw_cpu_part *parts);
// sums are cleared first.
void hw_cpu_reduce_exact(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, hw_cpu_tile tile, uint64_t first,
                         uint64_t n, void *room, hw_exact_sum *sums);

#endif
