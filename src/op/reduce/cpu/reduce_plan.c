// The choice of way, tiles and parts.
#include "op/reduce/cpu/reduce_plan.h"

#include <assert.h>

#include "base/integers.h"

#define MOST_PART ((uint64_t)1 << 30)   // rows are counted in 32 bits, and integers of 32 bits summed in 64

static void set_type(const hw_reduction_form *form, hw_cpu_reduce_plan *plan) {
    const uint32_t size = form->in_bytes == 1 ? 0 : form->in_bytes == 2 ? 1 : form->in_bytes == 4 ? 2 : 3;
    plan->type_bytes = form->in_bytes;
    switch (form->in_type.code) {
        case kDLInt: plan->type = (hw_fold_type)(HW_FOLD_I8 + size); return;
        case kDLUInt: plan->type = (hw_fold_type)(HW_FOLD_U8 + size); return;
        default: break;
    }
    plan->type = form->in_bytes == 8 ? HW_FOLD_F64 : HW_FOLD_F32;
    if (form->in_bytes != 2) return;
    plan->widen = form->in_type.code == kDLBfloat ? HW_CPU_WIDEN_BF16 : HW_CPU_WIDEN_F16;
    plan->type_bytes = 4;
}

static hw_fold_op op_of(const hw_cpu_reduce_plan *plan) {
    switch (plan->form->reduction) {
        case HW_REDUCE_PRODUCT: return HW_FOLD_MULTIPLY;
        case HW_REDUCE_MIN: case HW_REDUCE_ARGMIN: return HW_FOLD_LEAST;
        case HW_REDUCE_MAX: case HW_REDUCE_ARGMAX: return HW_FOLD_MOST;
        case HW_REDUCE_NORM: return HW_FOLD_SQUARES;
        case HW_REDUCE_VAR: case HW_REDUCE_STD: return HW_FOLD_SPREAD;
        case HW_REDUCE_ANY: case HW_REDUCE_ALL: case HW_REDUCE_COUNT_NONZERO: return HW_FOLD_COUNT;
        case HW_REDUCE_MEAN: return plan->type < HW_FOLD_F32 ? HW_FOLD_WIDE : HW_FOLD_ADD;
        default: return HW_FOLD_ADD;
    }
}

static uint64_t inner_length(uint32_t rank, const uint64_t *n) { return rank ? n[rank - 1] : 1; }

// Chooses the way that goes along neighbours in memory, unless these are few.
static void choose_reduce_way(hw_cpu_reduce_plan *plan) {
    const hw_reduction_form *f = plan->form;
    const uint64_t run = inner_length(f->n_reduced, f->reduced), row = inner_length(f->n_kept, f->kept);
    const int64_t step = f->n_reduced ? f->reduced_stride[f->n_reduced - 1] : 0,
                  side = f->n_kept ? f->kept_in_stride[f->n_kept - 1] : 0;
    plan->way = HW_CPU_REDUCE_RUNS;
    plan->rows_at_once = 1;
    if (f->n_kept && f->terms < HW_CPU_FEW_TERMS) plan->way = HW_CPU_REDUCE_COLUMNS;
    else if (f->n_kept && (int64_t)hw_magnitude(step) > side) {
        plan->way = HW_CPU_REDUCE_COLUMNS;
        const bool dense = f->n_kept == 1 && side == 1 && f->n_reduced == 1 && step == (int64_t)row;
        if (dense && row <= HW_FOLD_WIDTH / 4 && !plan->is_exact)
            plan->rows_at_once = (uint32_t)hw_least(HW_FOLD_WIDTH / row, f->terms);
        else if (row < HW_CPU_FEW_COLUMNS && f->outputs < HW_CPU_FEW_COLUMNS) plan->way = HW_CPU_REDUCE_RUNS;
    }
    if (plan->way == HW_CPU_REDUCE_RUNS)
        plan->contiguous = step == 1 && (run >= HW_CPU_CONTIGUOUS_RUN || f->n_reduced == 1);
    else plan->contiguous = side == 1 && (f->n_kept == 1 || row >= HW_CPU_CONTIGUOUS_ROW) && !plan->is_exact;
    plan->whole_runs = plan->way == HW_CPU_REDUCE_RUNS && plan->contiguous && f->terms == run && run <= HW_FOLD_BLOCK;
}

static void choose_tiles(hw_cpu_reduce_plan *plan) {
    const hw_reduction_form *f = plan->form;
    const bool has_many = f->outputs / HW_CPU_SHORT_RUNS >= HW_CPU_MANY_TILES;
    const bool runs_are_short = f->terms < HW_CPU_SHORT_RUN && has_many && !plan->is_exact;
    plan->width = plan->way == HW_CPU_REDUCE_RUNS ? (runs_are_short ? HW_CPU_SHORT_RUNS : 1)
                : plan->is_exact ? HW_CPU_EXACT_OUTPUTS : plan->contiguous ? HW_FOLD_WIDTH : HW_CPU_GATHERED;
    if (plan->way == HW_CPU_REDUCE_COLUMNS && plan->contiguous) {
        const uint64_t row = inner_length(f->n_kept, f->kept);
        plan->tiles = f->outputs / row * hw_divide_up(row, plan->width);
    } else {
        plan->tiles = hw_divide_up(f->outputs, plan->width);
    }
}

