// The inner loops of the processor's reductions: one table per instruction-set level, all made from fold_body.h. What
// they compute, to the bit, does not depend on the level.
#ifndef HW_OP_CPU_FOLD_H
#define HW_OP_CPU_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/processor.h"

// Types that are computed with; f16 and bf16 are widened to f32 first.
typedef enum hw_fold_type {
    HW_FOLD_I8, HW_FOLD_I16, HW_FOLD_I32, HW_FOLD_I64, HW_FOLD_U8, HW_FOLD_U16, HW_FOLD_U32,
    HW_FOLD_U64, HW_FOLD_F32, HW_FOLD_F64, HW_FOLD_TYPES
} hw_fold_type;

// What terms are combined by. LEAST and MOST serve argmin and argmax as well.
typedef enum hw_fold_op {
    HW_FOLD_ADD,        // integers in 64 bits, modulo 2^64
    HW_FOLD_MULTIPLY,   // alike
    HW_FOLD_LEAST,      // NaN where there is one; -0.0 lies below 0.0
    HW_FOLD_MOST,
    HW_FOLD_SQUARES,    // sum of squares, integers in f64
    HW_FOLD_WIDE,       // sum in 128 bits; integers of 64 bits
    HW_FOLD_COUNT,      // how many are not 0, in 64 bits
    HW_FOLD_SPREAD,     // mean, and sum of squared distances from it, in f64
    HW_FOLD_OPS
} hw_fold_op;

// A sum, a product, or an element.
typedef union hw_fold_number {
    int64_t i;
    uint64_t u;
    float f;
    double d;
    __int128 wide;
    struct {
        double mean, squares;
    } spread;
} hw_fold_number;

enum {
    HW_FOLD_BLOCK = 4096,   // terms that a run takes at most
    HW_FOLD_WIDTH = 2048,   // columns at most
    HW_FOLD_DEPTH = 128,    // rows after which sums of floats in columns are put aside
};

// Combines the n terms of each of some runs, 1 to HW_FOLD_BLOCK of them side by side; the runs lie pitch bytes apart.
// Floats are summed in 32 (f64: 16) lanes, which are then added in pairs.
typedef void hw_fold_run(const void *terms, ptrdiff_t pitch, size_t n_runs, size_t n, hw_fold_number *results);
// The first term that equals value, or is NaN where value is; n: none.
typedef size_t hw_fold_find(const void *terms, size_t n, const hw_fold_number *value);
// sums[c] = combination of sums[c] and rows[r][c] for all r, one after the other; rows lie pitch bytes apart. Sums of
// integers are 64 bits wide; WIDE: the sums of the lower 32 bits, and HW_FOLD_WIDTH later of the upper ones. LEAST and
// MOST keep elements.
typedef void hw_fold_columns(void *sums, const char *rows, ptrdiff_t pitch, size_t n_rows, size_t n);
// LEAST and MOST of columns with the rows that hold them, the first of equal ones (zeros are equal here); rows are
// counted from first_row.
typedef void hw_fold_columns_at(void *best, uint32_t *row, const char *rows, ptrdiff_t pitch, size_t n_rows, size_t n,
                                  uint32_t first_row);

// Adds rows to columns of which n_before are in already: their means, and HW_FOLD_WIDTH later the sums of squared
// distances. Row by row, as Welford does.
typedef void hw_fold_columns_spread(double *means, const char *rows, ptrdiff_t pitch, size_t n_rows, size_t n,
                                    uint64_t n_before);

typedef struct hw_fold_level {
    const char *name;   // "base", "avx2", "avx512"
    hw_fold_run *run[HW_FOLD_OPS][HW_FOLD_TYPES];
    hw_fold_find *find[HW_FOLD_TYPES];
    hw_fold_columns *columns[HW_FOLD_OPS][HW_FOLD_TYPES];
    hw_fold_columns_at *least_at[HW_FOLD_TYPES], *most_at[HW_FOLD_TYPES];
    hw_fold_columns_spread *spread[HW_FOLD_TYPES];
    void (*widen_f16)(float *to, const uint16_t *from, size_t n);
    void (*widen_bf16)(float *to, const uint16_t *from, size_t n);
    // n terms, 1 to HW_FOLD_BLOCK, as a sum of two f64 that is exact (the two depend on the level); false: they are too
    // different for that, or not finite. *all_minus_zero is told.
    bool (*exact_f32)(const float *terms, size_t n, double sum[2], bool *all_minus_zero);
    bool (*exact_f64)(const double *terms, size_t n, double sum[2], bool *all_minus_zero);
} hw_fold_level;

// NULL where this processor does not run the level.
const hw_fold_level *hw_fold_level_at(hw_simd_level level);
const hw_fold_level *hw_fold_level_best(void);

extern const hw_fold_level hw_fold_base, hw_fold_avx2, hw_fold_avx512;

#endif
