// Conversions between float, double, half (f16) and bfloat16 in every rounding, as bit arithmetic without branches so
// that loops over lanes vectorise. Nothing here depends on the processor's rounding mode or flags.
//
// A NaN becomes the canonical one of the destination: 0x7fff (f16, bf16), 0x7fffffff (f32). PTX ISA 9.0, 9.7.9.21.
#ifndef HW_EXEC_HALF_H
#define HW_EXEC_HALF_H

#include <stdint.h>
#include <string.h>

// Roundings: to nearest even, towards zero, minus infinity, plus infinity.
typedef enum hw_round { HW_RN, HW_RZ, HW_RM, HW_RP } hw_round;

#define HW_HALF_NAN 0x7fffu
#define HW_FLOAT_NAN 0x7fffffffu

static inline uint32_t hw_float_bits(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}
static inline float hw_bits_float(uint32_t u) {
    float f;
    memcpy(&f, &u, 4);
    return f;
}
static inline uint64_t hw_double_bits(double f) {
    uint64_t u;
    memcpy(&u, &f, 8);
    return u;
}
static inline double hw_bits_double(uint64_t u) {
    double f;
    memcpy(&f, &u, 8);
    return f;
}

// Denormals become zeros of the same sign (.ftz).
static inline float hw_ftz(float f) {
    uint32_t u = hw_float_bits(f);
    return hw_bits_float((u & 0x7f800000u) ? u : u & 0x80000000u);
}

// .sat of floating-point results: to [0, 1], NaN and -0 to +0.
static inline float hw_sat(float f) { return f > 0.0f ? (f < 1.0f ? f : 1.0f) : 0.0f; }
static inline double hw_sat_double(double f) { return f > 0.0 ? (f < 1.0 ? f : 1.0) : 0.0; }

// .relu: negative values and -0 become +0; NaN stays, canonical.
static inline float hw_relu(float f) { return f > 0.0f ? f : f != f ? hw_bits_float(HW_FLOAT_NAN) : 0.0f; }

// 1 when a truncated magnitude has to grow by one unit. rest: the bits cut off; half: the highest of them.
static inline uint32_t hw_round_up(uint32_t kept, uint32_t rest, uint32_t half, uint32_t negative, hw_round mode) {
    uint32_t nearest = (uint32_t)(rest > half) | ((uint32_t)(rest == half) & kept & 1u);
    uint32_t inexact = rest != 0;
    return mode == HW_RN ? nearest : mode == HW_RM ? inexact & negative : mode == HW_RP ? inexact & (negative ^ 1u) : 0;
}

static inline float hw_half_to_float(uint16_t h) {
    uint32_t magnitude = (uint32_t)(h & 0x7fffu) << 13;
    uint32_t exponent = magnitude & 0x0f800000u;
    uint32_t normal = magnitude + (112u << 23);
    uint32_t special = magnitude + (224u << 23);   // infinities; NaNs are replaced below
    // A denormal is its mantissa times 2^-24: 2^-14 * (1 + m/2^10) - 2^-14, both exact.
    uint32_t denormal = hw_float_bits(hw_bits_float(magnitude + (113u << 23)) - hw_bits_float(113u << 23));
    uint32_t u = exponent == 0 ? denormal : exponent == 0x0f800000u ? special : normal;
    u |= (uint32_t)(h & 0x8000u) << 16;
    return hw_bits_float(magnitude > 0x0f800000u ? HW_FLOAT_NAN : u);
}

static inline uint16_t hw_float_to_half(float f, hw_round mode) {
    uint32_t u = hw_float_bits(f), negative = u >> 31, a = u & 0x7fffffffu, exponent = a >> 23;
    uint32_t mantissa = exponent ? (a & 0x7fffffu) | 0x800000u : a;
    uint32_t is_small = exponent < 113;   // below f16's normals
    uint32_t small_shift = 126u - (exponent < 113 ? exponent : 113);
    uint32_t shift = is_small ? (small_shift < 31 ? small_shift : 31) : 13;
    uint32_t kept = is_small ? mantissa >> shift : (a - (112u << 23)) >> 13;
    uint32_t rest = mantissa & ((1u << shift) - 1u);
    uint32_t h = kept + hw_round_up(kept, rest, 1u << (shift - 1), negative, mode);
    uint32_t away = mode == HW_RN || (mode == HW_RM && negative) || (mode == HW_RP && !negative);
    h = a >= 0x47800000u ? 0x7bffu + away : h;   // 65536 and more
    h = a == 0x7f800000u ? 0x7c00u : h;
    h |= negative << 15;
    return (uint16_t)(a > 0x7f800000u ? HW_HALF_NAN : h);
}

static inline float hw_bfloat_to_float(uint16_t h) {
    uint32_t u = (uint32_t)h << 16;
    return hw_bits_float((u & 0x7fffffffu) > 0x7f800000u ? HW_FLOAT_NAN : u);
}

static inline uint16_t hw_float_to_bfloat(float f, hw_round mode) {
    uint32_t u = hw_float_bits(f), kept = u >> 16;
    kept += hw_round_up(kept, u & 0xffffu, 0x8000u, u >> 31, mode);   // of an infinity nothing is cut off
    return (uint16_t)((u & 0x7fffffffu) > 0x7f800000u ? HW_HALF_NAN : kept);
}

// The neighbours of a finite float, one unit of its last place further from or nearer to minus infinity.
static inline float hw_float_next_up(float f) {
    uint32_t u = hw_float_bits(f);
    return hw_bits_float((u << 1) == 0 ? 1u : (u >> 31) ? u - 1u : u + 1u);
}
static inline float hw_float_next_down(float f) {
    uint32_t u = hw_float_bits(f);
    return hw_bits_float((u << 1) == 0 ? 0x80000001u : (u >> 31) ? u + 1u : u - 1u);
}

// Double to float. The nearest float is one step off at most; comparing it with the double says which way.
static inline float hw_double_to_float(double x, hw_round mode) {
    float f = (float)x;
    double back = (double)f;
    float low = back > x ? hw_float_next_down(f) : f;    // infinity steps down to the largest float
    float high = back < x ? hw_float_next_up(f) : f;
    // -0 and results that underflow keep the sign of x.
    float r = mode == HW_RN ? f : mode == HW_RM ? low : mode == HW_RP ? high : x < 0.0 ? high : low;
    uint32_t sign = (uint32_t)(hw_double_bits(x) >> 32) & 0x80000000u;
    uint32_t u = (hw_float_bits(r) & 0x7fffffffu) | sign;
    return hw_bits_float(x != x ? HW_FLOAT_NAN : u);
}

// Double to float, rounded to odd: what a second rounding to half or bfloat makes of it is what one rounding makes.
static inline float hw_double_to_float_odd(double x) {
    uint32_t exact = (double)(float)x == x;
    uint32_t u = hw_float_bits(hw_double_to_float(x, HW_RZ));
    return hw_bits_float(exact | (uint32_t)(x != x) ? u : u | 1u);
}
static inline uint16_t hw_double_to_half(double x, hw_round mode) {
    return hw_float_to_half(hw_double_to_float_odd(x), mode);
}
static inline uint16_t hw_double_to_bfloat(double x, hw_round mode) {
    return hw_float_to_bfloat(hw_double_to_float_odd(x), mode);
}

#endif
