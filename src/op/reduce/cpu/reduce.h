// The reduction on this machine's processors.
#ifndef HW_OP_CPU_REDUCE_H
#define HW_OP_CPU_REDUCE_H

#include "base/pool.h"
#include "op/reduce/reduction.h"

// Every reduction, type and layout of the form, exact sums and means included, and forms without outputs or terms. pool
// of n_threads workers. HW_NO_MEMORY: out is as it was, or holds some of the results. Deterministic: how the work is
// cut depends on the form alone, so that the bits of the results depend neither on the number of threads nor on the
// processor's vectors. Cost: reads each element once; arrays without a contiguous axis are gathered in blocks.
hw_status hw_cpu_reduce(const hw_reduction_form *form, hw_pool *pool, uint32_t n_threads, hw_diag *diag);

// What it would do, a line per step.
const char *hw_cpu_reduce_explain(const hw_reduction_form *form, char *text, size_t text_bytes);

#endif
