// Numbers of all kinds, joined and written.
#include "op/reduce/cpu/reduce_part.h"

#include <math.h>
#include <string.h>

#include "op/common/family.h"

// The member of hw_fold_number that holds a number.
typedef enum kind { SIGNED, UNSIGNED, SINGLE, DOUBLE, WIDE, SPREAD } kind;

static kind kind_of(const hw_cpu_reduce_plan *plan) {
    if (plan->op == HW_FOLD_WIDE) return WIDE;
    if (plan->op == HW_FOLD_COUNT) return UNSIGNED;
    if (plan->op == HW_FOLD_SPREAD) return SPREAD;
    if (plan->type == HW_FOLD_F32) return SINGLE;
    if (plan->type == HW_FOLD_F64 || plan->op == HW_FOLD_SQUARES) return DOUBLE;
    if (plan->op == HW_FOLD_ADD || plan->op == HW_FOLD_MULTIPLY) return UNSIGNED;
    return plan->type < HW_FOLD_U8 ? SIGNED : UNSIGNED;
}

#define IS_BETTER(a, b) (least ? (a) < (b) : (a) > (b))
// Equal numbers of two signs are zeros.
#define IS_BETTER_FLOAT(a, b)                                                                                          \
    (IS_BETTER(a, b) || (isnan(a) && !isnan(b)) || (!plan->is_arg && (a) == (b) && signbit(least ? (a) : (b))))

bool hw_cpu_part_is_better(const hw_cpu_reduce_plan *plan, const hw_fold_number *later, const hw_fold_number *part) {
    const bool least = plan->op == HW_FOLD_LEAST;
    switch (kind_of(plan)) {
        case SIGNED: return IS_BETTER(later->i, part->i);
        case UNSIGNED: return IS_BETTER(later->u, part->u);
        case SINGLE: return IS_BETTER_FLOAT(later->f, part->f);
        default: return IS_BETTER_FLOAT(later->d, part->d);
    }
}

static void add_numbers(kind k, hw_fold_number *a, const hw_fold_number *b) {
    switch (k) {
        case WIDE: a->wide += b->wide; break;
        case SINGLE: a->f += b->f; break;
        case DOUBLE: a->d += b->d; break;
        default: a->u += b->u; break;
    }
}

static void multiply_numbers(kind k, hw_fold_number *a, const hw_fold_number *b) {
    switch (k) {
        case SINGLE: a->f *= b->f; break;
        case DOUBLE: a->d *= b->d; break;
        default: a->u *= b->u; break;
    }
}

// Joins the means and squares of two parts. `apart * weight` is computed first: with means that are far apart it does
// not overflow where one part weighs nothing beside the other.
static void join_spreads(hw_cpu_part *part, const hw_cpu_part *later) {
    const double apart = later->number.spread.mean - part->number.spread.mean;
    const double n = (double)part->terms, share = (double)later->terms / (double)(part->terms + later->terms);
    part->number.spread.mean += apart * share;
    part->number.spread.squares += later->number.spread.squares + apart * (apart * (n * share));
    part->terms += later->terms;
}

void hw_cpu_part_join(const hw_cpu_reduce_plan *plan, hw_cpu_part *part, const hw_cpu_part *later) {
    switch (plan->op) {
        case HW_FOLD_LEAST:
        case HW_FOLD_MOST:
            if (hw_cpu_part_is_better(plan, &later->number, &part->number)) *part = *later;
            break;
        case HW_FOLD_SPREAD: join_spreads(part, later); break;
        case HW_FOLD_MULTIPLY: multiply_numbers(kind_of(plan), &part->number, &later->number); break;
        default: add_numbers(kind_of(plan), &part->number, &later->number); break;
    }
}

static void write_result(const hw_reduction_form *form, void *out, double value) {
    if (form->out_bytes == 4) {   // what most results are
        const float narrow = (float)value;
        memcpy(out, &narrow, sizeof narrow);
        return;
    }
    hw_dtype_set(form->out_type, out, 0, value);
}

// Sums begin with -0, which changes no term; what is left of it becomes +0, as NumPy's.
static bool is_sum(const hw_reduction_form *form) {
    return form->reduction == HW_REDUCE_SUM || form->reduction == HW_REDUCE_MEAN;
}

