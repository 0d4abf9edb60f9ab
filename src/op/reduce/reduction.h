// A reduction in its plainest form, as kernels and the processor's version see it: checked, with as few axes as can be.
#ifndef HW_OP_REDUCTION_H
#define HW_OP_REDUCTION_H

#include "base/status.h"
#include "halfwarp.h"
#include "op/common/layout.h"

// out[k...] = combination over r... of in[k..., r...]. Axis 0 of each list is the slowest. Strides in elements of their
// array; the pointers are those of element (0, 0, ...). No extent is 1, and none 0 unless outputs or terms is.
//
// Kept axes     in_stride >= 0, descending; out_stride any. Neighbours that go on in both arrays are one axis.
// Reduced axes  argmin, argmax: in C order, stride any, so that the index is that of walking them, the last the
//               fastest. The others: stride >= 0, descending, so that the last one is the densest. Neighbours that go
//               on are one.
typedef struct hw_reduction_form {
    hw_reduction reduction;
    uint32_t flags;                        // of hw_reduce_flags
    DLDataType in_type, out_type;          // as they are computed with: u8 for bool
    uint32_t in_bytes, out_bytes;          // of an element
    uint64_t outputs;                      // product of kept; 0: nothing to do
    uint64_t terms;                        // product of reduced: elements for each output; 0: the value for nothing
    uint32_t n_kept, n_reduced;            // 0 kept: one output; 0 reduced: one term each
    uint64_t kept[HW_MAX_RANK], reduced[HW_MAX_RANK];
    int64_t kept_in_stride[HW_MAX_RANK], kept_out_stride[HW_MAX_RANK], reduced_stride[HW_MAX_RANK];
    const void *in;                        // byte_offset is added; NULL without pointers, or without elements
    void *out;
} hw_reduction_form;

// Checks the arguments of hw_reduce, all but the devices, and fills the form. pointers false: data are not looked at.
// out NULL: contiguous, of the type of hw_reduce_dtype. HW_USAGE, HW_UNSUPPORTED as halfwarp.h says.
hw_status hw_reduction_make(hw_reduction reduction, const DLTensor *in, const int *axes, int n_axes, uint32_t flags,
                            const DLTensor *out, bool pointers, hw_reduction_form *form, hw_diag *diag);

// What the plans of a form depend on, for hw_device_recall: all of it but the pointers, of which only the place of `in`
// between multiples of 16 bytes matters.
typedef struct hw_reduction_key {
    uint64_t words[6 + 5 * HW_MAX_RANK];
    size_t bytes;
} hw_reduction_key;
void hw_reduction_make_key(const hw_reduction_form *form, hw_reduction_key *key);

// Is the result an index?
static inline bool hw_reduction_is_arg(hw_reduction reduction) {
    return reduction == HW_REDUCE_ARGMIN || reduction == HW_REDUCE_ARGMAX;
}

// Is the reduction a variance, or the root of one? ddof: what is subtracted from the number of elements then.
static inline bool hw_reduction_is_spread(hw_reduction reduction) {
    return reduction == HW_REDUCE_VAR || reduction == HW_REDUCE_STD;
}
static inline uint32_t hw_reduction_ddof(const hw_reduction_form *form) { return form->flags >> 8; }

// Are elements that are not 0 counted?
static inline bool hw_reduction_is_count(hw_reduction reduction) {
    return reduction == HW_REDUCE_ANY || reduction == HW_REDUCE_ALL || reduction == HW_REDUCE_COUNT_NONZERO;
}

// "sum" and the others, by their numbers.
enum { HW_REDUCTIONS = HW_REDUCE_COUNT_NONZERO + 1 };
extern const char *const hw_reduction_names[HW_REDUCTIONS];

// "sum"; "reduction 9" for a number that is none. By name; false for a name that is none.
const char *hw_reduction_name(hw_reduction reduction, char *text, size_t text_bytes);
bool hw_reduction_find(const char *name, hw_reduction *reduction);

// "(8, 24) strides (384, 1), over (16) strides (24)": for explanations. Returns text.
const char *hw_reduction_format(const hw_reduction_form *form, char *text, size_t text_bytes);

#endif
