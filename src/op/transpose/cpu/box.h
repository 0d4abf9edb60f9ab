// The boxes of a permutation, one after the other or by threads.
#ifndef HW_OP_CPU_BOX_H
#define HW_OP_CPU_BOX_H

#include "base/pool.h"
#include "op/transpose/cpu/plan.h"
#include "op/transpose/cpu/tile.h"

// Moves box number `index`, below plan->n_boxes. goes_on: the same thread will move the next one after it. buffer:
// plan->buffer_bytes, or NULL where the plan has none. Touches no other box of out, so that boxes can be moved in any
// order and at once. Where the plan streams, hw_tile_fence ends it.
void hw_cpu_box_move(const hw_cpu_plan *plan, const hw_tile_level *level, uint64_t index, bool goes_on, char *buffer);

// How many of n_threads are worth waking, and the buffers that they need in all; 0: none.
uint32_t hw_cpu_plan_threads(const hw_cpu_plan *plan, uint32_t n_threads);
size_t hw_cpu_plan_room(const hw_cpu_plan *plan, uint32_t n_threads);

// Moves all boxes. room: hw_cpu_plan_room bytes from hw_alloc_lanes.
void hw_cpu_plan_run(const hw_cpu_plan *plan, const hw_tile_level *level, hw_pool *pool, uint32_t n_threads,
                     char *room);

#endif