static void choose_parts(hw_cpu_reduce_plan *plan) {
    const uint64_t terms = plan->form->terms;
    const bool runs = plan->way == HW_CPU_REDUCE_RUNS;
    uint64_t parts = 1, unit = runs ? HW_FOLD_BLOCK : (uint64_t)HW_FOLD_DEPTH * plan->rows_at_once;
    if (plan->tiles < HW_CPU_MANY_TILES) {
        const uint64_t least = runs ? HW_CPU_LEAST_PART : HW_CPU_LEAST_PART_ROWS * plan->rows_at_once;
        parts = hw_least(terms / least + 1, (runs ? HW_CPU_MOST_PARTS : HW_CPU_MANY_TILES) / plan->tiles + 1);
    }
    plan->part_terms = hw_divide_up(hw_divide_up(terms, parts), unit) * unit;
    if (plan->part_terms > MOST_PART) plan->part_terms = MOST_PART / unit * unit;
    plan->parts = hw_divide_up(terms, plan->part_terms);
    // Each part has at least one full row of `rows_at_once` rows.
    if (plan->parts > 1 && terms - (plan->parts - 1) * plan->part_terms < plan->rows_at_once) plan->parts--;
}

static bool sums_are_results(const hw_cpu_reduce_plan *plan) {
    const hw_reduction_form *f = plan->form;
    const bool is_whole = plan->way == HW_CPU_REDUCE_COLUMNS && plan->parts == 1 && plan->rows_at_once == 1;
    const bool is_quotient_or_root = f->reduction == HW_REDUCE_MEAN || f->reduction == HW_REDUCE_NORM;
    const bool is_other = plan->op == HW_FOLD_COUNT || plan->op == HW_FOLD_SPREAD;   // sums are of another type
    const bool is_final = !plan->is_arg && !is_other && !plan->is_exact && plan->widen == HW_CPU_AS_IS &&
                          (plan->type >= HW_FOLD_F32 || !is_quotient_or_root);
    return is_whole && is_final && f->kept_out_stride[f->n_kept - 1] == 1 && (f->n_kept == 1 || plan->contiguous);
}

void hw_cpu_reduce_plan_make(const hw_reduction_form *form, hw_cpu_reduce_plan *plan) {
    assert(form->outputs && form->terms);
    *plan = (hw_cpu_reduce_plan){.form = form, .is_arg = hw_reduction_is_arg(form->reduction),
                                 .is_exact = (form->flags & HW_REDUCE_EXACT) != 0};
    set_type(form, plan);
    plan->op = op_of(plan);
    plan->in_pairs = plan->op == HW_FOLD_SQUARES || (plan->op == HW_FOLD_ADD && plan->type >= HW_FOLD_F32);
    choose_reduce_way(plan);
    choose_tiles(plan);
    choose_parts(plan);
    plan->writes_rows = sums_are_results(plan);
}

static uint64_t bytes_per_thread(const hw_cpu_reduce_plan *plan) {
    if (!plan->contiguous) return HW_CPU_REDUCE_GATHERED_THREAD_BYTES;
    return plan->is_exact || plan->whole_runs || plan->widen != HW_CPU_AS_IS ? HW_CPU_REDUCE_SLOW_THREAD_BYTES
                                                                            : HW_CPU_REDUCE_THREAD_BYTES;
}

uint32_t hw_cpu_reduce_threads(const hw_cpu_reduce_plan *plan, uint32_t most) {
    const hw_reduction_form *f = plan->form;
    const uint64_t bytes = f->outputs * f->terms * f->in_bytes;
    return (uint32_t)hw_least(most, hw_least(bytes / bytes_per_thread(plan) + 1, plan->tiles * plan->parts));
}

hw_cpu_tile hw_cpu_reduce_tile(const hw_cpu_reduce_plan *plan, uint64_t index) {
    uint64_t row = plan->form->outputs, first = 0;
    if (plan->way == HW_CPU_REDUCE_COLUMNS && plan->contiguous) {
        row = inner_length(plan->form->n_kept, plan->form->kept);
        const uint64_t per_row = hw_divide_up(row, plan->width);
        first = index / per_row * row;
        index %= per_row;
    }
    const uint64_t at = index * plan->width;
    return (hw_cpu_tile){first + at, (uint32_t)hw_least(plan->width, row - at)};
}
