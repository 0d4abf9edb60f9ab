// The state of an output after some of its terms, how two states are joined, and how the last one becomes the result.
#ifndef HW_OP_CPU_REDUCE_PART_H
#define HW_OP_CPU_REDUCE_PART_H

#include "op/reduce/cpu/reduce_plan.h"

typedef struct hw_cpu_part {
    hw_fold_number number;
    uint64_t index;   // argmin, argmax: of the term
    uint64_t terms;   // variances: how many it is of, 1 or more
} hw_cpu_part;

// Is `later` to be taken instead of `part`? LEAST and MOST: no where they are equal; a NaN is better than a number, and
// -0.0 lies below 0.0 unless places are asked for.
bool hw_cpu_part_is_better(const hw_cpu_reduce_plan *plan, const hw_fold_number *later, const hw_fold_number *part);

// part = part and later together.
void hw_cpu_part_join(const hw_cpu_reduce_plan *plan, hw_cpu_part *part, const hw_cpu_part *later);

// Writes the result of all terms to an element of the form's out_type.
void hw_cpu_part_finish(const hw_cpu_reduce_plan *plan, const hw_cpu_part *part, void *out);

// Sums of f32 or f64 side by side become means or norms where these are asked for.
void hw_cpu_part_finish_row(const hw_cpu_reduce_plan *plan, void *sums, uint32_t n);

// The result of no terms at all.
void hw_cpu_reduce_nothing(const hw_reduction_form *form, void *out);

// Parts that come one after the other, joined in pairs where the order matters: parts 0 and 1, 2 and 3, these two, ...
typedef struct hw_cpu_pairs {
    uint64_t n;
    hw_cpu_part of[64];   // one for each bit of n
} hw_cpu_pairs;

void hw_cpu_pairs_add(const hw_cpu_reduce_plan *plan, hw_cpu_pairs *pairs, const hw_cpu_part *part);
// pairs->n is not 0.
hw_cpu_part hw_cpu_pairs_end(const hw_cpu_reduce_plan *plan, hw_cpu_pairs *pairs);

#endif
