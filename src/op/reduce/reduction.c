// The axes of a reduction: as few as can be, in the order that kernels want them in; and the reductions' names.
#include "op/reduce/reduction.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "op/reduce/reduction_axes.h"

// ---- Axes -----------------------------------------------------------------------------------------------------------

// One of the two lists of a form while it is made. out is NULL for reduced axes.
typedef struct axis_list {
    uint32_t rank;
    uint64_t *n;
    int64_t *in, *out;
} axis_list;

static void add_axis(axis_list *l, uint64_t n, int64_t in, int64_t out) {
    l->n[l->rank] = n;
    l->in[l->rank] = in;
    if (l->out) l->out[l->rank] = out;
    l->rank++;
}

static void drop_axis(axis_list *l, uint32_t axis) {
    l->rank--;
    for (uint32_t k = axis; k < l->rank; k++) {
        l->n[k] = l->n[k + 1];
        l->in[k] = l->in[k + 1];
        if (l->out) l->out[k] = l->out[k + 1];
    }
}

// Walks axes from the end where in is lowest.
static void turn_backward_axes(hw_reduction_form *form, axis_list *l) {
    for (uint32_t k = 0; k < l->rank; k++) {
        if (l->in[k] >= 0) continue;
        const int64_t last = (int64_t)(l->n[k] - 1);
        if (form->in) form->in = (const char *)form->in + last * l->in[k] * form->in_bytes;
        l->in[k] = -l->in[k];
        if (!l->out) continue;
        if (form->out) form->out = (char *)form->out + last * l->out[k] * form->out_bytes;
        l->out[k] = -l->out[k];
    }
}

// Broadcast axes (stride 0) come last by size, and are the slowest.
static bool is_slower(const axis_list *l, uint32_t a, uint32_t b) {
    if (l->in[a] != l->in[b]) return l->in[b] != 0 && (l->in[a] == 0 || l->in[a] > l->in[b]);
    return l->out && l->out[a] > l->out[b];
}

static void swap_axes(axis_list *l, uint32_t a, uint32_t b) {
    const uint64_t n = l->n[a];
    const int64_t in = l->in[a], out = l->out ? l->out[a] : 0;
    l->n[a] = l->n[b];
    l->in[a] = l->in[b];
    l->n[b] = n;
    l->in[b] = in;
    if (!l->out) return;
    l->out[a] = l->out[b];
    l->out[b] = out;
}

static void sort_by_stride(axis_list *l) {
    for (uint32_t k = 1; k < l->rank; k++)
        for (uint32_t i = k; i && is_slower(l, i, i - 1); i--) swap_axes(l, i - 1, i);
}

// Products cannot overflow: the layouts bounded what the axes span.
static void merge_neighbours(axis_list *l) {
    for (uint32_t fast = l->rank; fast-- > 1;) {
        const uint32_t slow = fast - 1;
        const int64_t n = (int64_t)l->n[fast];
        if (l->in[slow] != n * l->in[fast] || (l->out && l->out[slow] != n * l->out[fast])) continue;
        l->n[slow] *= l->n[fast];
        l->in[slow] = l->in[fast];
        if (l->out) l->out[slow] = l->out[fast];
        drop_axis(l, fast);
    }
}

void hw_reduction_set_axes(hw_reduction_form *form, uint32_t rank, const uint64_t *n, const int64_t *in_stride,
                           const int64_t *out_stride, uint32_t reduced) {
    axis_list kept = {0, form->kept, form->kept_in_stride, form->kept_out_stride};
    axis_list gone = {0, form->reduced, form->reduced_stride, NULL};
    for (uint32_t k = 0; k < rank; k++)
        if (n[k] != 1) add_axis(reduced >> k & 1 ? &gone : &kept, n[k], in_stride[k], out_stride[k]);
    if (form->outputs == 0) kept.rank = gone.rank = 0;
    if (form->terms == 0) {
        // Only out is left to be written, in its own order.
        gone.rank = 0;
        for (uint32_t k = 0; k < kept.rank; k++) kept.in[k] = kept.out[k];
        form->in = NULL;
    }
    turn_backward_axes(form, &kept);
    sort_by_stride(&kept);
    merge_neighbours(&kept);
    if (!hw_reduction_is_arg(form->reduction)) {
        turn_backward_axes(form, &gone);
        sort_by_stride(&gone);
    }
    merge_neighbours(&gone);
    form->n_kept = kept.rank;
    form->n_reduced = gone.rank;
}

