// Functions of floats that rows of isa/bodies/f32.def and approx.def name.
#ifndef HW_EXEC_VALUE_F32_H
#define HW_EXEC_VALUE_F32_H

#include "exec/ops/value_float.h"

static inline uint32_t bits(float x) { return hw_float_bits(x); }
static inline float canon(float x) { return hw_canonical(x); }
static inline float flush(float x) { return hw_ftz(x); }
static inline float sat(float x) { return hw_sat(x); }
static inline float fused(float a, float b, float c) { return hw_fma_float(a, b, c); }
static inline float root(float x) { return __builtin_sqrtf(x); }
static inline float with_sign(float x, uint32_t of) {
    return hw_bits_float((bits(x) & 0x7fffffffu) | (of & 0x80000000u));
}
static inline float magnitude(float x) { return hw_bits_float(bits(x) & 0x7fffffffu); }

// Equal values have equal bits, but for zeros, whose bits as integers are in the order wanted. NaN loses.
static inline float lesser(float a, float b) {
    int take_a = (a < b) | ((a == b) & ((int32_t)bits(a) < (int32_t)bits(b)));
    float least = take_a ? a : b;
    return b == b ? least : canon(a);
}

static inline float greater(float a, float b) {
    int take_a = (a > b) | ((a == b) & ((int32_t)bits(a) > (int32_t)bits(b)));
    float most = take_a ? a : b;
    return b == b ? most : canon(a);
}

static inline float nan_wins(float a, float b, float result) {
    return __builtin_isunordered(a, b) ? hw_bits_float(HW_FLOAT_NAN) : result;
}

static inline float xorsign(float a, float b, float result) { return canon(with_sign(result, bits(a) ^ bits(b))); }

#endif
