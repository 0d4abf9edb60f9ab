// Two axes of the same extent change places within their memory.
#ifndef HW_OP_CPU_SWAP_H
#define HW_OP_CPU_SWAP_H

#include "base/pool.h"
#include "op/transpose/cpu/in_place.h"
#include "op/transpose/cpu/tile.h"

// plan->way is HW_IN_PLACE_SWAP. Allocates nothing.
void hw_swap_run(const hw_in_place *plan, const hw_tile_level *level, hw_pool *pool, uint32_t n_threads);

#endif
