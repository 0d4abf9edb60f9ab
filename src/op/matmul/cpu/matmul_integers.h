// The matrix product of integers on this machine's processors.
#ifndef HW_OP_CPU_MATMUL_INTEGERS_H
#define HW_OP_CPU_MATMUL_INTEGERS_H

#include "base/pool.h"
#include "base/status.h"
#include "op/matmul/product.h"

// Multiplies all batches, done on return; alpha and beta are whole numbers, the product's alignment is ignored. Exact
// modulo 2^n of C's n bits, so the same on any number of threads and at any level of instructions. HW_NO_MEMORY.
hw_status hw_cpu_matmul_integers(const hw_product *p, const void *a, const void *b, void *c, hw_pool *pool,
                                 uint32_t n_threads, hw_diag *diag);

// What it would do, a line per step. Returns text.
char *hw_cpu_matmul_integers_explain(const hw_product *p, char *text, size_t text_bytes);

#endif
