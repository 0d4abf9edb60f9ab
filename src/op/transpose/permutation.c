// A permutation of axes: the same mapping of addresses with as few axes and as wide elements as can be.
#include "op/transpose/permutation.h"

#include "base/text.h"

static void drop_axis(hw_permutation *p, uint32_t axis) {
    p->rank--;
    for (uint32_t k = axis; k < p->rank; k++) {
        p->n[k] = p->n[k + 1];
        p->in_stride[k] = p->in_stride[k + 1];
        p->out_stride[k] = p->out_stride[k + 1];
    }
}

static void drop_unit_axes(hw_permutation *p) {
    for (uint32_t k = p->rank; k-- > 0;)
        if (p->n[k] == 1) drop_axis(p, k);
}

// Walks the axis from its other end.
static void turn_axis(hw_permutation *p, uint32_t axis) {
    int64_t last = (int64_t)(p->n[axis] - 1) * p->elem_bytes;
    if (p->in) p->in = (const char *)p->in + last * p->in_stride[axis];
    if (p->out) p->out = (char *)p->out + last * p->out_stride[axis];
    p->in_stride[axis] = -p->in_stride[axis];
    p->out_stride[axis] = -p->out_stride[axis];
}

static void swap_axes(hw_permutation *p, uint32_t a, uint32_t b) {
    uint64_t n = p->n[a];
    int64_t in = p->in_stride[a], out = p->out_stride[a];
    p->n[a] = p->n[b];
    p->in_stride[a] = p->in_stride[b];
    p->out_stride[a] = p->out_stride[b];
    p->n[b] = n;
    p->in_stride[b] = in;
    p->out_stride[b] = out;
}

static void sort_by_out_stride(hw_permutation *p) {
    for (uint32_t k = 1; k < p->rank; k++)
        for (uint32_t i = k; i && p->out_stride[i - 1] < p->out_stride[i]; i--) swap_axes(p, i - 1, i);
}

// Does `slow` go on where `fast` ends, in both arrays? Products cannot overflow: make bounded what the axes span.
static bool axis_continues(const hw_permutation *p, uint32_t slow, uint32_t fast) {
    int64_t n = (int64_t)p->n[fast];
    return p->out_stride[slow] == n * p->out_stride[fast] && p->in_stride[slow] == n * p->in_stride[fast];
}

static bool merge_one(hw_permutation *p) {
    for (uint32_t fast = p->rank; fast-- > 1;) {
        for (uint32_t slow = fast; slow-- > 0;) {
            if (!axis_continues(p, slow, fast)) continue;
            p->n[fast] *= p->n[slow];
            drop_axis(p, slow);
            return true;
        }
    }
    return false;
}

void hw_permutation_merge(hw_permutation *p) {
    if (!p->elems) p->rank = 0;
    drop_unit_axes(p);
    for (uint32_t k = 0; k < p->rank; k++)
        if (p->out_stride[k] < 0) turn_axis(p, k);
    sort_by_out_stride(p);
    while (merge_one(p)) {
    }
}

bool hw_permutation_narrow(hw_permutation *p) {
    const uintptr_t addresses = (uintptr_t)p->in | (uintptr_t)p->out;
    uint32_t bytes = p->elem_bytes;
    while (addresses % bytes) bytes /= 2;
    const uint32_t factor = p->elem_bytes / bytes;
    if (factor == 1) return true;
    if (p->rank == HW_MAX_RANK) return false;
    for (uint32_t k = 0; k < p->rank; k++) {
        p->in_stride[k] *= (int64_t)factor;
        p->out_stride[k] *= (int64_t)factor;
    }
    p->n[p->rank] = factor;
    p->in_stride[p->rank] = p->out_stride[p->rank] = 1;
    p->rank++;
    p->elems *= factor;
    p->elem_bytes = bytes;
    hw_permutation_merge(p);
    return true;
}

static bool can_widen(const hw_permutation *p, uint32_t factor) {
    uint32_t last = p->rank - 1, bytes = p->elem_bytes * factor;
    if (p->n[last] % factor || (uintptr_t)p->in % bytes || (uintptr_t)p->out % bytes) return false;
    for (uint32_t k = 0; k < last; k++)
        if (p->in_stride[k] % (int64_t)factor || p->out_stride[k] % (int64_t)factor) return false;
    return true;
}

void hw_permutation_widen(hw_permutation *p, uint32_t max_bytes) {
    if (!p->rank || p->in_stride[p->rank - 1] != 1 || p->out_stride[p->rank - 1] != 1) return;
    uint32_t factor = max_bytes / p->elem_bytes, last = p->rank - 1;
    while (factor > 1 && !can_widen(p, factor)) factor /= 2;
    if (factor < 2) return;
    for (uint32_t k = 0; k < last; k++) {
        p->in_stride[k] /= (int64_t)factor;
        p->out_stride[k] /= (int64_t)factor;
    }
    p->n[last] /= factor;
    p->elems /= factor;
    p->elem_bytes *= factor;
    drop_unit_axes(p);
}

bool hw_permutation_swaps(const hw_permutation *p, uint32_t axes[2]) {
    uint32_t found = 0;
    for (uint32_t k = 0; k < p->rank; k++) {
        if (p->in_stride[k] == p->out_stride[k]) continue;
        if (found == 2) return false;
        axes[found++] = k;
    }
    return found == 2 && p->n[axes[0]] == p->n[axes[1]] && p->in_stride[axes[0]] == p->out_stride[axes[1]] &&
           p->in_stride[axes[1]] == p->out_stride[axes[0]];
}

static void add_strides(hw_text *l, const int64_t *stride, uint32_t rank) {
    for (uint32_t k = 0; k < rank; k++) hw_text_put(l, "%s%lld", k ? ", " : "(", (long long)stride[k]);
    hw_text_put(l, rank ? ")" : "()");
}

static bool out_is_contiguous(const hw_permutation *p) {
    int64_t expected = 1;
    for (uint32_t k = p->rank; k-- > 0; expected *= (int64_t)p->n[k])
        if (p->out_stride[k] != expected) return false;
    return true;
}

const char *hw_permutation_format(const hw_permutation *p, char *text, size_t text_bytes) {
    hw_text l = hw_text_in(text, text_bytes);
    if (!p->elems) {
        hw_text_put(&l, "no elements");
        return text;
    }
    for (uint32_t k = 0; k < p->rank; k++) hw_text_put(&l, "%s%llu", k ? ", " : "(", (unsigned long long)p->n[k]);
    hw_text_put(&l, p->rank ? ") strides " : "() strides ");
    add_strides(&l, p->in_stride, p->rank);
    if (!out_is_contiguous(p)) {
        hw_text_put(&l, " to ");
        add_strides(&l, p->out_stride, p->rank);
    }
    return text;
}
