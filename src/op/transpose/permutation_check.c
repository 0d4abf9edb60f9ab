// The checks of hw_transpose's arguments, in the order in which a caller would want to hear of them.
#include "op/transpose/permutation.h"

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

static hw_status check_extents(const hw_layout *in, const hw_layout *out, const uint32_t *axes, hw_diag *diag) {
    for (uint32_t k = 0; k < out->rank; k++)
        if (out->n[k] != in->n[axes[k]])
            return hw_diag_set(diag, HW_USAGE, "axis %u of out has the extent %llu, and axis %u of in, which it is to "
                               "be, %llu", k, (unsigned long long)out->n[k], axes[k],
                               (unsigned long long)in->n[axes[k]]);
    return HW_OK;
}

static bool fills_without_gaps(const hw_layout *l) {
    return l->first && l->end - l->lowest == l->elems * l->elem_bytes &&
           hw_overlap_self(l->rank, l->n, l->stride) == HW_OVERLAP_NO;
}

static hw_status check_transpose_memory(const hw_layout *in, const hw_layout *out, bool *in_place, hw_diag *diag) {
    hw_status status = hw_layout_check_written(out, diag);
    if (status) return status;
    *in_place = in->lowest == out->lowest && in->end == out->end && fills_without_gaps(in) && fills_without_gaps(out);
    return *in_place ? HW_OK : hw_layout_check_apart(in, out, diag);
}

// The axes in out's order, and where they begin.
static void fill_permutation(const hw_layout *in, const hw_layout *out, const uint32_t *axes, hw_permutation *p) {
    p->elems = out->elems;
    for (uint32_t k = 0; k < p->rank; k++) {
        p->n[k] = out->n[k];
        p->in_stride[k] = in->stride[axes[k]];
        p->out_stride[k] = out->stride[k];
    }
    p->in = (const void *)in->first;
    p->out = (void *)out->first;
}

hw_status hw_permutation_make(const DLTensor *in, const int *axes, const DLTensor *out, bool pointers,
                              hw_permutation *p, hw_diag *diag) {
    uint32_t order[HW_MAX_RANK], out_elem_bytes;
    hw_layout from, to;
    *p = (hw_permutation){0};
    hw_status status = hw_layout_check_shape(in, "in", diag);
    if (!status) status = hw_layout_check_shape(out, "out", diag);
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
    if (!status) status = hw_layout_make_unaligned(in, "in", p->elem_bytes, pointers || in->data, &from, diag);
    if (!status) status = hw_layout_make_unaligned(out, "out", p->elem_bytes, pointers || out->data, &to, diag);
    if (!status) status = check_extents(&from, &to, order, diag);
    if (status) return status;
    fill_permutation(&from, &to, order, p);
    return p->elems ? check_transpose_memory(&from, &to, &p->in_place, diag) : HW_OK;
}
