// The checks of hw_reduce's arguments, in the order in which a caller would want to hear of them.
#include <string.h>

#include "op/common/family.h"
#include "op/common/layout.h"
#include "op/reduce/reduction_axes.h"

static bool is_integer(DLDataType type) { return type.code == kDLInt || type.code == kDLUInt; }

static bool is_bool(DLDataType type) { return type.code == HW_BOOL && type.bits == 8; }

static bool is_known_type(DLDataType type) {
    if (type.lanes != 1) return false;
    switch (type.code) {
    case kDLInt:
    case kDLUInt: return type.bits == 8 || type.bits == 16 || type.bits == 32 || type.bits == 64;
    case kDLFloat: return type.bits == 16 || type.bits == 32 || type.bits == 64;
    case kDLBfloat: return type.bits == 16;
    case HW_BOOL: return type.bits == 8;
    default: return false;
    }
}

DLDataType hw_reduce_dtype(hw_reduction reduction, DLDataType elements) {
    const DLDataType i64 = {kDLInt, 64, 1}, f64 = {kDLFloat, 64, 1};
    switch (reduction) {
    case HW_REDUCE_COUNT_NONZERO:
    case HW_REDUCE_ARGMIN:
    case HW_REDUCE_ARGMAX: return i64;
    case HW_REDUCE_ANY:
    case HW_REDUCE_ALL: return (DLDataType){HW_BOOL, 8, 1};
    case HW_REDUCE_SUM:
    case HW_REDUCE_PRODUCT:
        return is_bool(elements) ? i64 : is_integer(elements) ? (DLDataType){elements.code, 64, 1} : elements;
    case HW_REDUCE_MEAN:
    case HW_REDUCE_NORM:
    case HW_REDUCE_VAR:
    case HW_REDUCE_STD: return is_integer(elements) || is_bool(elements) ? f64 : elements;
    default: return elements;
    }
}

static hw_status check_flags(hw_reduction reduction, uint32_t flags, hw_diag *diag) {
    char name[48];
    const uint32_t unknown = flags & 0xff & ~(uint32_t)HW_REDUCE_EXACT;
    if ((unsigned)reduction >= HW_REDUCTIONS)
        return hw_diag_set(diag, HW_USAGE, "there is no reduction of number %d", (int)reduction);
    if (unknown) return hw_diag_set(diag, HW_USAGE, "there are no flags 0x%x of reductions", unknown);
    if (flags >> 8 && !hw_reduction_is_spread(reduction))
        return hw_diag_set(diag, HW_USAGE, "HW_REDUCE_DDOF is for var and std, not for %s",
                           hw_reduction_name(reduction, name, sizeof name));
    return HW_OK;
}

// What is asked for, of which elements.
static hw_status check_kind(hw_reduction reduction, const DLTensor *in, uint32_t flags, hw_diag *diag) {
    char name[48];
    hw_status status = check_flags(reduction, flags, diag);
    if (status != HW_OK) return status;
    if (!in) return hw_diag_set(diag, HW_USAGE, "in is NULL");
    if (in->dtype.lanes != 1)
        return hw_diag_set(diag, HW_UNSUPPORTED, "in has elements of %u lanes; reductions take one", in->dtype.lanes);
    if (!is_known_type(in->dtype))
        return hw_diag_set(diag, HW_UNSUPPORTED,
                           "in has elements of %s; reductions take i8 to i64, u8 to u64, f16, bf16, f32, f64 and bool",
                           hw_dtype_name(in->dtype, name, sizeof name));
    bool has_exact = (reduction == HW_REDUCE_SUM || reduction == HW_REDUCE_MEAN) && in->dtype.code == kDLFloat &&
                     in->dtype.bits >= 32;
    if (flags & HW_REDUCE_EXACT && !has_exact) {
        char type[48];
        return hw_diag_set(diag, HW_UNSUPPORTED, "exact reductions are sums and means of f32 and f64, not a %s of %s",
                           hw_reduction_name(reduction, name, sizeof name),
                           hw_dtype_name(in->dtype, type, sizeof type));
    }
    return HW_OK;
}

// A bit for each reduced axis.
static hw_status read_reduced_axes(const int *axes, int n_axes, uint32_t rank, uint32_t *reduced, hw_diag *diag) {
    if (n_axes < 0) return hw_diag_set(diag, HW_USAGE, "the number of axes is %d", n_axes);
    if (n_axes && !axes) return hw_diag_set(diag, HW_USAGE, "axes are NULL, and the number of axes is %d", n_axes);
    *reduced = n_axes ? 0 : (uint32_t)(((uint64_t)1 << rank) - 1);
    for (int i = 0; i < n_axes; i++) {
        int64_t axis = axes[i] < 0 ? (int64_t)axes[i] + rank : axes[i];
        if (axis < 0 || axis >= (int64_t)rank)
            return hw_diag_set(diag, HW_USAGE, "%d is no axis of an array of rank %u", axes[i], rank);
        if (*reduced >> axis & 1) return hw_diag_set(diag, HW_USAGE, "axis %d comes twice", (int)axis);
        *reduced |= (uint32_t)1 << axis;
    }
    return HW_OK;
}

static hw_status check_out_type(const hw_reduction_form *form, const DLTensor *out, hw_diag *diag) {
    char is[48], wanted[48], name[48];
    const DLDataType *type = &form->out_type;
    const bool is_code = out->dtype.code == type->code || (is_bool(*type) && out->dtype.code == kDLUInt);
    if (is_code && out->dtype.bits == type->bits && out->dtype.lanes == 1) return HW_OK;
    return hw_diag_set(diag, HW_USAGE, "out has elements of %s, and the %s of in is %s",
                       hw_dtype_name(out->dtype, is, sizeof is), hw_reduction_name(form->reduction, name, sizeof name),
                       hw_dtype_name(*type, wanted, sizeof wanted));
}

