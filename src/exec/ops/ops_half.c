// f16 and bf16 arithmetic, single and in pairs: the rows are in isa/bodies/half.def. Every result is rounded once, to
// nearest. f32 has twice the bits of f16 (more of bf16) plus two, so a sum or a product rounded to f32 and then to 16
// bits is what one rounding gives (Figueroa, When is double rounding innocuous?, 1995). Where that does not hold
// (fma; products of bf16 that are subnormal in f32), the first rounding is "to odd": an inexact result gets its last
// bit set, so that the second rounding sees which side of a tie it is on.
#include "exec/ops/half_lanes.h"

// Halves below 2^-14 become zeros of their sign: operands, and results before they are rounded. A result half a unit
// below 2^-14 or nearer rounds to 2^-14 and stays.
static inline float flush(float x) {
    return __builtin_fabsf(x) < 0x1p-14f - 0x1p-25f ? hw_bits_float(hw_float_bits(x) & 0x80000000u) : x;
}

// a * b + c of halves, rounded to odd. The product of halves is exact.
static inline float fused(float a, float b, float c) {
    float product = a * b, sum = product + c;
    float t = sum - product, error = (product - (sum - t)) + (c - t);
    uint32_t bits = hw_float_bits(sum);
    uint32_t step = (hw_float_bits(error) ^ bits) >> 31 ? 0xffffffffu : 1u;
    uint32_t inexact = (error < 0) | (error > 0);    // 0 for the NaN that an infinite sum makes
    return hw_bits_float(bits + (inexact & ~bits & 1 ? step : 0));
}

static inline float odd_float(double x) {
    float f = (float)x;
    double back = f;
    uint32_t bits = hw_float_bits(f), inexact = (back < x) | (back > x);
    uint32_t step = __builtin_fabs(back) < __builtin_fabs(x) ? 1u : 0xffffffffu;
    return hw_bits_float(bits + (inexact & ~bits & 1 ? step : 0));
}

// The same of bf16, whose products need the exponents of double.
static inline float product(float a, float b) { return odd_float((double)a * b); }
static inline float fused_brain(float a, float b, float c) {
    double product = (double)a * b, sum = product + c;
    double t = sum - product, error = (product - (sum - t)) + (c - t);
    uint64_t bits = hw_double_bits(sum);
    uint64_t step = (hw_double_bits(error) ^ bits) >> 63 ? (uint64_t)-1 : 1;
    uint64_t inexact = (error < 0) | (error > 0);
    return odd_float(hw_bits_double(bits + (inexact & ~bits & 1 ? step : 0)));
}

// Halves as bits. Infinity is 0x7c00 of f16 and 0x7f80 of bf16; what is above it is NaN.
static inline int is_nan(uint32_t x, uint32_t infinity) { return (x & 0x7fff) > infinity; }
static inline uint32_t canonical(uint32_t x, uint32_t infinity) { return is_nan(x, infinity) ? HW_HALF_NAN : x; }
static inline uint32_t ftz(uint32_t x) { return x & 0x7c00 ? x : x & 0x8000; }

// Orders halves as their values are ordered, -0 before +0.
static inline int32_t rank(uint32_t x) { return x & 0x8000 ? -1 - (int32_t)(x & 0x7fff) : (int32_t)(x & 0x7fff); }

// NaN loses.
static inline uint32_t lesser(uint32_t a, uint32_t b, uint32_t infinity) {
    uint32_t least = rank(a) < rank(b) ? a : b;
    least = is_nan(a, infinity) ? b : least;
    return canonical(is_nan(b, infinity) ? a : least, infinity);
}

static inline uint32_t greater(uint32_t a, uint32_t b, uint32_t infinity) {
    uint32_t most = rank(a) > rank(b) ? a : b;
    most = is_nan(a, infinity) ? b : most;
    return canonical(is_nan(b, infinity) ? a : most, infinity);
}

static inline uint32_t nan_wins(uint32_t a, uint32_t b, uint32_t result, uint32_t infinity) {
    return is_nan(a, infinity) | is_nan(b, infinity) ? HW_HALF_NAN : result;
}

static inline uint32_t signed_as(uint32_t sign, uint32_t magnitude, uint32_t infinity) {
    return is_nan(magnitude, infinity) ? HW_HALF_NAN : magnitude | (sign & 0x8000);
}

