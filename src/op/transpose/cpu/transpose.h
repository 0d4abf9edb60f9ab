// The permutation on this machine's processors.
#ifndef HW_OP_CPU_TRANSPOSE_H
#define HW_OP_CPU_TRANSPOSE_H

#include "base/pool.h"
#include "op/transpose/permutation.h"

// p is merged, not in place. pool of n_threads workers. HW_NO_MEMORY. Deterministic.
hw_status hw_cpu_transpose(const hw_permutation *p, hw_pool *pool, uint32_t n_threads, hw_diag *diag);

// p is merged and in place (in and out fill the same memory). Square and batched square matrices need no scratch
// memory; other permutations at most the array's size, less where they can.
hw_status hw_cpu_transpose_in_place(const hw_permutation *p, hw_pool *pool, uint32_t n_threads, hw_diag *diag);

// What either would do, in words.
const char *hw_cpu_transpose_explain(const hw_permutation *p, char *text, size_t text_bytes);

#endif
