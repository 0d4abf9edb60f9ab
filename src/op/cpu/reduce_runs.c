// Output by output, along its terms.
#include "op/cpu/reduce_terms.h"
#include "op/cpu/reduce_ways.h"

static hw_fold_number combine(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, const void *block, size_t n) {
    hw_fold_number number = {0};
    const bool narrow = plan->op == HW_FOLD_WIDE && !level->run[HW_FOLD_WIDE][plan->type];
    level->run[narrow ? HW_FOLD_ADD : plan->op][plan->type](block, n, &number);
    if (narrow) number.wide = plan->type < HW_FOLD_U8 ? (__int128)number.i : (__int128)number.u;
    return number;
}

// Which term it is, the first of equal ones, is looked up where the result is an index.
static void choose(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, const void *block, size_t n,
                   uint64_t first, bool is_first, hw_cpu_part *best) {
    hw_cpu_part part = {.number = combine(plan, level, block, n)};
    if (!is_first && !hw_cpu_part_is_better(plan, &part.number, &best->number)) return;
    if (plan->is_arg) part.index = first + level->find[plan->type](block, n, &part.number);
    *best = part;
}

void hw_cpu_reduce_runs(const hw_cpu_reduce_plan *plan, const hw_fold_level *level, hw_cpu_tile tile, uint64_t first,
                        uint64_t n, void *room, hw_cpu_part *parts) {
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
                choose(plan, level, block, some, at, at == first, &parts[i]);
            } else if (some == n) {
                parts[i] = (hw_cpu_part){.number = combine(plan, level, block, some)};
            } else {
                const hw_cpu_part part = {.number = combine(plan, level, block, some)};
                hw_cpu_pairs_add(plan, &pairs, &part);
            }
        }
        if (pairs.n) parts[i] = hw_cpu_pairs_end(plan, &pairs);
    }
}
