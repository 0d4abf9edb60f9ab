// Walking through terms.
#include "op/reduce/cpu/reduce_terms.h"

#include <string.h>

#include "base/integers.h"

static int64_t place_of_index(uint32_t rank, const uint64_t *n, const int64_t *stride, uint64_t index) {
    int64_t at = 0;
    for (uint32_t a = rank; a-- > 0;) {
        at += (int64_t)(a ? index % n[a] : index) * stride[a];
        if (a) index /= n[a];
    }
    return at;
}

int64_t hw_cpu_output_in(const hw_reduction_form *form, uint64_t output) {
    return place_of_index(form->n_kept, form->kept, form->kept_in_stride, output) * form->in_bytes;
}

int64_t hw_cpu_output_out(const hw_reduction_form *form, uint64_t output) {
    return place_of_index(form->n_kept, form->kept, form->kept_out_stride, output) * form->out_bytes;
}

uint32_t hw_cpu_outputs_in_row(const hw_reduction_form *form, uint64_t output, uint32_t most) {
    const uint64_t row = form->n_kept ? form->kept[form->n_kept - 1] : 1;
    return (uint32_t)hw_least(most, row - output % row);
}

void hw_cpu_output_offsets(const hw_reduction_form *form, uint64_t first, uint32_t n, int64_t *offsets) {
    const int64_t begin = hw_cpu_output_in(form, first),
                  step = form->n_kept ? form->kept_in_stride[form->n_kept - 1] * form->in_bytes : 0;
    for (uint32_t i = 0; i < n;) {
        const uint32_t end = i + hw_cpu_outputs_in_row(form, first + i, n - i);
        for (int64_t at = hw_cpu_output_in(form, first + i) - begin; i < end; i++, at += step) offsets[i] = at;
    }
}

void hw_cpu_terms_begin(hw_cpu_terms *terms, const hw_cpu_reduce_plan *plan, const hw_fold_level *level, const char *in,
                        uint64_t first, uint64_t n) {
    const hw_reduction_form *f = plan->form;
    terms->plan = plan;
    terms->level = level;
    terms->left = n;
    terms->at = in + place_of_index(f->n_reduced, f->reduced, f->reduced_stride, first) * f->in_bytes;
    for (uint32_t a = f->n_reduced; a-- > 0; first /= f->reduced[a]) terms->index[a] = first % f->reduced[a];
}

uint64_t hw_cpu_terms_run(const hw_cpu_terms *terms) {
    const hw_reduction_form *f = terms->plan->form;
    const uint32_t last = f->n_reduced - 1;
    const uint64_t run = f->n_reduced ? f->reduced[last] - terms->index[last] : 1;
    return run < terms->left ? run : terms->left;
}

void hw_cpu_terms_skip(hw_cpu_terms *terms, uint64_t n) {
    const hw_reduction_form *f = terms->plan->form;
    terms->left -= n;
    if (!f->n_reduced || !terms->left) return;
    uint32_t a = f->n_reduced - 1;
    terms->index[a] += n;
    terms->at += (int64_t)n * f->reduced_stride[a] * f->in_bytes;
    while (a && terms->index[a] == f->reduced[a]) {
        terms->at -= (int64_t)f->reduced[a] * f->reduced_stride[a] * f->in_bytes;
        terms->index[a--] = 0;
        terms->index[a]++;
        terms->at += f->reduced_stride[a] * f->in_bytes;
    }
}

#define GATHER(BYTES)                                                                                                  \
    for (size_t i = 0; i < n; i++, from += stride) memcpy((char *)to + i * (BYTES), from, BYTES);                      \
    return

void hw_cpu_gather(void *to, const char *from, int64_t stride, size_t n, uint32_t elem_bytes) {
    if (stride == (int64_t)elem_bytes) {
        memcpy(to, from, n * elem_bytes);
        return;
    }
    switch (elem_bytes) {
        case 1: GATHER(1);
        case 2: GATHER(2);
        case 4: GATHER(4);
        default: GATHER(8);
    }
}

#define GATHER_AT(BYTES)                                                                                               \
    for (size_t i = 0; i < n; i++) memcpy((char *)to + i * (BYTES), from + offsets[i], BYTES);                         \
    return

void hw_cpu_gather_at(void *to, const char *from, const int64_t *offsets, size_t n, uint32_t elem_bytes) {
    switch (elem_bytes) {
        case 1: GATHER_AT(1);
        case 2: GATHER_AT(2);
        case 4: GATHER_AT(4);
        default: GATHER_AT(8);
    }
}

const void *hw_cpu_widened(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, const void *from, float *room,
                           size_t n) {
    switch (plan->widen) {
        case HW_CPU_WIDEN_F16: level->widen_f16(room, from, n); return room;
        case HW_CPU_WIDEN_BF16: level->widen_bf16(room, from, n); return room;
        default: return from;
    }
}

size_t hw_cpu_terms_next(hw_cpu_terms *terms, void *room, const void **block) {
    const hw_cpu_reduce_plan *plan = terms->plan;
    const hw_reduction_form *f = plan->form;
    size_t n = 0;
    if (!terms->left) return 0;
    const void *from = terms->at;
    if (plan->contiguous) {
        const uint64_t run = hw_cpu_terms_run(terms);
        n = run < HW_FOLD_BLOCK ? (size_t)run : HW_FOLD_BLOCK;
        hw_cpu_terms_skip(terms, n);
    } else {
        char *gathered = (char *)room + HW_FOLD_BLOCK * 4;   // elements that are widened are of 2 bytes
        if (plan->widen == HW_CPU_AS_IS) gathered = room;
        const int64_t stride = f->n_reduced ? f->reduced_stride[f->n_reduced - 1] * f->in_bytes : 0;
        while (n < HW_FOLD_BLOCK && terms->left) {
            uint64_t run = hw_cpu_terms_run(terms);
            if (run > HW_FOLD_BLOCK - n) run = HW_FOLD_BLOCK - n;
            hw_cpu_gather(gathered + n * f->in_bytes, terms->at, stride, (size_t)run, f->in_bytes);
            hw_cpu_terms_skip(terms, run);
            n += (size_t)run;
        }
        from = gathered;
    }
    *block = hw_cpu_widened(plan, terms->level, from, room, n);
    return n;
}
