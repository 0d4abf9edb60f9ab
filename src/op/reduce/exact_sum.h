// Sums of f32 or f64 that forget nothing and are rounded once. The number is that of kernels/common/exact.cuh; here are
// its additions on the processor.
#ifndef HW_OP_EXACT_SUM_H
#define HW_OP_EXACT_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HW_EXACT_LIMBS = 69, HW_EXACT_GROUPS = 16, HW_EXACT_COPIES = 4 };

typedef struct hw_exact_sum {
    bool f64;                      // what is summed, and what the result is
    uint32_t flags;                // EXACT_NAN and the others
    uint64_t added;                // to the limbs since carries were passed on
    uint64_t grouped;              // to the groups since they were emptied
    long long limbs[HW_EXACT_LIMBS];
    // f32: sums in f64 of terms with similar exponents, exact up to 2^14 terms each; several, so that one addition need
    // not wait for the other.
    double groups[HW_EXACT_COPIES][HW_EXACT_GROUPS];
} hw_exact_sum;

void hw_exact_clear(hw_exact_sum *sum, bool f64);

// Adds n terms side by side, finite or not, at no alignment. The order of all terms does not change a bit of the
// result.
// Cost: at memory speed where blocks of 4096 terms of f32 lie within 55 powers of two (f64: 26), or have no bits below;
// else 3 ns (6 ns) a term.
void hw_exact_add_f32(hw_exact_sum *sum, const float *terms, size_t n);
void hw_exact_add_f64(hw_exact_sum *sum, const double *terms, size_t n);

// Adds what another sum of the same type holds.
void hw_exact_merge(hw_exact_sum *sum, hw_exact_sum *other);

// The sum divided by count, below 2^48 (1: the sum itself), rounded once to the nearest number of the type, ties to
// even: the bits of an f32 or f64. As exact arithmetic would have it: a NaN, or infinities of both signs, give a NaN; a
// result beyond the largest number an infinity; a sum of 0 is +0 unless every term was -0, and -0 when there was none.
// The sum is used up.
uint64_t hw_exact_result(hw_exact_sum *sum, uint64_t count);

#endif
