// The checks of hw_transpose's arguments, in the order in which a caller would want to hear of them.
#include <string.h>

#include "op/common/overlap.h"
#include "op/transpose/permutation.h"

static const uint64_t MOST_ELEMS = (uint64_t)1 << 40;
// What an array may span, so that no sum of offsets overflows; far beyond any address space.
static const int64_t MOST_SPAN_BYTES = (int64_t)1 << 60;

// One array, its axes in out's order.
typedef struct layout {
    const char *name;
    uintptr_t first, lowest, end;   // addresses of element (0, 0, ...), of the first byte and past the last
    int64_t stride[HW_MAX_RANK];
} layout;

static hw_status check_tensor(const DLTensor *t, const char *name, hw_diag *diag) {
    if (!t) return hw_diag_set(diag, HW_USAGE, "%s is NULL", name);
    if (t->ndim < 0 || t->ndim > HW_MAX_RANK)
        return hw_diag_set(diag, HW_USAGE, "%s has rank %d; the most is %d", name, (int)t->ndim, HW_MAX_RANK);
    if (t->ndim && !t->shape) return hw_diag_set(diag, HW_USAGE, "%s has rank %d and no shape", name, (int)t->ndim);
    for (int k = 0; k < t->ndim; k++)
        if (t->shape[k] < 0)
            return hw_diag_set(diag, HW_USAGE, "%s has the extent %lld in axis %d", name, (long long)t->shape[k], k);
    return HW_OK;
}

static hw_status check_elem_type(const DLTensor *t, const char *name, uint32_t *elem_bytes, hw_diag *diag) {
    uint32_t bits = (uint32_t)t->dtype.bits * t->dtype.lanes;
    switch (bits) {
        case 8: case 16: case 32: case 64: case 128: *elem_bytes = bits / 8; return HW_OK;
        default: break;
    }
    return hw_diag_set(diag, HW_UNSUPPORTED, "%s has elements of %u bits (%u in %u lanes); 1, 2, 4, 8 and 16 bytes can "
                       "be transposed", name, bits, t->dtype.bits, t->dtype.lanes);
}

static hw_status check_axes(const int *axes, uint32_t rank, uint32_t *out, hw_diag *diag) {
    uint32_t seen = 0;
    for (uint32_t k = 0; k < rank; k++) {
        int64_t axis = axes ? axes[k] : (int64_t)(rank - 1 - k);
        if (axis < 0) axis += rank;
        if (axis < 0 || axis >= (int64_t)rank)
            return hw_diag_set(diag, HW_USAGE, "axes are no permutation: %d is no axis of an array of rank %u", axes[k],
                               rank);
        if (seen >> axis & 1)
            return hw_diag_set(diag, HW_USAGE, "axes are no permutation: axis %d comes twice", (int)axis);
        seen |= (uint32_t)1 << axis;
        out[k] = (uint32_t)axis;
    }
    return HW_OK;
}

static hw_status check_extents(const DLTensor *in, const DLTensor *out, const uint32_t *axes, hw_permutation *p,
                               hw_diag *diag) {
    p->elems = 1;
    for (uint32_t k = 0; k < p->rank; k++) {
        p->n[k] = (uint64_t)out->shape[k];
        if (out->shape[k] != in->shape[axes[k]])
            return hw_diag_set(diag, HW_USAGE, "axis %u of out has the extent %lld, and axis %u of in, which it is to "
                               "be, %lld", k, (long long)out->shape[k], axes[k], (long long)in->shape[axes[k]]);
        if (!p->n[k]) p->elems = 0;
    }
    for (uint32_t k = 0; k < p->rank && p->elems; k++)
        if (__builtin_mul_overflow(p->elems, p->n[k], &p->elems) || p->elems > MOST_ELEMS)
            return hw_diag_set(diag, HW_UNSUPPORTED, "the arrays have more than 2^40 elements");
    return HW_OK;
}

// The strides of a tensor's axes, in its own order; those of a contiguous array where the tensor's are NULL.
static void own_strides(const DLTensor *t, int64_t *stride) {
    int64_t contiguous = 1;
    for (int k = t->ndim; k-- > 0;) {
        stride[k] = t->strides ? t->strides[k] : contiguous;
        contiguous *= t->shape[k];
    }
}

static hw_status place_tensor(const hw_permutation *p, const DLTensor *t, layout *l, hw_diag *diag) {
    int64_t below = 0, above = p->elem_bytes;
    for (uint32_t k = 0; k < p->rank; k++) {
        int64_t reach;
        if (p->n[k] == 1) l->stride[k] = 0;   // never used; NumPy leaves any number there
        bool fits = !__builtin_mul_overflow((int64_t)(p->n[k] - 1), l->stride[k], &reach) &&
                    !__builtin_mul_overflow(reach, (int64_t)p->elem_bytes, &reach) &&
                    !__builtin_add_overflow(*(reach < 0 ? &below : &above), reach, reach < 0 ? &below : &above);
        if (!fits || above > MOST_SPAN_BYTES || below < -MOST_SPAN_BYTES)
            return hw_diag_set(diag, HW_USAGE, "the strides of %s span more than the address space", l->name);
    }
    if (!t->data) return HW_OK;
    bool fits = !__builtin_add_overflow((uintptr_t)t->data, t->byte_offset, &l->first) &&
                !__builtin_sub_overflow(l->first, (uintptr_t)-below, &l->lowest) &&
                !__builtin_add_overflow(l->first, (uintptr_t)above, &l->end);
    if (fits) return HW_OK;
    return hw_diag_set(diag, HW_USAGE, "%s does not fit into the address space from where it begins", l->name);
}

