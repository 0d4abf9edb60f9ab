// The plans of transpose_plan.h as launches: the defines and parameters that the kernels ask for.
#ifndef HW_OP_TRANSPOSE_LAUNCH_H
#define HW_OP_TRANSPOSE_LAUNCH_H

#include "op/common/plan.h"
#include "op/transpose/transpose_plan.h"

// tile is of kind DIRECT, SHARED or RAGGED and made for p, with at most HW_TILE_MOST blocks. in, out: the numbers of
// the arrays that the launches will be run with.
void hw_tile_plan_launch(const hw_permutation *p, const hw_tile_plan *tile, int in, int out, hw_plan *plan);

void hw_swap_plan_launch(const hw_permutation *p, const hw_swap_plan *swap, int data, hw_plan *plan);

#endif
