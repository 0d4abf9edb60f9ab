// Where the elements of an array lie, and whether two arrays meet.
#include "op/common/layout.h"

#include "base/integers.h"

// What an array may span, so that no sum of offsets overflows; far beyond any address space.
static const int64_t MOST_SPAN_BYTES = (int64_t)1 << 60;

hw_status hw_layout_check_shape(const DLTensor *t, const char *name, hw_diag *diag) {
    if (!t) return hw_diag_set(diag, HW_USAGE, "%s is NULL", name);
    if (t->ndim < 0 || t->ndim > HW_MAX_RANK)
        return hw_diag_set(diag, HW_USAGE, "%s has rank %d; the most is %d", name, (int)t->ndim, HW_MAX_RANK);
    if (t->ndim && !t->shape) return hw_diag_set(diag, HW_USAGE, "%s has rank %d and no shape", name, (int)t->ndim);
    for (int k = 0; k < t->ndim; k++)
        if (t->shape[k] < 0)
            return hw_diag_set(diag, HW_USAGE, "%s has the extent %lld in axis %d", name, (long long)t->shape[k], k);
    return HW_OK;
}

static hw_status count_elems(hw_layout *l, hw_diag *diag) {
    l->elems = 1;
    for (uint32_t k = 0; k < l->rank; k++)
        if (l->n[k] == 0) l->elems = 0;
    for (uint32_t k = 0; k < l->rank && l->elems; k++)
        if (__builtin_mul_overflow(l->elems, l->n[k], &l->elems) || l->elems > HW_MOST_ELEMS)
            return hw_diag_set(diag, HW_UNSUPPORTED, "%s has more than 2^40 elements", l->name);
    return HW_OK;
}

static void read_tensor_axes(const DLTensor *t, hw_layout *l) {
    int64_t contiguous = 1;
    for (uint32_t k = l->rank; k-- > 0;) {
        l->n[k] = (uint64_t)t->shape[k];
        l->stride[k] = t->strides ? t->strides[k] : contiguous;
        if (l->n[k] == 1) l->stride[k] = 0;   // never used; NumPy leaves any number there
        // Overflows only where count_elems() refuses, or where there are no elements.
        if (__builtin_mul_overflow(contiguous, t->shape[k], &contiguous)) contiguous = 0;
    }
}

// The bytes below and above the first element.
static hw_status find_span(const hw_layout *l, int64_t *below, int64_t *above, hw_diag *diag) {
    *below = 0;
    *above = l->elem_bytes;
    for (uint32_t k = 0; k < l->rank; k++) {
        int64_t reach;
        bool fits = !__builtin_mul_overflow((int64_t)(l->n[k] - 1), l->stride[k], &reach) &&
                    !__builtin_mul_overflow(reach, (int64_t)l->elem_bytes, &reach) &&
                    !__builtin_add_overflow(*(reach < 0 ? below : above), reach, reach < 0 ? below : above);
        if (!fits || *above > MOST_SPAN_BYTES || *below < -MOST_SPAN_BYTES)
            return hw_diag_set(diag, HW_USAGE, "the strides of %s span more than the address space", l->name);
    }
    return HW_OK;
}

static hw_status place_layout(const DLTensor *t, int64_t below, int64_t above, hw_layout *l, hw_diag *diag) {
    if (!t->data) return hw_diag_set(diag, HW_USAGE, "the data of %s are NULL", l->name);
    bool fits = !__builtin_add_overflow((uintptr_t)t->data, t->byte_offset, &l->first) &&
                !__builtin_sub_overflow(l->first, (uintptr_t)-below, &l->lowest) &&
                !__builtin_add_overflow(l->first, (uintptr_t)above, &l->end);
    if (fits) return HW_OK;
    return hw_diag_set(diag, HW_USAGE, "%s does not fit into the address space from where it begins", l->name);
}

hw_status hw_layout_make_unaligned(const DLTensor *tensor, const char *name, uint32_t elem_bytes, bool pointers,
                                   hw_layout *layout, hw_diag *diag) {
    int64_t below, above;
    layout->name = name;   // member by member: the axes' arrays are long, and mostly unused
    layout->rank = 0;
    layout->elem_bytes = elem_bytes;
    layout->elems = layout->first = layout->lowest = layout->end = 0;
    hw_status status = hw_layout_check_shape(tensor, name, diag);
    if (status != HW_OK) return status;
    layout->rank = (uint32_t)tensor->ndim;
    read_tensor_axes(tensor, layout);
    status = count_elems(layout, diag);
    if (status != HW_OK || layout->elems == 0) return status;
    status = find_span(layout, &below, &above, diag);
    if (status == HW_OK && pointers) status = place_layout(tensor, below, above, layout, diag);
    return status;
}

