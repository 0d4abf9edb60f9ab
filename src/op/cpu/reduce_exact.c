// Exact sums of some outputs.
#include "op/cpu/reduce_terms.h"
#include "op/cpu/reduce_ways.h"

static void add(hw_exact_sum *sum, const void *terms, size_t n) {
    if (sum->f64) hw_exact_add_f64(sum, terms, n);
    else hw_exact_add_f32(sum, terms, n);
}

// Along the terms.
static void add_runs(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, const char *in, uint64_t first,
                     uint64_t n, void *room, hw_exact_sum *sum) {
    hw_cpu_terms terms;
    const void *block;
    hw_cpu_terms_begin(&terms, plan, level, in, first, n);
    for (size_t some; (some = hw_cpu_terms_next(&terms, room, &block));) add(sum, block, some);
}

// The outputs lie closer together than the terms: blocks of terms of all outputs are transposed first.
static void add_columns(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, hw_cpu_tile tile, uint64_t first,
                        uint64_t n, void *room, hw_exact_sum *sums) {
    enum { DEEP = HW_FOLD_BLOCK / 16 };
    const hw_reduction_form *f = plan->form;
    const int64_t begin = hw_cpu_output_in(f, tile.first),
                  stride = f->n_reduced ? f->reduced_stride[f->n_reduced - 1] * f->in_bytes : 0;
    char *block = room;
    hw_cpu_terms terms;
    hw_cpu_terms_begin(&terms, plan, level, (const char *)f->in + begin, first, n);
    while (terms.left) {
        uint64_t some = hw_cpu_terms_run(&terms);
        if (some > DEEP) some = DEEP;
        for (uint32_t i = 0; i < tile.n; i++) {
            const char *from = terms.at + hw_cpu_output_in(f, tile.first + i) - begin;
            hw_cpu_gather(block, from, stride, (size_t)some, f->in_bytes);
            add(&sums[i], block, (size_t)some);
        }
        hw_cpu_terms_skip(&terms, some);
    }
}

void hw_cpu_reduce_exact(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, hw_cpu_tile tile, uint64_t first,
                         uint64_t n, void *room, hw_exact_sum *sums) {
    for (uint32_t i = 0; i < tile.n; i++) hw_exact_clear(&sums[i], plan->type == HW_FOLD_F64);
    if (plan->way == HW_CPU_REDUCE_COLUMNS) {
        add_columns(plan, level, tile, first, n, room, sums);
        return;
    }
    for (uint32_t i = 0; i < tile.n; i++) {
        const char *in = (const char *)plan->form->in + hw_cpu_output_in(plan->form, tile.first + i);
        add_runs(plan, level, in, first, n, room, &sums[i]);
    }
}
