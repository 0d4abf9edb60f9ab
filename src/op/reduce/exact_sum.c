// Exact sums on the processor: most blocks of terms are summed in two f64 by vectors (op/reduce/cpu/fold_body.h), which
// notice when they would lose a bit. A block that would lose a bit is added term by term.
#include "op/reduce/exact_sum.h"

#include <string.h>

#include "kernels/common/exact.cuh"
#include "op/reduce/cpu/fold.h"

_Static_assert((int)HW_EXACT_LIMBS == (int)EXACT_LIMBS_F64, "the limbs of f64");

enum { MOST_ADDED = 1 << 29, MOST_GROUPED = 1 << 14 };

static uint64_t bits_of_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static int n_limbs(const hw_exact_sum *sum) { return sum->f64 ? EXACT_LIMBS_F64 : EXACT_LIMBS_F32; }

void hw_exact_clear(hw_exact_sum *sum, bool f64) {
    memset(sum, 0, sizeof *sum);
    sum->f64 = f64;
}

// A finite number, whose bits all lie within the limbs.
static void add_finite(hw_exact_sum *sum, double value) {
    int place;
    exact_limb significand = exact_significand(bits_of_double(value), &place);
    if (!significand) return;
    if (!sum->f64) place += EXACT_LOW_F64 - EXACT_LOW_F32;
    if (place < 0) {   // the lowest bits are zeros
        significand /= (exact_limb)1 << -place;
        place = 0;
    }
    if (++sum->added > MOST_ADDED) {
        exact_carry(sum->limbs, n_limbs(sum));
        sum->added = 1;
    }
    const exact_pieces p = exact_split(significand, place);
    for (int i = 0; i < 3; i++) sum->limbs[p.index + i] += p.piece[i];
}

static void add_any(hw_exact_sum *sum, double value) {
    const uint32_t flags = exact_flags(bits_of_double(value));
    sum->flags |= flags;
    if (!(flags & (EXACT_NAN | EXACT_PLUS_INFINITY | EXACT_MINUS_INFINITY))) add_finite(sum, value);
}

static void empty_groups(hw_exact_sum *sum) {
    for (int c = 0; c < HW_EXACT_COPIES; c++)
        for (int g = 0; g < HW_EXACT_GROUPS; g++) {
            if (sum->groups[c][g] != 0) add_any(sum, sum->groups[c][g]);   // or is a NaN
            sum->groups[c][g] = 0;
        }
    sum->grouped = 0;
}

// A group has 16 exponents: 39 bits for a term. Infinities and NaNs are in the last one.
static void add_to_group(double *groups, float term) {
    uint32_t bits;
    memcpy(&bits, &term, sizeof bits);
    groups[bits >> 27 & (HW_EXACT_GROUPS - 1)] += (double)term;
}

static void add_by_groups(hw_exact_sum *sum, const float *terms, size_t n) {
    if (sum->grouped + n / HW_EXACT_COPIES + 1 > MOST_GROUPED) empty_groups(sum);
    sum->grouped += n / HW_EXACT_COPIES + 1;
    size_t k = 0;
    for (; k + HW_EXACT_COPIES <= n; k += HW_EXACT_COPIES)
        for (int c = 0; c < HW_EXACT_COPIES; c++) add_to_group(sum->groups[c], terms[k + c]);
    for (int c = 0; k < n; k++, c++) add_to_group(sum->groups[c], terms[k]);
}

void hw_exact_add_f32(hw_exact_sum *sum, const float *terms, size_t n) {
    const hw_fold_level *level = hw_fold_level_best();
    for (size_t some; n; n -= some, terms += some) {
        double found[2];
        bool all_minus_zero;
        some = n < HW_FOLD_BLOCK ? n : HW_FOLD_BLOCK;
        const bool exact = level->exact_f32(terms, some, found, &all_minus_zero);
        if (!all_minus_zero) sum->flags |= EXACT_NOT_MINUS_ZERO;
        if (!exact) {
            add_by_groups(sum, terms, some);
        } else {
            add_finite(sum, found[0]);
            add_finite(sum, found[1]);
        }
    }
}

void hw_exact_add_f64(hw_exact_sum *sum, const double *terms, size_t n) {
    const hw_fold_level *level = hw_fold_level_best();
    for (size_t some; n; n -= some, terms += some) {
        double found[2];
        bool all_minus_zero;
        some = n < HW_FOLD_BLOCK ? n : HW_FOLD_BLOCK;
        const bool exact = level->exact_f64(terms, some, found, &all_minus_zero);
        if (!all_minus_zero) sum->flags |= EXACT_NOT_MINUS_ZERO;
        if (!exact) {
            for (size_t k = 0; k < some; k++) add_any(sum, terms[k]);
        } else {
            add_finite(sum, found[0]);
            add_finite(sum, found[1]);
        }
    }
}

void hw_exact_merge(hw_exact_sum *sum, hw_exact_sum *other) {
    empty_groups(other);
    exact_carry(other->limbs, n_limbs(other));
    if (++sum->added > MOST_ADDED) {
        exact_carry(sum->limbs, n_limbs(sum));
        sum->added = 1;
    }
    for (int i = 0; i < n_limbs(sum); i++) sum->limbs[i] += other->limbs[i];
    sum->flags |= other->flags;
}

uint64_t hw_exact_result(hw_exact_sum *sum, uint64_t count) {
    empty_groups(sum);
    return exact_result(sum->limbs, sum->f64, sum->flags, count);
}