// Strides of out by in's axes: 0 along the reduced ones.
static hw_status match_out(const hw_layout *in, const hw_layout *out, uint32_t reduced, int64_t stride[HW_MAX_RANK],
                           hw_diag *diag) {
    const uint32_t n_kept = in->rank - (uint32_t)__builtin_popcount(reduced);
    const bool keeps_dims = out->rank == in->rank;   // the same, when nothing is reduced
    if (!keeps_dims && out->rank != n_kept)
        return hw_diag_set(diag, HW_USAGE, "out has rank %u; it is %u, or %u with the reduced axes kept", out->rank,
                           n_kept, in->rank);
    for (uint32_t k = 0, to = 0; k < in->rank; k++) {
        const bool is_reduced = reduced >> k & 1;
        stride[k] = 0;
        if (is_reduced && !keeps_dims) continue;
        const uint64_t expected = is_reduced ? 1 : in->n[k];
        if (out->n[to] != expected)
            return hw_diag_set(diag, HW_USAGE, "axis %u of out has the extent %llu, and axis %u of in makes it %llu",
                               to, (unsigned long long)out->n[to], k, (unsigned long long)expected);
        if (!is_reduced) stride[k] = out->stride[to];
        to++;
    }
    return HW_OK;
}

static void contiguous_out(const hw_layout *in, uint32_t reduced, int64_t stride[HW_MAX_RANK]) {
    int64_t next = 1;
    for (uint32_t k = in->rank; k-- > 0;) {
        stride[k] = reduced >> k & 1 ? 0 : next;
        if (!(reduced >> k & 1) && __builtin_mul_overflow(next, (int64_t)in->n[k], &next)) next = 0;
    }
}

// Counts outputs and terms: the products of the kept and of the reduced extents. HW_USAGE for a reduction that has no
// result without terms.
static hw_status count_terms(const hw_layout *in, uint32_t reduced, hw_reduction_form *form, hw_diag *diag) {
    uint64_t of[2] = {1, 1};
    char name[48];
    for (int kind = 0; kind < 2; kind++) {
        for (uint32_t k = 0; k < in->rank; k++)
            if ((reduced >> k & 1) == (uint32_t)kind && in->n[k] == 0) of[kind] = 0;
        for (uint32_t k = 0; k < in->rank && of[kind]; k++)
            if ((reduced >> k & 1) == (uint32_t)kind &&
                (__builtin_mul_overflow(of[kind], in->n[k], &of[kind]) || of[kind] > HW_MOST_ELEMS))
                return hw_diag_set(diag, HW_UNSUPPORTED, "the axes of in make more than 2^40 elements");
    }
    form->outputs = of[0];
    form->terms = of[1];
    bool needs_one = form->reduction == HW_REDUCE_MIN || form->reduction == HW_REDUCE_MAX ||
                     hw_reduction_is_arg(form->reduction);
    if (needs_one && !form->terms)   // even where there are no outputs, as in NumPy
        return hw_diag_set(diag, HW_USAGE, "there is no %s of no elements",
                           hw_reduction_name(form->reduction, name, sizeof name));
    return HW_OK;
}

static hw_status make_out(const hw_layout *in, const DLTensor *out, uint32_t reduced, bool pointers,
                          hw_reduction_form *form, int64_t stride[HW_MAX_RANK], hw_diag *diag) {
    hw_layout to;
    if (!out) {
        contiguous_out(in, reduced, stride);
        return HW_OK;
    }
    hw_status status = check_out_type(form, out, diag);
    if (status == HW_OK) status = hw_layout_make(out, "out", form->out_bytes, pointers, &to, diag);
    if (status == HW_OK) status = match_out(in, &to, reduced, stride, diag);
    if (status == HW_OK) status = hw_layout_check_written(&to, diag);
    if (status == HW_OK) status = hw_layout_check_apart(in, &to, diag);
    form->out = (void *)to.first;
    return status;
}

hw_status hw_reduction_make(hw_reduction reduction, const DLTensor *in, const int *axes, int n_axes, uint32_t flags,
                            const DLTensor *out, bool pointers, hw_reduction_form *form, hw_diag *diag) {
    hw_layout from;
    uint32_t reduced = 0;
    int64_t out_stride[HW_MAX_RANK];
    // Member by member: the axes' arrays are long, and mostly unused.
    form->reduction = reduction;
    form->flags = flags;
    form->outputs = form->terms = form->n_kept = form->n_reduced = 0;
    form->in = form->out = NULL;
    hw_status status = check_kind(reduction, in, flags, diag);
    if (status != HW_OK) return status;
    if (pointers && !out) return hw_diag_set(diag, HW_USAGE, "out is NULL");
    form->in_type = in->dtype;
    form->out_type = hw_reduce_dtype(reduction, in->dtype);
    form->in_bytes = in->dtype.bits / 8;
    form->out_bytes = form->out_type.bits / 8;
    status = hw_layout_make(in, "in", form->in_bytes, pointers, &from, diag);
    if (status == HW_OK) status = read_reduced_axes(axes, n_axes, from.rank, &reduced, diag);
    if (status == HW_OK) status = make_out(&from, out, reduced, pointers, form, out_stride, diag);
    if (status == HW_OK) status = count_terms(&from, reduced, form, diag);
    if (status != HW_OK) return status;
    if (is_bool(form->in_type)) form->in_type.code = kDLUInt;
    if (is_bool(form->out_type)) form->out_type.code = kDLUInt;
    form->in = (const void *)from.first;
    hw_reduction_set_axes(form, from.rank, from.n, from.stride, out_stride, reduced);
    return HW_OK;
}
