// Seeded orders: what a launch with a seed does otherwise than one without (hw_launch.seed).
//
// Threads that nothing puts in order may run in any, and a program may do something else in each: another block is the
// last one, another warp gets the lock. A seed varies the order in which blocks begin, warps of a block have their
// turns and diverged lanes of a warp theirs; turns are interrupted between two basic blocks, and blocks between two
// rounds, so that what others do comes between. One seed is one order: with one worker the same in each run.
//
// Blocks change places with neighbours only, no more of them than the GPU holds at one time: a block that waits for one
// before it gets what it waits for.
#ifndef HW_EXEC_SEEDED_H
#define HW_EXEC_SEEDED_H

#include "exec/warp/warp.h"

// The order of one round of n warps: the k-th to have its turn.
typedef struct hw_seeded_round {
    uint32_t first, stride, n;
} hw_seeded_round;

static inline bool hw_is_seeded(const hw_worker *worker) { return worker->random != 0; }

void hw_seeded_begin(hw_worker *worker);
// The block that begins as the linear-th of the launch.
uint64_t hw_seeded_block(const hw_run *run, uint64_t linear);
hw_seeded_round hw_seeded_round_of(hw_worker *worker, uint32_t n);
static inline uint32_t hw_seeded_warp(const hw_seeded_round *round, uint32_t k) {
    return (round->first + k * round->stride) % round->n;
}
// After how many basic blocks a turn is interrupted.
uint32_t hw_seeded_steps(hw_worker *worker);
// The turn of the warp has been interrupted: other lanes of it may go first now.
void hw_seeded_put_back(hw_state *s);
// Is the worker to look after another block now, and is that one which has not begun?
bool hw_seeded_leaves_block(hw_worker *worker);
bool hw_seeded_takes_block(hw_worker *worker, uint32_t n_running);
uint32_t hw_seeded_below(hw_worker *worker, uint32_t bound);    // a random number

#endif