// The values of n halves, computed as floats. A slot that the instruction does not have is not read.
#define AS_FLOATS(function, n, operands, from, to, value)                          \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {                \
        float a[n], b[n], c[n], r[n];                                              \
        uint16_t rounded[n];                                                       \
        from(a, hw_at(w, in->a), n);                                               \
        from(b, hw_at(w, operands > 1 ? in->b : in->a), n);                        \
        from(c, hw_at(w, operands > 2 ? in->c : in->a), n);                        \
        HW_LANE_LOOP for (int i = 0; i < n; i++) {                                 \
            float A = a[i], B = b[i], C = c[i];                                    \
            (void)A, (void)B, (void)C;                                             \
            r[i] = (value);                                                        \
        }                                                                          \
        to(rounded, r, n);                                                         \
        hw_store_halves(w, hw_at(w, in->d), rounded, n);                           \
        HW_NEXT(w, in);                                                            \
    }
#define HALF_2(name, function, value) AS_FLOATS(function, 32, 2, hw_from_halves, hw_to_halves, value)
#define HALF_3(name, function, value) AS_FLOATS(function, 32, 3, hw_from_halves, hw_to_halves, value)
#define HALF_2_PAIRS(name, function, value) AS_FLOATS(function, 64, 2, hw_from_halves, hw_to_halves, value)
#define HALF_3_PAIRS(name, function, value) AS_FLOATS(function, 64, 3, hw_from_halves, hw_to_halves, value)
#define BRAIN_2(name, function, value) AS_FLOATS(function, 32, 2, hw_from_bfloats, hw_to_bfloats, value)
#define BRAIN_3(name, function, value) AS_FLOATS(function, 32, 3, hw_from_bfloats, hw_to_bfloats, value)
#define BRAIN_2_PAIRS(name, function, value) AS_FLOATS(function, 64, 2, hw_from_bfloats, hw_to_bfloats, value)
#define BRAIN_3_PAIRS(name, function, value) AS_FLOATS(function, 64, 3, hw_from_bfloats, hw_to_bfloats, value)

// The values of n halves, computed from their bits.
#define AS_BITS(function, n, operands, value)                                      \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {                \
        const uint16_t *a = hw_at(w, in->a), *b = hw_at(w, operands > 1 ? in->b : in->a); \
        uint16_t r[n];                                                             \
        HW_LANE_LOOP for (int i = 0; i < n; i++) {                                 \
            uint32_t A = a[i], B = b[i];                                           \
            (void)A, (void)B;                                                      \
            r[i] = (uint16_t)(value);                                              \
        }                                                                          \
        hw_store_halves(w, hw_at(w, in->d), r, n);                                 \
        HW_NEXT(w, in);                                                            \
    }
#define BITS_1(name, function, value) AS_BITS(function, 32, 1, value)
#define BITS_2(name, function, value) AS_BITS(function, 32, 2, value)
#define BITS_1_PAIRS(name, function, value) AS_BITS(function, 64, 1, value)
#define BITS_2_PAIRS(name, function, value) AS_BITS(function, 64, 2, value)
#include "isa/bodies/half.def"
#undef HALF_2
#undef HALF_2_PAIRS
#undef HALF_3
#undef HALF_3_PAIRS
#undef BRAIN_2
#undef BRAIN_2_PAIRS
#undef BRAIN_3
#undef BRAIN_3_PAIRS
#undef BITS_1
#undef BITS_1_PAIRS
#undef BITS_2
#undef BITS_2_PAIRS

#define HALF_2(name, function, value) {function, NULL},
#define HALF_2_PAIRS(name, function, value) {function, NULL},
#define HALF_3(name, function, value) {function, NULL},
#define HALF_3_PAIRS(name, function, value) {function, NULL},
#define BRAIN_2(name, function, value) {function, NULL},
#define BRAIN_2_PAIRS(name, function, value) {function, NULL},
#define BRAIN_3(name, function, value) {function, NULL},
#define BRAIN_3_PAIRS(name, function, value) {function, NULL},
#define BITS_1(name, function, value) {function, NULL},
#define BITS_1_PAIRS(name, function, value) {function, NULL},
#define BITS_2(name, function, value) {function, NULL},
#define BITS_2_PAIRS(name, function, value) {function, NULL},
const hw_body_forms HW_LEVEL_NAME(hw_ops_half)[] = {
#include "isa/bodies/half.def"
};