hw_status hw_layout_make(const DLTensor *tensor, const char *name, uint32_t elem_bytes, bool pointers,
                         hw_layout *layout, hw_diag *diag) {
    hw_status status = hw_layout_make_unaligned(tensor, name, elem_bytes, pointers, layout, diag);
    if (status != HW_OK || layout->first % elem_bytes == 0) return status;
    return hw_diag_set(diag, HW_USAGE, "%s begins at no multiple of its elements of %u bytes", name, elem_bytes);
}

static bool is_there(const hw_device_properties *device, DLDevice dl) {
    if (device->kind == HW_DEVICE_CPU)
        return dl.device_type == kDLCPU || dl.device_type == kDLCUDAHost || dl.device_type == kDLCUDAManaged;
    if (device->kind == HW_DEVICE_CUDA && dl.device_type == kDLCUDAManaged) return true;
    return dl.device_type == device->dl.device_type && dl.device_id == device->dl.device_id;
}

hw_status hw_layout_check_place(const hw_device_properties *device, const DLTensor *tensor, const char *caller,
                                const char *name, hw_diag *diag) {
    if (is_there(device, tensor->device)) return HW_OK;
    return hw_diag_set(diag, HW_USAGE,
                       "%s: %s is on a device of DLPack type %d, number %d; the stream's device is %s (type %d, number "
                       "%d)",
                       caller, name, (int)tensor->device.device_type, tensor->device.device_id, device->name,
                       (int)device->dl.device_type, device->dl.device_id);
}

// The arrays share memory when an element of a and an element of b begin less than an element apart. The terms of a
// count up from a's lowest address, the terms of b count down from b's last element.
hw_overlap hw_layout_shared(const hw_layout *a, const hw_layout *b) {
    if (a->end <= b->lowest || b->end <= a->lowest) return HW_OVERLAP_NO;
    hw_overlap_term terms[HW_OVERLAP_TERMS];
    uint32_t n_terms = 0;
    const hw_layout *both[2] = {a, b};
    for (int side = 0; side < 2; side++) {
        for (uint32_t k = 0; k < both[side]->rank; k++) {
            int64_t stride = (int64_t)hw_magnitude(both[side]->stride[k]);
            if (stride) terms[n_terms++] = (hw_overlap_term){stride * both[side]->elem_bytes,
                                                             (int64_t)both[side]->n[k] - 1};
        }
    }
    // a.lowest + s + x = b.end - b.elem_bytes - t + y, with x and y bytes of an element: x turned round joins y's
    // range.
    terms[n_terms++] = (hw_overlap_term){1, (int64_t)a->elem_bytes - 1 + b->elem_bytes - 1};
    int64_t target = (int64_t)(b->end - b->elem_bytes - a->lowest) + (int64_t)b->elem_bytes - 1;
    return hw_overlap_solve(terms, n_terms, target);
}

hw_status hw_layout_check_written(const hw_layout *out, hw_diag *diag) {
    hw_overlap self = out->elems ? hw_overlap_self(out->rank, out->n, out->stride) : HW_OVERLAP_NO;
    if (self == HW_OVERLAP_NO) return HW_OK;
    if (self == HW_OVERLAP_YES)
        return hw_diag_set(diag, HW_USAGE, "the strides of %s make two of its elements share memory", out->name);
    return hw_diag_set(diag, HW_USAGE, "the strides of %s are too tangled to tell whether elements share memory",
                       out->name);
}

hw_status hw_layout_check_apart(const hw_layout *a, const hw_layout *b, hw_diag *diag) {
    hw_overlap shared = hw_layout_shared(a, b);
    if (shared == HW_OVERLAP_NO) return HW_OK;
    if (shared == HW_OVERLAP_YES) return hw_diag_set(diag, HW_USAGE, "%s and %s share memory", a->name, b->name);
    return hw_diag_set(diag, HW_USAGE, "the strides are too tangled to tell whether %s and %s share memory", a->name,
                       b->name);
}