// ---- The key of plans -----------------------------------------------------------------------------------------------

void hw_reduction_make_key(const hw_reduction_form *form, hw_reduction_key *key) {
    size_t n = 0;
    key->words[n++] = 0x7265647563650000 | (uint64_t)form->reduction;   // no transpose's
    key->words[n++] = form->flags;
    key->words[n++] = (uint64_t)form->in_type.code << 8 | form->in_type.bits;
    key->words[n++] = (uint64_t)form->n_kept << 32 | form->n_reduced;
    key->words[n++] = (uintptr_t)form->in % 16;
    key->words[n++] = form->terms;
    for (uint32_t k = 0; k < form->n_kept; k++) {
        key->words[n++] = form->kept[k];
        key->words[n++] = (uint64_t)form->kept_in_stride[k];
        key->words[n++] = (uint64_t)form->kept_out_stride[k];
    }
    for (uint32_t k = 0; k < form->n_reduced; k++) {
        key->words[n++] = form->reduced[k];
        key->words[n++] = (uint64_t)form->reduced_stride[k];
    }
    key->bytes = n * sizeof key->words[0];
}

// ---- In words -------------------------------------------------------------------------------------------------------

const char *const hw_reduction_names[HW_REDUCTIONS] = {
    [HW_REDUCE_SUM] = "sum",       [HW_REDUCE_PRODUCT] = "product", [HW_REDUCE_MIN] = "min",   [HW_REDUCE_MAX] = "max",
    [HW_REDUCE_ARGMIN] = "argmin", [HW_REDUCE_ARGMAX] = "argmax",   [HW_REDUCE_MEAN] = "mean",
    [HW_REDUCE_NORM] = "norm",     [HW_REDUCE_VAR] = "var",         [HW_REDUCE_STD] = "std",   [HW_REDUCE_ANY] = "any",
    [HW_REDUCE_ALL] = "all",       [HW_REDUCE_COUNT_NONZERO] = "count_nonzero",
};

const char *hw_reduction_name(hw_reduction reduction, char *text, size_t text_bytes) {
    if ((unsigned)reduction < HW_REDUCTIONS) snprintf(text, text_bytes, "%s", hw_reduction_names[reduction]);
    else snprintf(text, text_bytes, "reduction %d", (int)reduction);
    return text;
}

bool hw_reduction_find(const char *name, hw_reduction *reduction) {
    for (int i = 0; i < HW_REDUCTIONS; i++) {
        if (strcmp(hw_reduction_names[i], name)) continue;
        *reduction = (hw_reduction)i;
        return true;
    }
    return false;
}

static void say_axes(hw_text *page, uint32_t rank, const uint64_t *n, const int64_t *stride) {
    for (uint32_t k = 0; k < rank; k++) hw_text_put(page, "%s%llu", k ? ", " : "(", (unsigned long long)n[k]);
    hw_text_put(page, rank ? ") strides " : "() strides ");
    for (uint32_t k = 0; k < rank; k++) hw_text_put(page, "%s%lld", k ? ", " : "(", (long long)stride[k]);
    hw_text_put(page, rank ? ")" : "()");
}

const char *hw_reduction_format(const hw_reduction_form *form, char *text, size_t text_bytes) {
    hw_text page = hw_text_in(text, text_bytes);
    if (form->outputs == 0) {
        hw_text_put(&page, "no outputs");
        return text;
    }
    if (form->n_kept) say_axes(&page, form->n_kept, form->kept, form->kept_in_stride);
    else hw_text_put(&page, "one output");
    if (form->terms == 0) {
        hw_text_put(&page, ", of no elements");
        return text;
    }
    hw_text_put(&page, ", over ");
    say_axes(&page, form->n_reduced, form->reduced, form->reduced_stride);
    return text;
}
