// The terms of an output, block by block, side by side and in a type that is computed with; and outputs' places.
#ifndef HW_OP_CPU_REDUCE_TERMS_H
#define HW_OP_CPU_REDUCE_TERMS_H

#include "op/reduce/cpu/reduce_plan.h"

// Bytes from form->in to an output's first term, and from form->out to the output.
int64_t hw_cpu_output_in(const hw_reduction_form *form, uint64_t output);
int64_t hw_cpu_output_out(const hw_reduction_form *form, uint64_t output);

// How many outputs from this one on, at most `most`, lie evenly spaced along the last kept axis.
uint32_t hw_cpu_outputs_in_row(const hw_reduction_form *form, uint64_t output, uint32_t most);
// offsets[i] = bytes from the first term of output `first` to that of output first + i.
void hw_cpu_output_offsets(const hw_reduction_form *form, uint64_t first, uint32_t n, int64_t *offsets);

// A place among the terms.
typedef struct hw_cpu_terms {
    const hw_cpu_reduce_plan *plan;
    const hw_fold_level *level;
    const char *at;               // of the term that comes next
    uint64_t left;                // terms to come
    uint64_t index[HW_MAX_RANK];  // of the term that comes next, along the reduced axes
} hw_cpu_terms;

// Begins a walk over n terms, from term `first` on, of the output whose first term lies at `in`.
void hw_cpu_terms_begin(hw_cpu_terms *terms, const hw_cpu_reduce_plan *plan, const hw_fold_level *level, const char *in,
                        uint64_t first, uint64_t n);

enum { HW_CPU_ROOM_BYTES = HW_FOLD_BLOCK * 8 + HW_FOLD_BLOCK * 2 };

// The next block, at most HW_FOLD_BLOCK terms; 0: there are no more. room: HW_CPU_ROOM_BYTES, where terms are put that
// do not lie side by side. Where blocks end depends on the form, the first term and n alone.
size_t hw_cpu_terms_next(hw_cpu_terms *terms, void *room, const void **block);

// Goes on by n terms, all within the last axis: n <= hw_cpu_terms_run.
uint64_t hw_cpu_terms_run(const hw_cpu_terms *terms);
void hw_cpu_terms_skip(hw_cpu_terms *terms, uint64_t n);

// to[i] = from[i * stride] (bytes) for elements of 1, 2, 4 or 8 bytes.
void hw_cpu_gather(void *to, const char *from, int64_t stride, size_t n, uint32_t elem_bytes);
// to[i] = the element at from + offsets[i].
void hw_cpu_gather_at(void *to, const char *from, const int64_t *offsets, size_t n, uint32_t elem_bytes);

// What is computed with: elements as they are, or widened into room.
const void *hw_cpu_widened(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, const void *from, float *room,
                           size_t n);

#endif
