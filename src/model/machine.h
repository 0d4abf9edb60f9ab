// How many instructions of machine code a launch has executed.
#ifndef HW_MODEL_MACHINE_H
#define HW_MODEL_MACHINE_H

#include "isa/machine.h"

// Adds to inst what a function's blocks were executed for. By the function's ranges, warps: how many executed their
// instructions; divergent: how many lanes' ways parted at the branches that end them. times: room for a number of each
// of its blocks. Whole numbers where the PTX's counts decide, and
// shares of them where loops were unrolled. Pure.
void hw_model_machine(const hw_machine_function *function, const uint64_t *warps, const uint64_t *divergent,
                      double *times, double inst[HW_RATES]);

#endif
