// A matrix product in its plainest form, as kernels and the processor's version see it: C is row-major, and the batch
// axes of the three arrays are merged. Names in this folder: hw_matmul_* is the operation on DLTensors, from the checks
// to the choice of a kernel; hw_product_* is the plainest form and, in product_plan.h, its kernels for CUDA cores;
// hw_tensor_core_* is its kernel for tensor cores.
#ifndef HW_OP_PRODUCT_H
#define HW_OP_PRODUCT_H

#include <stdbool.h>

#include "halfwarp.h"

enum { HW_PRODUCT_BATCH_AXES = 4 };

// One operand: element (i, j) lies at i * ld + j, or at i + j * ld when it is transposed.
typedef struct hw_matrix {
    bool transposed;
    int64_t ld;                                     // elements
    uint32_t align_bytes;                           // 1 to 16: every row (column, when transposed) of every batch
                                                    // begins at a multiple of it
    int64_t batch_stride[HW_PRODUCT_BATCH_AXES];    // elements; 0: one matrix serves all
} hw_matrix;

// C (m, n) = alpha A (m, k) B (k, n) + beta C, for each of the batches.
typedef struct hw_product {
    uint64_t m, n, k;
    uint32_t n_batch_axes;
    uint64_t batch[HW_PRODUCT_BATCH_AXES];          // the last varies fastest
    hw_matrix a, b, c;                              // c is never transposed: (A B)^T = B^T A^T takes care of that
    DLDataType input, output;
    hw_precision precision;                         // never HW_PRECISION_OF_TYPE for f32 and f64
    double alpha, beta;                             // of integers whole
} hw_product;

static inline bool hw_product_is_integer(const hw_product *p) {
    return p->input.code == kDLInt || p->input.code == kDLUInt;
}

// The order of a product's arrays in plans.
enum { HW_PRODUCT_A, HW_PRODUCT_B, HW_PRODUCT_C, HW_PRODUCT_SCRATCH, HW_PRODUCT_ARRAYS };

#endif
