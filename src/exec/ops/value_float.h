// Functions of one float or double that several groups of bodies share: canonical NaNs, pairs, fma without the
// instruction. float_lanes.h has the rules.
#ifndef HW_EXEC_VALUE_FLOAT_H
#define HW_EXEC_VALUE_FLOAT_H

#include "exec/ops/half.h"
#include "exec/ops/value_types.h"

#define HW_DOUBLE_NAN 0xfff8000000000000ull

// The halves of a 64-bit lane that holds two floats, the low one first.
static inline float hw_low_float(uint64_t pair) { return hw_bits_float((uint32_t)pair); }
static inline float hw_high_float(uint64_t pair) { return hw_bits_float((uint32_t)(pair >> 32)); }
static inline uint64_t hw_float_pair(float low, float high) {
    return (uint64_t)hw_float_bits(high) << 32 | hw_float_bits(low);
}

// Any NaN becomes the canonical one.
static inline float hw_canonical(float x) { return x == x ? x : hw_bits_float(HW_FLOAT_NAN); }

// r, the result of an f64 operation on a, b and c. A NaN that no operand brought along is 0xfff8000000000000, which x86
// makes by itself.
static inline double hw_double_result(double r, double a, double b, double c) {
#if defined(__x86_64__)
    (void)a, (void)b, (void)c;
    return r;
#else
    return r != r && a == a && b == b && c == c ? hw_bits_double(HW_DOUBLE_NAN) : r;
#endif
}

// Of rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64. The operand: its high word, flushed when subnormal.
static inline double hw_coarse_double(double x) {
    uint64_t high = hw_double_bits(x) & 0xffffffff00000000ull;
    uint64_t flushed = high & 0x7ff0000000000000ull ? high : high & 1ull << 63;
    return hw_bits_double(flushed);    // a NaN whose payload is in the low word alone becomes infinity, as on hardware
}

// The result: rounded to what a high word holds, flushed when subnormal; a NaN is 0x7fffffff00000000.
static inline double hw_high_word(double x) {
    uint64_t rounded = (hw_double_bits(x) + 0x80000000ull) & 0xffffffff00000000ull;
    uint64_t flushed = rounded & 0x7ff0000000000000ull ? rounded : rounded & 1ull << 63;
    return hw_bits_double(x == x ? flushed : 0x7fffffff00000000ull);
}

// a * b + c rounded once. Processors without the instruction get it through a double, whose last bit is made to say
// that the sum was inexact ("round to odd": Boldo and Melquiond, Emulation of FMA, 2008), so that rounding it to float
// rounds once. Only for rounding to nearest.
static inline float hw_fma_float(float a, float b, float c) {
#if defined(__FMA__) || defined(__AVX512F__) || defined(__aarch64__)
    return __builtin_fmaf(a, b, c);
#else
    double product = (double)a * b, sum = product + c;    // the product is exact
    double t = sum - product, error = (product - (sum - t)) + (c - t);
    uint64_t bits = hw_double_bits(sum);
    uint64_t step = (hw_double_bits(error) ^ bits) >> 63 ? (uint64_t)-1 : 1;
    int inexact = error < 0 || error > 0;                 // false for the NaN that an infinite sum makes
    return (float)hw_bits_double(bits + (inexact && !(bits & 1) ? step : 0));
#endif
}

#endif
