// Whether strided arrays share memory: a bounded linear equation in whole numbers, searched depth first.
//
// The largest factor comes first. What the smaller ones can still reach bounds each unknown from both sides, and their
// greatest common divisor leaves only every so-manyth value of it. For the nested strides of ordinary arrays one value
// is left at each level, and the search is a walk. (NumPy's mem_overlap.c solves the same equation.)
#include "op/common/overlap.h"

#include <assert.h>

#include "base/integers.h"

enum { MOST_STEPS = 1 << 14 };

typedef struct search {
    const hw_overlap_term *terms;
    uint32_t n_terms, steps;
    int64_t reach[HW_OVERLAP_TERMS + 1];     // of the terms from here on: the largest sum, the common divisor
    int64_t divisor[HW_OVERLAP_TERMS + 1];   // 0 past the last
} search;

// The greatest common divisor of numbers that are not negative.
static int64_t common_divisor(int64_t a, int64_t b) { return (int64_t)hw_common_divisor((uint64_t)a, (uint64_t)b); }

// x with a * x = 1 modulo m, for a and m without common divisor, m > 1.
static int64_t inverse_modulo(int64_t a, int64_t m) {
    int64_t r = m, next_r = a % m, x = 0, next_x = 1;
    while (next_r) {
        int64_t quotient = r / next_r, rest = r - quotient * next_r, rest_x = x - quotient * next_x;
        r = next_r;
        next_r = rest;
        x = next_x;
        next_x = rest_x;
    }
    return x < 0 ? x + m : x;
}

// The smallest x >= 0 for which target - factor * x is a multiple of the later terms' divisor, and the distance between
// any two such x.
static void find_lattice(int64_t factor, int64_t target, int64_t divisor, int64_t *first, int64_t *step) {
    int64_t g = common_divisor(divisor, factor), m = divisor / g;
    *first = 0;
    *step = m;
    if (m > 1) *first = (int64_t)((__int128)((target / g) % m) * inverse_modulo(factor / g, m) % m);
}

static hw_overlap search_terms(search *s, uint32_t level, int64_t target) {
    if (target < 0 || target > s->reach[level]) return HW_OVERLAP_NO;
    if (level == s->n_terms) return HW_OVERLAP_YES;
    if (target % s->divisor[level]) return HW_OVERLAP_NO;
    const hw_overlap_term *term = &s->terms[level];
    int64_t least = 0, most = target / term->factor, rest = target - s->reach[level + 1];
    if (rest > 0) least = (rest - 1) / term->factor + 1;
    if (most > term->most) most = term->most;
    if (level + 1 == s->n_terms) return least <= most ? HW_OVERLAP_YES : HW_OVERLAP_NO;
    int64_t first, step;
    find_lattice(term->factor, target, s->divisor[level + 1], &first, &step);
    if (first < least) first += (int64_t)hw_align_up((uint64_t)(least - first), (uint64_t)step);
    for (int64_t x = first; x <= most; x += step) {
        if (++s->steps > MOST_STEPS) return HW_OVERLAP_UNKNOWN;
        hw_overlap below = search_terms(s, level + 1, target - x * term->factor);
        if (below != HW_OVERLAP_NO) return below;
        if (step > most - x) break;
    }
    return HW_OVERLAP_NO;
}

// Sorts the terms, the largest factor first. Terms with equal factors become one; a term whose unknown can only be 0
// goes.
static uint32_t order_terms(hw_overlap_term *terms, uint32_t n) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        hw_overlap_term term = terms[i];
        if (!term.most) continue;
        uint32_t at = kept;
        while (at && terms[at - 1].factor < term.factor) at--;
        if (at && terms[at - 1].factor == term.factor) {
            terms[at - 1].most += term.most;
            continue;
        }
        for (uint32_t k = kept; k > at; k--) terms[k] = terms[k - 1];
        terms[at] = term;
        kept++;
    }
    return kept;
}

hw_overlap hw_overlap_solve(hw_overlap_term *terms, uint32_t n_terms, int64_t target) {
    assert(n_terms <= HW_OVERLAP_TERMS);
    search s = {.terms = terms, .n_terms = order_terms(terms, n_terms)};
    for (uint32_t i = s.n_terms; i-- > 0;) {
        s.reach[i] = s.reach[i + 1] + terms[i].factor * terms[i].most;
        s.divisor[i] = common_divisor(terms[i].factor, s.divisor[i + 1]);
    }
    return search_terms(&s, 0, target);
}

// Two different elements differ first in one axis, by 1 or more, and in the axes after it by anything. They share
// memory when their distance is 0.
static hw_overlap differ_first_in(uint32_t axis, uint32_t rank, const uint64_t *n, const int64_t *stride) {
    hw_overlap_term terms[HW_OVERLAP_TERMS];
    uint32_t n_terms = 0;
    int64_t target = -(int64_t)hw_magnitude(stride[axis]);
    if (n[axis] < 2) return HW_OVERLAP_NO;
    if (!stride[axis]) return HW_OVERLAP_YES;
    terms[n_terms++] = (hw_overlap_term){(int64_t)hw_magnitude(stride[axis]), (int64_t)n[axis] - 2};
    for (uint32_t k = axis + 1; k < rank; k++) {
        int64_t most = (int64_t)n[k] - 1;
        if (!most || !stride[k]) continue;   // a stride of 0 is found as an axis of its own
        terms[n_terms++] = (hw_overlap_term){(int64_t)hw_magnitude(stride[k]), 2 * most};
        target += most * (int64_t)hw_magnitude(stride[k]);
    }
    return hw_overlap_solve(terms, n_terms, target);
}

hw_overlap hw_overlap_self(uint32_t rank, const uint64_t *n, const int64_t *stride) {
    hw_overlap worst = HW_OVERLAP_NO;
    for (uint32_t axis = 0; axis < rank; axis++) {
        hw_overlap found = differ_first_in(axis, rank, n, stride);
        if (found == HW_OVERLAP_YES) return found;
        if (found == HW_OVERLAP_UNKNOWN) worst = found;
    }
    return worst;
}
