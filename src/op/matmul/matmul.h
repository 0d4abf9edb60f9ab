// The arguments of hw_matmul, checked and brought into the form of op/matmul/product.h.
#ifndef HW_OP_MATMUL_H
#define HW_OP_MATMUL_H

#include "op/common/layout.h"
#include "op/matmul/product.h"

typedef struct hw_matmul_job {
    hw_product product;
    const void *a, *b;               // byte_offset is added; of C's transpose where that is the row-major one
    void *c;
    // Batch axes that neither merge nor find room in the product: one product for each of their elements.
    uint32_t n_outer;
    uint64_t outer[HW_MAX_RANK];
    int64_t outer_stride[3][HW_MAX_RANK];   // of a, b, c; elements
    bool is_turned;                  // C is column-major: the product is that of the transposes
} hw_matmul_job;

// Makes all checks except those of the devices. Errors as halfwarp.h says. C without elements: m or n is 0. alpha 0: k
// is 0, and A and B are not read. data may be NULL where no element is used, or with pointers false.
hw_status hw_matmul_make(double alpha, const DLTensor *a, const DLTensor *b, double beta, const DLTensor *c,
                         hw_precision precision, bool pointers, hw_matmul_job *job, hw_diag *diag);

// C has no elements.
bool hw_matmul_is_empty(const hw_matmul_job *job);

#endif
