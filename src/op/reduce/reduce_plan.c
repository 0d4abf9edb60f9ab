// Which kernel reduces an array, with how many lanes for each output and blocks for each of these.
#include "op/reduce/reduce_plan.h"

#include <string.h>

#include "base/integers.h"
#include "op/tune/tune.h"

enum { WORD_BYTES = 16, MOST_COUNTERS = 16384 };

static uint32_t power_of_two_from(uint64_t n, uint32_t most) {
    uint32_t power = 1;
    while (power < n && power < most) power *= 2;
    return power;
}

// ---- What is done with an element ----------------------------------------------------------------------------------

static bool is_integer(const hw_reduction_form *form) {
    return form->in_type.code == kDLInt || form->in_type.code == kDLUInt;
}

// Do 64 bits hold every sum of that many elements?
static bool is_wide_mean(const hw_reduction_form *form) {
    return form->reduction == HW_REDUCE_MEAN && is_integer(form) &&
           (form->in_type.bits == 64 || (form->in_type.bits == 32 && form->terms >> 32));
}

static void choose_fold(const hw_reduction_form *form, hw_reduce_plan *plan) {
    static const char *const folds[] = {
        [HW_REDUCE_SUM] = "sum_fold",       [HW_REDUCE_PRODUCT] = "product_fold", [HW_REDUCE_MIN] = "min_fold",
        [HW_REDUCE_MAX] = "max_fold",       [HW_REDUCE_ARGMIN] = "argmin_fold",   [HW_REDUCE_ARGMAX] = "argmax_fold",
        [HW_REDUCE_MEAN] = "mean_fold",     [HW_REDUCE_NORM] = "norm_fold",       [HW_REDUCE_VAR] = "var_fold",
        [HW_REDUCE_STD] = "std_fold",       [HW_REDUCE_ANY] = "any_fold",         [HW_REDUCE_ALL] = "all_fold",
        [HW_REDUCE_COUNT_NONZERO] = "count_fold",
    };
    const uint32_t value_bytes = form->in_bytes == 8 ? 8 : 4;
    plan->fold = is_wide_mean(form) ? "wide_mean_fold" : folds[form->reduction];
    switch (form->reduction) {
    case HW_REDUCE_MIN:
    case HW_REDUCE_MAX: plan->state_bytes = value_bytes; break;
    case HW_REDUCE_ARGMIN:
    case HW_REDUCE_ARGMAX: plan->state_bytes = value_bytes == 8 || plan->index64 ? 16 : 8; break;
    case HW_REDUCE_VAR:
    case HW_REDUCE_STD: plan->state_bytes = 24; break;
    case HW_REDUCE_ANY:
    case HW_REDUCE_ALL:
    case HW_REDUCE_COUNT_NONZERO: plan->state_bytes = 8; break;
    default: plan->state_bytes = is_wide_mean(form) ? 16 : is_integer(form) ? 8 : value_bytes;
    }
}

// ---- Axes -----------------------------------------------------------------------------------------------------------

// Broadcast axes (step 0) are the slowest.
static bool is_slower(const hw_reduce_axis *a, const hw_reduce_axis *b) {
    return b->step != 0 && (a->step == 0 || hw_magnitude(a->step) > hw_magnitude(b->step));
}

// The reduced axes by stride, the densest last, with the step of the index along each.
static uint32_t sort_reduced(const hw_reduction_form *form, hw_reduce_axis *axes, bool *is_ordered) {
    uint64_t index_step = 1;
    *is_ordered = true;
    for (uint32_t k = form->n_reduced; k-- > 0; index_step *= form->reduced[k])
        axes[k] = (hw_reduce_axis){form->reduced[k], form->reduced_stride[k], (int64_t)index_step};
    for (uint32_t k = 1; k < form->n_reduced; k++)
        for (uint32_t i = k; i && is_slower(&axes[i], &axes[i - 1]); i--) {
            const hw_reduce_axis moved = axes[i];
            axes[i] = axes[i - 1];
            axes[i - 1] = moved;
            *is_ordered = false;
        }
    if (form->n_reduced) return form->n_reduced;
    axes[0] = (hw_reduce_axis){form->terms, 0, 1};   // one term, or none
    return 1;
}

static void take_kept(const hw_reduction_form *form, uint32_t n, hw_reduce_plan *plan) {
    plan->n_kept = n;
    for (uint32_t k = 0; k < n; k++)
        plan->kept[k] = (hw_reduce_axis){form->kept[k], form->kept_in_stride[k], form->kept_out_stride[k]};
}

