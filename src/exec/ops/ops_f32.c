// f32 arithmetic that rounds to nearest: the rows are in isa/bodies/f32.def; directed rounding is in ops_rounded.c,
// approximations are in ops_approx.c.
#include "exec/ops/float_lanes.h"
#include "exec/ops/row_bodies.h"

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

#define PAIR_2(name, function, value)                                                             \
    static inline float function##_half(float x, float y) { return value; }                       \
    BINARY(name, function, u64, u64,                                                              \
           hw_float_pair(function##_half(hw_low_float(A), hw_low_float(B)),                       \
                         function##_half(hw_high_float(A), hw_high_float(B))))
#define PAIR_3(name, function, value)                                                             \
    static inline float function##_half(float x, float y, float z) { return value; }              \
    TERNARY(name, function, u64, u64,                                                             \
            hw_float_pair(function##_half(hw_low_float(A), hw_low_float(B), hw_low_float(C)),     \
                          function##_half(hw_high_float(A), hw_high_float(B), hw_high_float(C))))
#include "isa/bodies/f32.def"

#undef PAIR_2
#undef PAIR_3
#define PAIR_2(name, function, value) {function, function##_convoy},
#define PAIR_3(name, function, value) {function, function##_convoy},
#include "exec/ops/row_table.h"
const hw_body_forms HW_LEVEL_NAME(hw_ops_f32)[] = {
#include "isa/bodies/f32.def"
};
