// The matrix product on this machine's processors, by OpenBLAS.
#ifndef HW_OP_CPU_MATMUL_BLAS_H
#define HW_OP_CPU_MATMUL_BLAS_H

#include "base/status.h"
#include "op/matmul/product.h"

// Multiplies all batches, done on return; ignores the product's alignment. What OpenBLAS does not take as it lies (f16,
// bf16, inputs to be rounded to tf32 or bf16, odd leading dimensions) is converted in pieces. HW_NOT_FOUND without
// OpenBLAS; HW_NO_MEMORY. Deterministic for a number of threads.
hw_status hw_cpu_matmul(const hw_product *p, const void *a, const void *b, void *c, uint32_t n_threads, hw_diag *diag);

// What it would do, a line per step. Returns text.
char *hw_cpu_matmul_explain(const hw_product *p, char *text, size_t text_bytes);

#endif
