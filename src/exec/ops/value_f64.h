// Functions of doubles that rows of isa/bodies/f64.def name.
#ifndef HW_EXEC_VALUE_F64_H
#define HW_EXEC_VALUE_F64_H

#include "exec/ops/value_float.h"

static inline double fused_64(double a, double b, double c) { return __builtin_fma(a, b, c); }
static inline double root_64(double x) { return __builtin_sqrt(x); }
static inline double with_sign_64(double x, double of) {
    return hw_bits_double((hw_double_bits(x) & ~(1ull << 63)) | (hw_double_bits(of) & 1ull << 63));
}
// NaN comes out quiet, with its sign.
static inline double quiet_64(double x) { return hw_bits_double(hw_double_bits(x) | 1ull << 51); }
static inline double negative_64(double x) { return x == x ? -x : quiet_64(x); }
static inline double magnitude_64(double x) {
    return x == x ? hw_bits_double(hw_double_bits(x) & ~(1ull << 63)) : quiet_64(x);
}

// Of operands that are NaNs with different payloads b's goes before a's, and both before c's, as an H100 has it where
// ptxas leaves their order. C compilers exchange operands, and x86 takes the first one's.
static inline double keeping(double r, double x) { return x == x ? r : x + x; }
static inline double result(double r, double a, double b, double c) { return hw_double_result(r, a, b, c); }

// Equal values have equal bits, but for zeros, whose bits as integers are in the order wanted. NaN loses.
static inline double lesser_64(double a, double b) {
    int take_a = (a < b) | ((a == b) & ((int64_t)hw_double_bits(a) < (int64_t)hw_double_bits(b)));
    double least = take_a ? a : b;
    return b == b ? least : a;
}

static inline double greater_64(double a, double b) {
    int take_a = (a > b) | ((a == b) & ((int64_t)hw_double_bits(a) > (int64_t)hw_double_bits(b)));
    double most = take_a ? a : b;
    return b == b ? most : a;
}

static inline double coarse(double x) { return hw_coarse_double(x); }
static inline double high_word(double x) { return hw_high_word(x); }

#endif
