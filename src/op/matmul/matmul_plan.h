// Which kernels a matrix product takes on a GPU: those for CUDA cores (op/matmul/product_plan.h), for tensor cores,
// for bytes, or the plain one for integers and for 16-bit elements without tensor cores. Pure functions of the product
// and the device.
#ifndef HW_OP_MATMUL_PLAN_H
#define HW_OP_MATMUL_PLAN_H

#include "op/common/family.h"
#include "op/matmul/product_plan.h"

typedef struct hw_matmul_plan {
    hw_plan plan;                // with arrays HW_PRODUCT_A to HW_PRODUCT_SCRATCH
    uint64_t scratch_bytes;      // not initialised; 0: none
} hw_matmul_plan;

// HW_UNSUPPORTED: a precision that takes tensor cores, and a device without.
hw_status hw_matmul_plan_make(const hw_product *p, const hw_device_properties *device, hw_matmul_plan *out,
                              hw_diag *diag);

// Explains the plan in words, a line per step.
hw_status hw_matmul_plan_explain(const hw_product *p, const hw_device_properties *device, char *text, size_t text_bytes,
                                 hw_diag *diag);

// The one launch of 96_plain.cu, which takes every product; and of 98_dp4a.cu, for 8-bit integers from compute
// capability 6.1.
void hw_product_plan_plain(const hw_product *p, hw_plan *plan);
bool hw_product_dp4a_takes(const hw_product *p, const hw_device_properties *device);
void hw_product_plan_dp4a(const hw_product *p, hw_plan *plan);

// ---- For kernels that take any layout (kernels/matmul/types.cuh) ----

uint64_t hw_product_batches(const hw_product *p);
// Puts product_arguments into the plan; returns their offset.
uint32_t hw_product_arguments(const hw_product *p, hw_plan *plan);
// A plan of one launch with arrays and arguments, INPUT, OUTPUT, A_TURNED and B_TURNED; no grid yet.
hw_plan_launch *hw_product_begin(const hw_product *p, const char *file, const char *function, hw_plan *plan);

#endif