// The most elements, up to 16 bytes of them, that lie at a multiple of themselves wherever the axes lead.
static uint32_t aligned_vector(const hw_reduction_form *form, const hw_reduce_plan *plan) {
    uint64_t all = (uintptr_t)form->in / form->in_bytes | plan->along.n;
    for (uint32_t k = 0; k < plan->n_kept; k++) all |= hw_magnitude(plan->kept[k].step);
    for (uint32_t k = 0; k < plan->n_outer; k++) all |= hw_magnitude(plan->outer[k].step);
    uint32_t vector = WORD_BYTES / form->in_bytes;
    while (vector > 1 && all % vector) vector /= 2;
    return vector;
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

// Chooses the words in which rows are read: for short rows words at whose multiples all rows begin, for long rows full
// words, wherever rows begin.
static void choose_row_words(const hw_reduction_form *form, const hw_reduce_goals *goals, hw_reduce_plan *plan) {
    const uint32_t full = WORD_BYTES / form->in_bytes, aligned = aligned_vector(form, plan);
    plan->vector = 1;
    plan->aligned = true;
    if (plan->along.step != 1 || (!plan->ordered && plan->along.other_step != 1)) return;
    plan->vector = aligned;
    if (aligned == full || plan->along.n * form->in_bytes < goals->unaligned_row_bytes) return;
    plan->vector = full;
    plan->aligned = false;
}

// Chooses how many lanes share an output, each with some words. An output with more words than a warp takes gets a
// block, and a larger block where several blocks share an output.
static void choose_group(const hw_reduction_form *form, const hw_reduce_goals *goals, hw_reduce_plan *plan) {
    const uint64_t run_words = hw_divide_up(plan->along.n, plan->vector), words = run_words * plan->runs;
    const uint64_t warp_words = (uint64_t)32 * goals->row_words, warps = (uint64_t)goals->multiprocessors * 64;
    const bool is_block = words > warp_words && (form->outputs < warps || words > goals->warp_words);
    plan->threads = goals->row_threads;
    plan->unroll = goals->row_unroll;
    plan->group = is_block ? plan->threads : power_of_two_from(hw_divide_up(words, goals->row_words), 32);
    plan->inner = power_of_two_from(run_words, plan->group);
}

// Parts of outputs that are too few to keep the device busy: by words of a run, when there are more than a block takes
// at a time, or by runs.
static void choose_row_parts(const hw_reduction_form *form, const hw_reduce_goals *goals, hw_reduce_plan *plan) {
    const uint64_t wanted = (uint64_t)goals->multiprocessors * goals->blocks / form->outputs;
    const uint64_t most = hw_least(wanted, HW_REDUCE_SCRATCH_BYTES / plan->state_bytes / form->outputs);
    const uint64_t words = plan->along.n / plan->vector,
                   all_words = hw_divide_up(plan->along.n, plan->vector) * plan->runs;
    plan->run_parts = plan->word_parts = 1;
    if (form->outputs > MOST_COUNTERS || all_words < goals->block_words) return;
    plan->threads = plan->group = goals->threads;
    plan->unroll = goals->unroll;
    plan->inner = power_of_two_from(hw_divide_up(plan->along.n, plan->vector), plan->group);
    if (most < 2) return;
    const uint64_t run_lanes = plan->group / plan->inner;
    const uint64_t part_runs = run_lanes * (run_lanes > 1 ? goals->part_words : 1);
    plan->run_parts = (uint32_t)hw_least(most, hw_divide_up(plan->runs, part_runs));
    plan->word_parts =
        (uint32_t)hw_least(most / plan->run_parts, words / ((uint64_t)goals->threads * goals->part_words));
    if (!plan->word_parts) plan->word_parts = 1;
    if (words / plan->word_parts / goals->threads >= goals->long_words) plan->unroll = goals->long_unroll;
}

static void plan_rows(const hw_reduction_form *form, const hw_reduce_goals *goals, hw_reduce_plan *plan) {
    plan->way = HW_REDUCE_ROWS;
    take_kept(form, form->n_kept, plan);
    choose_row_words(form, goals, plan);
    choose_group(form, goals, plan);
    choose_row_parts(form, goals, plan);
    plan->tiles = hw_divide_up(form->outputs, plan->threads / plan->group);
    plan->blocks = plan->tiles * plan->run_parts * plan->word_parts;
    if (plan->run_parts * plan->word_parts > 1) plan->scratch_bytes = plan->blocks * plan->state_bytes;
}

// ---- Columns -------------------------------------------------------------------------------------------------------

static void choose_column_words(const hw_reduction_form *form, const hw_reduce_goals *goals, hw_reduce_plan *plan) {
    plan->vector = plan->along.step == 1 ? aligned_vector(form, plan) : 1;
    while (plan->vector > 1 && plan->threads * plan->vector * plan->state_bytes > goals->shared_bytes)
        plan->vector /= 2;
}

static void choose_column_parts(const hw_reduction_form *form, const hw_reduce_goals *goals, hw_reduce_plan *plan) {
    const uint64_t wanted = (uint64_t)goals->multiprocessors * goals->column_blocks / plan->tiles;
    const uint64_t tile_bytes = (uint64_t)plan->lanes * plan->vector * plan->state_bytes;
    const uint64_t most = hw_least(wanted, HW_REDUCE_SCRATCH_BYTES / tile_bytes / plan->tiles);
    const uint64_t rows = plan->threads / plan->lanes;
    plan->run_parts = plan->word_parts = 1;
    if (plan->tiles > MOST_COUNTERS || most < 2) return;
    plan->run_parts = (uint32_t)hw_least(most, form->terms / (rows * goals->column_rows));
    if (!plan->run_parts) plan->run_parts = 1;
    if (plan->run_parts > 1) plan->scratch_bytes = plan->run_parts * plan->tiles * tile_bytes;
}

// Where there are few rows each thread takes whole columns, if these are enough; else a thread takes some rows, and
// blocks are wider.
static void choose_column_block(const hw_reduction_form *form, const hw_reduce_goals *goals, uint64_t words,
                                hw_reduce_plan *plan) {
    const uint64_t all_words = words * (form->outputs / plan->along.n);
    uint32_t rows = 1;
    const uint64_t lanes = (uint64_t)goals->multiprocessors * goals->row_threads;
    if (form->terms <= goals->few_rows && all_words >= goals->whole_columns * lanes) {
        plan->threads = goals->row_threads;
        plan->unroll = goals->row_unroll;
    } else {
        rows = power_of_two_from(form->terms / goals->column_rows, plan->threads / goals->column_lanes);
    }
    plan->lanes = power_of_two_from(words, plan->threads / rows);
}

static void plan_columns(const hw_reduction_form *form, const hw_reduce_goals *goals, hw_reduce_plan *plan) {
    const uint32_t last = form->n_kept - 1;
    plan->way = HW_REDUCE_COLUMNS;
    plan->outer[plan->n_outer++] = plan->along;   // all reduced axes are walked
    take_kept(form, last, plan);
    plan->along = (hw_reduce_axis){form->kept[last], form->kept_in_stride[last], form->kept_out_stride[last]};
    plan->runs = form->terms;
    plan->threads = goals->column_threads;
    plan->unroll = goals->column_unroll;
    choose_column_words(form, goals, plan);
    const uint64_t words = hw_divide_up(plan->along.n, plan->vector);
    choose_column_block(form, goals, words, plan);
    plan->tiles = hw_divide_up(words, plan->lanes) * (form->outputs / plan->along.n);
    choose_column_parts(form, goals, plan);
    plan->blocks = plan->tiles * plan->run_parts;
}

// ---- All of it ------------------------------------------------------------------------------------------------------

// Beside the states a block has some words; and on old GPUs the kernel's parameters, which the axes are most of.
static uint32_t room_for_states(const hw_reduction_form *form, const hw_device_properties *device) {
    enum { MOST = 32 << 10, OTHERS = 64, PARAM_BYTES = 96, AXIS_BYTES = 32 };
    const uint32_t axes = form->n_kept + form->n_reduced + 2;
    const uint32_t room = hw_plan_static_shared_most(device, PARAM_BYTES + AXIS_BYTES * axes);
    return room > MOST + OTHERS ? MOST : room > OTHERS ? room - OTHERS : 0;
}

hw_reduce_goals hw_reduce_goals_for(const hw_reduction_form *form, const hw_device_properties *device) {
    hw_reduce_goals goals = hw_tune_for(device)->reduce;
    goals.multiprocessors = device->multiprocessors ? device->multiprocessors : 1;
    goals.l2_bytes = device->l2_bytes;
    goals.shared_bytes = room_for_states(form, device);
    return goals;
}

// Do lanes lie along the densest reduced axis? They do not where kept elements lie closer together, nor where runs are
// short and neighbouring runs belong to other outputs.
static bool has_rows(const hw_reduction_form *form, const hw_reduce_goals *goals, const hw_reduce_plan *plan) {
    if (form->n_kept == 0) return true;
    const uint64_t kept = (uint64_t)form->kept_in_stride[form->n_kept - 1], reduced = hw_magnitude(plan->along.step);
    if (kept == 0) return true;
    if (reduced == 0 || form->terms <= 1) return form->terms == 0;
    const bool is_short = plan->along.n * form->in_bytes < goals->short_run_bytes;
    if (plan->runs > 1 && is_short && kept <= plan->along.n * reduced) return false;
    return reduced < kept;
}

static bool fits_l2(const hw_reduction_form *form, const hw_reduce_goals *goals) {
    return goals->l2_bytes && form->outputs * form->terms * form->in_bytes <= goals->l2_bytes / 8 * goals->l2_eighths;
}

void hw_reduce_plan_make(const hw_reduction_form *form, const hw_reduce_goals *goals, hw_reduce_plan *plan) {
    const uint64_t most_index = ((uint64_t)1 << 31) - ((uint64_t)1 << 20);
    *plan = (hw_reduce_plan){0};
    plan->stays = fits_l2(form, goals);
    plan->index64 = form->terms > most_index || form->outputs > most_index;
    choose_fold(form, plan);
    plan->n_outer = sort_reduced(form, plan->outer, &plan->ordered) - 1;
    if (!hw_reduction_is_arg(form->reduction)) plan->ordered = true;
    plan->along = plan->outer[plan->n_outer];
    plan->runs = plan->along.n ? form->terms / plan->along.n : 1;
    if (has_rows(form, goals, plan)) plan_rows(form, goals, plan);
    else plan_columns(form, goals, plan);
}
