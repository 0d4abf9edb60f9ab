// The time of a kernel's own clocks, in cycles of the multiprocessor since the launch began.
//
// A warp has what it has issued and waited since its block's last barrier, a block what it had done by then: there its
// warps' instructions add up, and the longest wait counts. A block has taken hypot(issued by all that share its
// multiprocessor, waited), as the estimate of time has it. Others are taken to issue as much as it does. A block begins
// when the one before it in its place has ended; places are given in the grid's order.
//
// Nothing is done for that as long as a launch runs, but where one warp follows the other: the worker's counts of basic
// blocks say what was executed in between. Launches that read no clock pay a test there; those that do have one worker,
// since a block's begin is another's end.
#ifndef HW_EXEC_SCHEDULE_CYCLES_H
#define HW_EXEC_SCHEDULE_CYCLES_H

#include "exec/warp/warp.h"

// Does anything that the launch can run read a clock? Then run->cycles is set. False: no memory.
bool hw_cycles_begin(hw_run *run);
void hw_cycles_end(hw_run *run);

// The rest is for launches with run->cycles.
void hw_cycles_block_begins(hw_block *block);
void hw_cycles_block_ends(hw_block *block);
// From now on these n warps execute, together. first NULL: none.
void hw_cycles_turn_to(hw_worker *worker, hw_state *first, uint32_t n);
// All warps of the block have met.
void hw_cycles_barrier(hw_block *block);
// As the warp sees it at the instruction of that note.
double hw_cycles_now(hw_state *s, uint32_t note);

#endif
