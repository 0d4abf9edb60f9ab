// A permutation of axes as the kernels see it: checked, its axes merged, elements as wide as can be.
#ifndef HW_OP_PERMUTATION_H
#define HW_OP_PERMUTATION_H

#include "base/status.h"
#include "halfwarp.h"
#include "op/common/layout.h"

// out[i0, i1, ...] = in[i0, i1, ...] with strides of their own. Axis 0 is the slowest of out: out strides descend
// (by magnitude). Strides in elements of elem_bytes; the pointers are those of element (0, 0, ...).
typedef struct hw_permutation {
    uint32_t rank;                   // 0: one element, or none
    uint32_t elem_bytes;             // 1, 2, 4, 8 or 16
    uint64_t elems;                  // product of n; 0: nothing to do
    uint64_t n[HW_MAX_RANK];
    int64_t in_stride[HW_MAX_RANK], out_stride[HW_MAX_RANK];
    const void *in;                  // byte_offset is added
    void *out;
    bool in_place;                   // both fill the same memory
} hw_permutation;

// Checks the arguments of hw_transpose, all but the devices, and fills p with the axes as they are, in out's order.
// HW_USAGE, HW_UNSUPPORTED as halfwarp.h says. data may be NULL when there are no elements, or with pointers false.
hw_status hw_permutation_make(const DLTensor *in, const int *axes, const DLTensor *out, bool pointers,
                              hw_permutation *p, hw_diag *diag);

// Keeps the mapping of addresses and gives it the least rank: unit axes are dropped, axes sorted by out stride, axes
// that go on where their neighbour ends in both arrays merged, and axes that run backwards in both turned round.
void hw_permutation_merge(hw_permutation *p);

// For a merged permutation of an array that begins at no multiple of an element, which a GPU cannot load: divides
// elements into pieces such that the array begins at a multiple of a piece, along a further axis. False: there is no
// room for a further axis.
bool hw_permutation_narrow(hw_permutation *p);

// Afterwards, where both arrays' fastest axis is the same and has stride 1: widens the elements to up to max_bytes, as
// far as extents, strides and the pointers' alignment (of at least max_bytes when they are NULL) allow.
void hw_permutation_widen(hw_permutation *p, uint32_t max_bytes);

// Do exactly two axes have each other's strides and the same extent, and all others their own? axes: the two, the one
// that is slower in out first.
bool hw_permutation_swaps(const hw_permutation *p, uint32_t axes[2]);

// "(8, 24, 16) strides (384, 1, 24)": the merged shape for explanations. Returns text.
const char *hw_permutation_format(const hw_permutation *p, char *text, size_t text_bytes);

#endif