static double spread_of(const hw_reduction_form *form, const hw_fold_number *x) {
    const double n = (double)form->terms - hw_reduction_ddof(form), variance = x->spread.squares / (n > 0 ? n : 0);
    return form->reduction == HW_REDUCE_STD ? sqrt(variance) : variance;
}

// Counts are 64 bits wide, truths a byte.
static void write_count(const hw_reduction_form *form, uint64_t count, void *out) {
    const uint64_t value = form->reduction == HW_REDUCE_ANY ? count != 0
                         : form->reduction == HW_REDUCE_ALL ? count == form->terms : count;
    memcpy(out, &value, form->out_bytes);   // the low bytes come first
}

void hw_cpu_part_finish(const hw_cpu_reduce_plan *plan, const hw_cpu_part *part, void *out) {
    const hw_reduction_form *form = plan->form;
    const double n = (double)form->terms;
    if (plan->is_arg) {
        memcpy(out, &part->index, sizeof part->index);
        return;
    }
    if (plan->op == HW_FOLD_COUNT) {
        write_count(form, part->number.u, out);
        return;
    }
    const bool mean = form->reduction == HW_REDUCE_MEAN, norm = form->reduction == HW_REDUCE_NORM;
    const hw_fold_number *x = &part->number;
    const float f = is_sum(form) ? x->f + 0.0f : x->f;
    const double d = is_sum(form) ? x->d + 0.0 : x->d;
    switch (kind_of(plan)) {
        case WIDE: write_result(form, out, (double)x->wide / n); break;
        case SPREAD: write_result(form, out, spread_of(form, x)); break;
        case SINGLE: write_result(form, out, mean ? f / (float)n : norm ? sqrtf(f) : f); break;
        case DOUBLE: write_result(form, out, mean ? d / n : norm ? sqrt(d) : d); break;
        default: memcpy(out, &x->u, form->out_bytes); break;   // the low bytes come first
    }
}

void hw_cpu_part_finish_row(const hw_cpu_reduce_plan *plan, void *sums, uint32_t n) {
    const bool mean = plan->form->reduction == HW_REDUCE_MEAN, norm = plan->form->reduction == HW_REDUCE_NORM;
    const double terms = (double)plan->form->terms;
    const bool sum = is_sum(plan->form);
    float *f = sums;
    double *d = sums;
    if (plan->type == HW_FOLD_F32) {
        for (uint32_t c = 0; sum && c < n; c++) f[c] += 0.0f;
        for (uint32_t c = 0; mean && c < n; c++) f[c] /= (float)terms;
        for (uint32_t c = 0; norm && c < n; c++) f[c] = sqrtf(f[c]);
    } else if (plan->type == HW_FOLD_F64) {
        for (uint32_t c = 0; sum && c < n; c++) d[c] += 0.0;
        for (uint32_t c = 0; mean && c < n; c++) d[c] /= terms;
        for (uint32_t c = 0; norm && c < n; c++) d[c] = sqrt(d[c]);
    }
}

void hw_cpu_reduce_nothing(const hw_reduction_form *form, void *out) {
    const bool mean = form->reduction == HW_REDUCE_MEAN || hw_reduction_is_spread(form->reduction);
    if (hw_reduction_is_count(form->reduction)) write_count(form, 0, out);
    else write_result(form, out, mean ? NAN : form->reduction == HW_REDUCE_PRODUCT ? 1 : 0);
}

void hw_cpu_pairs_add(const hw_cpu_reduce_plan *plan, hw_cpu_pairs *pairs, const hw_cpu_part *part) {
    hw_cpu_part now = *part;
    int level = 0;
    for (uint64_t n = pairs->n++; n & 1; n >>= 1, level++) {
        hw_cpu_part joined = pairs->of[level];
        hw_cpu_part_join(plan, &joined, &now);
        now = joined;
    }
    pairs->of[level] = now;
}

hw_cpu_part hw_cpu_pairs_end(const hw_cpu_reduce_plan *plan, hw_cpu_pairs *pairs) {
    int level = 0;
    while (!(pairs->n >> level & 1)) level++;
    hw_cpu_part all = pairs->of[level];
    for (level++; level < 64 && pairs->n >> level; level++) {
        if (!(pairs->n >> level & 1)) continue;
        hw_cpu_part joined = pairs->of[level];
        hw_cpu_part_join(plan, &joined, &all);
        all = joined;
    }
    return all;
}
