// The axes of a reduction, merged. For reduce_check.c and tests.
#ifndef HW_OP_REDUCTION_AXES_H
#define HW_OP_REDUCTION_AXES_H

#include "op/reduce/reduction.h"

// Fills the axes of a form, whose reduction, outputs and terms are set, from those of in: bit k of reduced says that
// axis k goes; out_stride is looked at for the others. Pointers that are not NULL move with axes that are turned round.
void hw_reduction_set_axes(hw_reduction_form *form, uint32_t rank, const uint64_t *n, const int64_t *in_stride,
                           const int64_t *out_stride, uint32_t reduced);

#endif
