// f64 arithmetic that rounds to nearest: the rows are in isa/bodies/f64.def; directed rounding is in ops_rounded.c.
#include "exec/ops/float_lanes.h"
#include "exec/ops/row_bodies.h"

static inline uint64_t bits(double x) { return hw_double_bits(x); }
static inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
static inline double root(double x) { return __builtin_sqrt(x); }
static inline double with_sign(double x, double of) {
    return hw_bits_double((bits(x) & ~(1ull << 63)) | (bits(of) & 1ull << 63));
}
// NaN comes out quiet, with its sign.
static inline double quiet(double x) { return hw_bits_double(bits(x) | 1ull << 51); }
static inline double negative(double x) { return x == x ? -x : quiet(x); }
static inline double magnitude(double x) { return x == x ? hw_bits_double(bits(x) & ~(1ull << 63)) : quiet(x); }

static inline double result(double r, double a, double b, double c) { return hw_double_result(r, a, b, c); }

// Equal values have equal bits, but for zeros, whose bits as integers are in the order wanted. NaN loses.
static inline double lesser(double a, double b) {
    int take_a = (a < b) | ((a == b) & ((int64_t)bits(a) < (int64_t)bits(b)));
    double least = take_a ? a : b;
    return b == b ? least : a;
}

static inline double greater(double a, double b) {
    int take_a = (a > b) | ((a == b) & ((int64_t)bits(a) > (int64_t)bits(b)));
    double most = take_a ? a : b;
    return b == b ? most : a;
}

static inline double coarse(double x) { return hw_coarse_double(x); }
static inline double high_word(double x) { return hw_high_word(x); }

#include "isa/bodies/f64.def"

#include "exec/ops/row_table.h"
const hw_body_forms HW_LEVEL_NAME(hw_ops_f64)[] = {
#include "isa/bodies/f64.def"
};
