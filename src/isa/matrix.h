// Matrices spread over a warp's registers: the operands of mma, wmma, and what their shapes mean.
#ifndef HW_ISA_MATRIX_H
#define HW_ISA_MATRIX_H

#include "isa/isa.h"

// d (m x n) = a (m x k) * b (k x n) + c (m x n).
typedef struct hw_matrix_shape {
    uint8_t m, n, k;
} hw_matrix_shape;

// The shape that one of the modifiers says; false when none does.
bool hw_matrix_shape_of(const hw_mods *mods, hw_matrix_shape *out);

enum { HW_FRAGMENT_MOST = 16 };

// Which element of a matrix each lane's elements are. Both coordinates are sums: of what each set bit of the lane's
// number adds, and of what each set bit of the element's number within the lane adds. Elements lie in registers lowest
// first. An element bit that adds nothing is a copy (wmma's f16).
typedef struct hw_fragment {
    uint8_t elements;            // per lane, at most HW_FRAGMENT_MOST
    uint8_t bits;                // of one element in its register: 8, 16, 32 or 64
    uint8_t lane_row[5], lane_col[5], element_row[4], element_col[4];
} hw_fragment;

// role: 'a', 'b', 'c' or 'd'; type: of its elements. Layouts of mma: PTX ISA 9.7.14.5. Those of wmma are not
// documented; these are an H200's, whatever the layout in memory (tests/data/h200_wmma_layouts.txt).
hw_fragment hw_matrix_fragment(char role, hw_type type, const hw_matrix_shape *shape, bool is_wmma);

// Which part of the product an operand of wmma or mma is, and the type of its elements. operand counts from 0.
char hw_matrix_operand(hw_op op, const hw_mods *mods, const hw_type *types, uint32_t n_types, uint32_t operand,
                       hw_type *type);

// Registers that the fragment takes, of 32 bits, or 64 for f64.
static inline uint32_t hw_fragment_registers(const hw_fragment *f) {
    return f->bits >= 32 ? f->elements : (uint32_t)f->elements * f->bits / 32;
}

#endif
