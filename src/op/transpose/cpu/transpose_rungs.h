// The processor's ladder of transposes: one idea each, on row-major matrices of any size.
#ifndef HW_OP_CPU_TRANSPOSE_RUNGS_H
#define HW_OP_CPU_TRANSPOSE_RUNGS_H

#include "op/common/family.h"

enum { HW_CPU_TRANSPOSE_RUNGS = 8 };

// problem->size is rows x cols of in; arrays are in, out. Elements of 1, 2, 4, 8 or 16 bytes.
extern const hw_rung hw_cpu_transpose_rungs[HW_CPU_TRANSPOSE_RUNGS];

#endif
