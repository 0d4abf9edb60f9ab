// Exact sums on a device that runs kernels: kernels/reduce/95_exact.cu and how it is launched. A pure function of the
// form and the device.
#ifndef HW_OP_EXACT_PLAN_H
#define HW_OP_EXACT_PLAN_H

#include "op/common/plan.h"
#include "op/reduce/reduction.h"

// Who sums an output.
typedef enum hw_exact_way {
    HW_EXACT_BLOCKS,     // several blocks, each a part of the terms; the last to finish adds up the parts
    HW_EXACT_BLOCK,      // one block
    HW_EXACT_THREADS,    // a thread each: neighbouring threads have neighbouring outputs
} hw_exact_way;

typedef struct hw_exact_plan {
    hw_exact_way way;
    uint32_t threads;              // per block
    uint32_t words;                // of 16 bytes, that a thread has under way
    uint32_t blocks_per_output;    // BLOCKS
    uint64_t terms_per_block;      // BLOCKS: the last block has fewer
    uint64_t blocks;               // of the launch
    bool contiguous;               // the terms of an output lie side by side
    size_t scratch_bytes;          // of records; 0: none, and no counters
} hw_exact_plan;

// form->flags has HW_REDUCE_EXACT; outputs and terms are not 0.
void hw_exact_plan_make(const hw_reduction_form *form, const hw_device_properties *device, hw_exact_plan *plan);

// The arrays of the launch: counters are zeros, one of 32 bits for each output, and are left so; records are anything.
enum { HW_EXACT_IN, HW_EXACT_OUT, HW_EXACT_COUNTERS, HW_EXACT_RECORDS, HW_EXACT_ARRAYS };
void hw_exact_plan_launch(const hw_reduction_form *form, const hw_exact_plan *exact, hw_plan *plan);

// Queues the whole sum on the stream; form->in and form->out are the device's. HW_NO_MEMORY, HW_COMPILE, HW_NOT_FOUND.
hw_status hw_gpu_reduce_exact(hw_stream *stream, const hw_reduction_form *form, hw_diag *diag);

// What it would do, a line per step.
const char *hw_gpu_reduce_exact_explain(hw_device *device, const hw_reduction_form *form, char *text,
                                        size_t text_bytes);

#endif