static bool fills_without_gaps(const hw_permutation *p, const layout *l) {
    return l->end - l->lowest == p->elems * p->elem_bytes && hw_overlap_self(p->rank, p->n, l->stride) == HW_OVERLAP_NO;
}

// The terms of in count up from in's lowest address, the terms of out count down from out's last element.
static hw_overlap shared_memory(const hw_permutation *p, const layout *in, const layout *out) {
    if (in->end <= out->lowest || out->end <= in->lowest) return HW_OVERLAP_NO;
    hw_overlap_term terms[HW_OVERLAP_TERMS];
    uint32_t n_terms = 0;
    const layout *both[2] = {in, out};
    for (int side = 0; side < 2; side++) {
        for (uint32_t k = 0; k < p->rank; k++) {
            int64_t stride = both[side]->stride[k] < 0 ? -both[side]->stride[k] : both[side]->stride[k];
            if (stride) terms[n_terms++] = (hw_overlap_term){stride * p->elem_bytes, (int64_t)p->n[k] - 1};
        }
    }
    terms[n_terms++] = (hw_overlap_term){1, 2 * ((int64_t)p->elem_bytes - 1)};
    // in.lowest + a + x = out.lowest + span - b + y with x, y bytes of an element: x turned round joins y's range.
    int64_t target = (int64_t)(out->end - p->elem_bytes - in->lowest) + (int64_t)p->elem_bytes - 1;
    return hw_overlap_solve(terms, n_terms, target);
}

static hw_status check_transpose_memory(hw_permutation *p, const layout *in, const layout *out, hw_diag *diag) {
    hw_overlap self = hw_overlap_self(p->rank, p->n, out->stride);
    if (self == HW_OVERLAP_YES)
        return hw_diag_set(diag, HW_USAGE, "the strides of out make two of its elements share memory");
    if (self == HW_OVERLAP_UNKNOWN)
        return hw_diag_set(diag, HW_USAGE, "the strides of out are too tangled to tell whether elements share memory");
    if (!in->first || !out->first) return HW_OK;
    p->in_place =
        in->lowest == out->lowest && in->end == out->end && fills_without_gaps(p, in) && fills_without_gaps(p, out);
    if (p->in_place) return HW_OK;
    hw_overlap shared = shared_memory(p, in, out);
    if (shared == HW_OVERLAP_NO) return HW_OK;
    if (shared == HW_OVERLAP_UNKNOWN)
        return hw_diag_set(diag, HW_USAGE, "the strides are too tangled to tell whether in and out share memory");
    return hw_diag_set(diag, HW_USAGE, "in and out share memory, and do not fill the same memory without gaps");
}

// What concerns the elements, when there are some.
static hw_status check_elements(const DLTensor *in, const DLTensor *out, const uint32_t *axes, bool pointers,
                                hw_permutation *p, hw_diag *diag) {
    int64_t own[HW_MAX_RANK];
    layout from = {.name = "in"}, to = {.name = "out"};
    if (pointers && (!in->data || !out->data))
        return hw_diag_set(diag, HW_USAGE, "the data of %s are NULL", in->data ? "out" : "in");
    own_strides(in, own);
    for (uint32_t k = 0; k < p->rank; k++) from.stride[k] = own[axes[k]];
    own_strides(out, to.stride);
    hw_status status = place_tensor(p, in, &from, diag);
    if (!status) status = place_tensor(p, out, &to, diag);
    if (!status) status = check_transpose_memory(p, &from, &to, diag);
    memcpy(p->in_stride, from.stride, sizeof from.stride);
    memcpy(p->out_stride, to.stride, sizeof to.stride);
    p->in = (const void *)from.first;
    p->out = (void *)to.first;
    return status;
}

hw_status hw_permutation_make(const DLTensor *in, const int *axes, const DLTensor *out, bool pointers,
                              hw_permutation *p, hw_diag *diag) {
    uint32_t order[HW_MAX_RANK], out_elem_bytes;
    *p = (hw_permutation){0};
    hw_status status = check_tensor(in, "in", diag);
    if (!status) status = check_tensor(out, "out", diag);
    if (status) return status;
    if (in->ndim != out->ndim)
        return hw_diag_set(diag, HW_USAGE, "in has rank %d and out rank %d", (int)in->ndim, (int)out->ndim);
    p->rank = (uint32_t)in->ndim;
    status = check_elem_type(in, "in", &p->elem_bytes, diag);
    if (!status) status = check_elem_type(out, "out", &out_elem_bytes, diag);
    if (status) return status;
    if (p->elem_bytes != out_elem_bytes)
        return hw_diag_set(diag, HW_USAGE, "in has elements of %u bytes and out of %u", p->elem_bytes, out_elem_bytes);
    status = check_axes(axes, p->rank, order, diag);
    if (!status) status = check_extents(in, out, order, p, diag);
    if (!status && p->elems) status = check_elements(in, out, order, pointers, p, diag);
    return status;
}
