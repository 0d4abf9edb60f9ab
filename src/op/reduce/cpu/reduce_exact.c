// Exact sums of some outputs.
#include <string.h>

#include "op/reduce/cpu/reduce_terms.h"
#include "op/reduce/cpu/reduce_ways.h"

static void add_terms(hw_exact_sum *sum, const void *terms, size_t n) {
    if (sum->f64) hw_exact_add_f64(sum, terms, n);
    else hw_exact_add_f32(sum, terms, n);
}

// Along the terms.
static void add_runs(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, const char *in, uint64_t first,
                     uint64_t n, void *room, hw_exact_sum *sum) {
    hw_cpu_terms terms;
    const void *block;
    hw_cpu_terms_begin(&terms, plan, level, in, first, n);
    for (size_t some; (some = hw_cpu_terms_next(&terms, room, &block));) add_terms(sum, block, some);
}

#define TRANSPOSE(BYTES)                                                                                               \
    for (size_t r = 0; r < rows; r++, from += pitch)                                                                   \
        for (uint32_t i = 0; i < n; i++) memcpy(to + (i * HW_CPU_EXACT_PITCH + r) * (BYTES), from + offsets[i], BYTES)

enum { DEEP = 256 };

// to[i][r] = the element at from + r * pitch + offsets[i]. The pitch of `to` puts neighbours into different lines of
// the cache's first level.
static void transpose_terms(char *to, const char *from, ptrdiff_t pitch, size_t rows, const int64_t *offsets,
                            uint32_t n, uint32_t elem_bytes) {
    if (elem_bytes == 4) TRANSPOSE(4);
    else TRANSPOSE(8);
}

// The outputs lie closer together than the terms: blocks of terms of all outputs are transposed first, so that each
// line of the array is read once.
static void add_columns(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, hw_cpu_tile tile, uint64_t first,
                        uint64_t n, void *room, hw_exact_sum *sums) {
    const hw_reduction_form *f = plan->form;
    const int64_t begin = hw_cpu_output_in(f, tile.first),
                  stride = f->n_reduced ? f->reduced_stride[f->n_reduced - 1] * f->in_bytes : 0;
    int64_t offsets[HW_CPU_EXACT_OUTPUTS];
    hw_cpu_terms terms;
    hw_cpu_output_offsets(f, tile.first, tile.n, offsets);
    hw_cpu_terms_begin(&terms, plan, level, (const char *)f->in + begin, first, n);
    while (terms.left) {
        uint64_t some = hw_cpu_terms_run(&terms);
        if (some > DEEP) some = DEEP;
        transpose_terms(room, terms.at, stride, (size_t)some, offsets, tile.n, f->in_bytes);
        for (uint32_t i = 0; i < tile.n; i++)
            add_terms(&sums[i], (char *)room + i * HW_CPU_EXACT_PITCH * f->in_bytes, (size_t)some);
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
