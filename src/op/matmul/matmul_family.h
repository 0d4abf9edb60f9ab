// What the files of the family of matrix products share: the problem, what ladder.def says of a rung, and who makes,
// checks and plans it. Nobody else includes it.
#ifndef HW_OP_MATMUL_FAMILY_H
#define HW_OP_MATMUL_FAMILY_H

#include "op/common/family.h"
#include "op/matmul/product.h"

// The sizes, and the arrays in the order of plans.
enum { M, N, K };
enum { A = HW_PRODUCT_A, B = HW_PRODUCT_B, C = HW_PRODUCT_C, SCRATCH = HW_PRODUCT_SCRATCH };

// ---- The problem (matmul_family.c) ----------------------------------------------------------------------------------

static inline bool hw_matmul_is_integer(DLDataType type) { return type.code == kDLInt || type.code == kDLUInt; }

// The type of C, which has room for sums of small integers.
static inline DLDataType hw_matmul_out_type(const hw_problem *problem) {
    const DLDataType type = problem->dtype;
    return hw_matmul_is_integer(type) && type.bits < 32 ? (DLDataType){type.code, 32, 1} : type;
}

// Of an element of A and B, and of one of C.
static inline uint32_t hw_matmul_elem_bytes(const hw_problem *problem) { return problem->dtype.bits / 8; }
static inline uint32_t hw_matmul_out_bytes(const hw_problem *problem) { return hw_matmul_out_type(problem).bits / 8; }

// Room for the parts of sums where k is cut: a copy of C's tiles for every so many steps.
uint64_t hw_matmul_scratch_bytes(const hw_problem *problem);

// The problem as hw_matmul would see it, its arrays aligned as devices allocate memory.
hw_product hw_matmul_product_of(const hw_problem *problem);

// ---- The rungs of GPUs (matmul_rungs.c) -----------------------------------------------------------------------------

// What ladder.def says of a rung beside what all families have.
typedef enum hw_matmul_sums { PLAIN, COMPENSATED, TENSOR } hw_matmul_sums;
typedef struct hw_matmul_shape {
    uint32_t depth, shared_elems;
    bool words;
    hw_matmul_sums sums;
} hw_matmul_shape;

// Of a rung that is not in ladder.def all 0.
const hw_matmul_shape *hw_matmul_rung_shape(const hw_rung *rung);

enum { HW_MATMUL_RUNGS = 0
#define HW_RUNG(...) + 1
#include "kernels/matmul/ladder.def"
#undef HW_RUNG
};
extern const hw_rung hw_matmul_rungs[HW_MATMUL_RUNGS];

// ---- What is right (matmul_reference.c) -----------------------------------------------------------------------------

// hw_family.reference and hw_family.compare. The first makes of a large C samples alone.
void hw_matmul_reference(const hw_problem *problem, void *const *arrays);
void hw_matmul_compare(const hw_problem *problem, const hw_rung *rung, void *const *arrays, uint32_t array,
                       const void *got, hw_verdict *verdict);
// Row i of C, whole, its sums in double.
void hw_matmul_reference_row(const hw_problem *problem, void *const *arrays, uint64_t i);

#endif
