// The approximate functions of the PTX ISA for one float, without branches or calls, so that loops over lanes become
// vector code. Better than the ISA asks for: a unit of the last place or two. No fused operations, so that every
// instruction-set level gives the same bits.
//
// The polynomials are minimax fits (Remez) with the errors noted, their coefficients rounded to float.
#ifndef HW_EXEC_APPROX_H
#define HW_EXEC_APPROX_H

#include "exec/ops/value_float.h"

// 2^x. x = n + f with |f| <= 1/2; 2^f to 2^-29; 2^n in two steps, so that subnormal results are rounded once.
static inline float hw_approx_ex2(float x) {
    float bounded = x < -152.0f ? -152.0f : x;
    bounded = bounded > 129.0f ? 129.0f : bounded;
    const float shift = 0x1.8p23f;    // adding it leaves no bits for a fraction
    float shifted = bounded + shift, f = bounded - (shifted - shift);
    float p = 0x1.41d328p-13f;
    p = p * f + 0x1.5f456ap-10f;
    p = p * f + 0x1.3b2dbcp-7f;
    p = p * f + 0x1.c6aed4p-5f;
    p = p * f + 0x1.ebfbdap-3f;
    p = p * f + 0x1.62e430p-1f;
    p = p * f + 1.0f;
    int32_t whole = (int32_t)(hw_float_bits(shifted) - hw_float_bits(shift));
    int32_t half = whole >> 1;
    float r = p * hw_bits_float((uint32_t)(half + 127) << 23);
    r = r * hw_bits_float((uint32_t)(whole - half + 127) << 23);
    return x == x ? r : hw_bits_float(HW_FLOAT_NAN);
}

// log2(x). x = 2^e * (1 + f) with 1 + f between sqrt(1/2) and sqrt(2); log2(1 + f) / f to 2^-27.8.
static inline float hw_approx_lg2(float x) {
    int is_small = x < 0x1p-126f;
    uint32_t bits = hw_float_bits(is_small ? x * 0x1p24f : x);
    int32_t e = (int32_t)(bits - 0x3f3504f3u) >> 23;
    float f = hw_bits_float(bits - ((uint32_t)e << 23)) - 1.0f;
    float p = -0x1.cec04ep-4f;
    p = p * f + 0x1.80abc0p-3f;
    p = p * f - 0x1.865fcep-3f;
    p = p * f + 0x1.a265dcp-3f;
    p = p * f - 0x1.eac698p-3f;
    p = p * f + 0x1.2782e6p-2f;
    p = p * f - 0x1.715a68p-2f;
    p = p * f + 0x1.ec7080p-2f;
    p = p * f - 0x1.715470p-1f;
    p = p * f + 0x1.715476p+0f;
    float r = f * p + (float)(e - (is_small ? 24 : 0));
    r = x == __builtin_inff() ? x : r;
    r = x == 0.0f ? -__builtin_inff() : r;
    return x >= 0.0f ? r : hw_bits_float(HW_FLOAT_NAN);
}

// sin(x + quarter * pi/2). x in revolutions: a float product cut towards zero, as an H200 computes it, so that large
// arguments are off by what they are off there, and from 2^26 on count as whole turns. Of the revolutions the fraction;
// then the nearest quarter of a turn and the distance h from it, at most 1/2 quarter; sine to 2^-27.6, cosine to 2^-34.
static inline float hw_approx_sine(float x, int quarter) {
    const double shift = 0x1.8p52;
    double turns = hw_bits_double(hw_double_bits((double)x * 0x1.45f306p-3) & ~0x1fffffffull);
    double fraction = turns - ((turns + shift) - shift);
    double quarters = 4.0 * (__builtin_fabsf(x) < 0x1p40f ? fraction : 0.0);
    double whole = (quarters + shift) - shift;
    float h = (float)(quarters - whole), y = h * h;
    int32_t turn = (int32_t)(float)whole + quarter;
    float s = -0x1.2d9bb8p-8f;
    s = s * y + 0x1.465ec6p-4f;
    s = s * y - 0x1.4abbbap-1f;
    s = s * y + 0x1.921fb6p+0f;
    s = s * h;
    float c = 0x1.d9f7bcp-11f;
    c = c * y - 0x1.55c664p-6f;
    c = c * y + 0x1.03c1dep-2f;
    c = c * y - 0x1.3bd3ccp+0f;
    c = c * y + 1.0f;
    float r = turn & 1 ? c : s;
    r = turn & 2 ? -r : r;
    return __builtin_fabsf(x) < __builtin_inff() ? r : hw_bits_float(HW_FLOAT_NAN);
}

// tanh(x): a polynomial to 2^-27.8 up to 0.625, from there 1 - 2 / (e^2x + 1).
static inline float hw_approx_tanh(float x) {
    float magnitude = __builtin_fabsf(x), y = x * x;
    float p = -0x1.76ac12p-8f;
    p = p * y + 0x1.5256d6p-6f;
    p = p * y - 0x1.b84448p-5f;
    p = p * y + 0x1.110768p-3f;
    p = p * y - 0x1.555534p-2f;
    float near_zero = x + x * (y * p);
    float bounded = magnitude < 10.0f ? magnitude : 10.0f;
    float away = 1.0f - 2.0f / (hw_approx_ex2(bounded * 0x1.715476p+1f) + 1.0f);
    float r = magnitude < 0.625f ? near_zero : away;
    uint32_t bits = (hw_float_bits(r) & 0x7fffffffu) | (hw_float_bits(x) & 0x80000000u);
    return x == x ? hw_bits_float(bits) : hw_bits_float(HW_FLOAT_NAN);
}

// a / b with what the ISA says of large divisors: 1/b is subnormal and counts as zero.
static inline float hw_approx_div(float a, float b) {
    float divisor = __builtin_fabsf(b) > 0x1p126f
                        ? hw_bits_float((hw_float_bits(b) & 0x80000000u) | 0x7f800000u) : b;
    return b == b ? a / divisor : b;
}

// As the rows of isa/bodies/approx.def name them.
static inline float quotient(float a, float b) { return hw_approx_div(a, b); }
static inline float sine(float x) { return hw_approx_sine(x, 0); }
static inline float cosine(float x) { return hw_approx_sine(x, 1); }
static inline float logarithm(float x) { return hw_approx_lg2(x); }
static inline float power(float x) { return hw_approx_ex2(x); }
static inline float tangent(float x) { return hw_approx_tanh(x); }

#endif
