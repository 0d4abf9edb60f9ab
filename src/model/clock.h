// What clocks inside of kernels go by: how long a multiprocessor takes to issue each instruction of a program, and how
// long its warp waits then, by the numbers of the estimate of time (time.def). Of what instructions do no more is known
// than their notes say: an access is taken to hit no cache, and to meet no bank conflict.
#ifndef HW_MODEL_CLOCK_H
#define HW_MODEL_CLOCK_H

#include "isa/gpu.h"
#include "isa/isa.h"

// Sums over the notes before each: n + 1 of them, from {0, 0} on. Loads of a basic block that nothing stands between
// wait together, as in the estimate. Pure; n steps.
void hw_model_clock_sums(const hw_gpu *gpu, const hw_note *notes, uint32_t n, hw_cycles *sums);

// From the end of a block until the first instruction of the next one in its place, which has so many warps.
double hw_model_block_start_cycles(const hw_gpu *gpu, double warps);

// From the begin of a block to the next one's, on another multiprocessor. 0: not known.
double hw_model_block_turn_cycles(const hw_gpu *gpu);

#endif
