// Output by output, along its terms.
#include "base/integers.h"
#include "op/reduce/cpu/reduce_terms.h"
#include "op/reduce/cpu/reduce_ways.h"

// The n terms of each of some runs, pitch bytes apart.
static void combine_runs(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, const void *terms, ptrdiff_t pitch,
                         size_t n_runs, size_t n, hw_fold_number *numbers) {
    const bool narrow = plan->op == HW_FOLD_WIDE && !level->run[HW_FOLD_WIDE][plan->type];
    level->run[narrow ? HW_FOLD_ADD : plan->op][plan->type](terms, pitch, n_runs, n, numbers);
    for (size_t r = 0; narrow && r < n_runs; r++)
        numbers[r].wide = plan->type < HW_FOLD_U8 ? (__int128)numbers[r].i : (__int128)numbers[r].u;
}

static hw_fold_number combine_run(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, const void *block,
                                  size_t n) {
    hw_fold_number number = {0};
    combine_runs(plan, level, block, 0, 1, n, &number);
    return number;
}

// Takes the better of *best and the run's best term. Where the result is an index, the first of equal terms is looked
// up.
static void choose_from_run(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, const void *block, size_t n,
                            uint64_t first, bool is_first, hw_cpu_part *best) {
    hw_cpu_part part = {.number = combine_run(plan, level, block, n)};
    if (!is_first && !hw_cpu_part_is_better(plan, &part.number, &best->number)) return;
    if (plan->is_arg) part.index = first + level->find[plan->type](block, n, &part.number);
    *best = part;
}

// Outputs from a tile's number i on whose runs lie evenly spaced, and as many as can be combined at once.
static uint32_t runs_at_once(const hw_cpu_reduce_plan *plan, hw_cpu_tile tile, uint32_t i, ptrdiff_t pitch) {
    const hw_reduction_form *f = plan->form;
    const uint32_t many = hw_cpu_outputs_in_row(f, tile.first + i, tile.n - i);
    if (plan->widen == HW_CPU_AS_IS) return many;
    // Runs that lie side by side are also widened all at once.
    const bool is_dense = pitch == (ptrdiff_t)(f->terms * f->in_bytes);
    return is_dense ? (uint32_t)hw_least(many, HW_FOLD_BLOCK / f->terms) : 1;
}

// Outputs whose terms are one run each: several at a time.
static void reduce_whole_runs(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, hw_cpu_tile tile, void *room,
                              hw_cpu_part *parts) {
    const hw_reduction_form *f = plan->form;
    const size_t n = (size_t)f->terms;
    const ptrdiff_t pitch = f->n_kept ? f->kept_in_stride[f->n_kept - 1] * f->in_bytes : 0;
    hw_fold_number numbers[HW_CPU_SHORT_RUNS];
    for (uint32_t i = 0, many; i < tile.n; i += many) {
        many = runs_at_once(plan, tile, i, pitch);
        const char *in = (const char *)f->in + hw_cpu_output_in(f, tile.first + i);
        const char *terms = hw_cpu_widened(plan, level, in, room, many * n);
        const ptrdiff_t apart = plan->widen == HW_CPU_AS_IS ? pitch : (ptrdiff_t)(n * plan->type_bytes);
        combine_runs(plan, level, terms, apart, many, n, numbers);
        for (uint32_t r = 0; r < many; r++, terms += apart) {
            const uint64_t index = plan->is_arg ? level->find[plan->type](terms, n, &numbers[r]) : 0;
            parts[i + r] = (hw_cpu_part){.number = numbers[r], .index = index, .terms = n};
        }
    }
}

void hw_cpu_reduce_runs(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, hw_cpu_tile tile, uint64_t first,
                        uint64_t n, void *room, hw_cpu_part *parts) {
    if (plan->whole_runs) {
        reduce_whole_runs(plan, level, tile, room, parts);
        return;
    }
    const bool chooses = plan->op == HW_FOLD_LEAST || plan->op == HW_FOLD_MOST;
    for (uint32_t i = 0; i < tile.n; i++) {
        const char *in = (const char *)plan->form->in + hw_cpu_output_in(plan->form, tile.first + i);
        hw_cpu_terms terms;
        hw_cpu_pairs pairs;
        pairs.n = 0;
        const void *block;
        uint64_t at = first;
        hw_cpu_terms_begin(&terms, plan, level, in, first, n);
        for (size_t some; (some = hw_cpu_terms_next(&terms, room, &block)); at += some) {
            if (chooses) {
                choose_from_run(plan, level, block, some, at, at == first, &parts[i]);
            } else if (some == n) {
                parts[i] = (hw_cpu_part){.number = combine_run(plan, level, block, some), .terms = some};
            } else {
                const hw_cpu_part part = {.number = combine_run(plan, level, block, some), .terms = some};
                hw_cpu_pairs_add(plan, &pairs, &part);
            }
        }
        if (pairs.n) parts[i] = hw_cpu_pairs_end(plan, &pairs);
    }
}
