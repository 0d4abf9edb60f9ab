// f32 and f64 arithmetic with directed rounding: the rows are in isa/bodies/rounded.def. The processor's own rounding
// mode is set around the lanes of one instruction.
#include "exec/ops/float_lanes.h"
#include "exec/ops/value_f64.h"

static inline float canon(float x) { return hw_canonical(x); }
static inline float flush(float x) { return hw_ftz(x); }
static inline float sat(float x) { return hw_sat(x); }
static inline float root(float x) { return __builtin_sqrtf(x); }
// Where there is no instruction, the C library's are right in every rounding mode.
static inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

#define A a[i]
#define B b[i]
#define C c[i]

// A slot that the instruction does not have is not read: operands says how many there are.
#define ROUNDED(function, mode, operands, type, value)                                                \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {                                   \
        type *d = hw_at(w, in->d);                                                                    \
        const type *a = hw_at(w, in->a);                                                              \
        const type *b = operands > 1 ? hw_at(w, in->b) : a, *c = operands > 2 ? hw_at(w, in->c) : a;  \
        hw_round_state old = hw_round_enter(HW_ROUND_##mode);                                         \
        (void)b, (void)c;                                                                             \
        HW_LANES(d, value);                                                                           \
        hw_round_leave(old);                                                                          \
        HW_NEXT(w, in);                                                                               \
    }

#define UNARY32(name, function, mode, value) ROUNDED(function, mode, 1, float, value)
#define BINARY32(name, function, mode, value) ROUNDED(function, mode, 2, float, value)
#define TERNARY32(name, function, mode, value) ROUNDED(function, mode, 3, float, value)
#define UNARY64(name, function, mode, value) ROUNDED(function, mode, 1, double, value)
#define BINARY64(name, function, mode, value) ROUNDED(function, mode, 2, double, value)
#define TERNARY64(name, function, mode, value) ROUNDED(function, mode, 3, double, value)
// Pairs of floats, lane by lane: they are rare, and this makes less code.
#define ROUNDED_PAIR(function, mode, operands, result)                                                \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {                                   \
        uint64_t *d = hw_at(w, in->d);                                                                \
        const uint64_t *a = hw_at(w, in->a), *b = hw_at(w, in->b);                                    \
        const uint64_t *c = operands > 2 ? hw_at(w, in->c) : a;                                       \
        hw_round_state old = hw_round_enter(HW_ROUND_##mode);                                         \
        (void)c;                                                                                      \
        HW_EACH_ACTIVE_LANE(d[i] = result);                                                           \
        hw_round_leave(old);                                                                          \
        HW_NEXT(w, in);                                                                               \
    }
#define BINARY_PAIR(name, function, mode, value)                                                      \
    static inline float function##_half(float x, float y) { return value; }                           \
    ROUNDED_PAIR(function, mode, 2,                                                                   \
                 hw_float_pair(function##_half(hw_low_float(A), hw_low_float(B)),                     \
                               function##_half(hw_high_float(A), hw_high_float(B))))
#define TERNARY_PAIR(name, function, mode, value)                                                     \
    static inline float function##_half(float x, float y, float z) { return value; }                  \
    ROUNDED_PAIR(function, mode, 3,                                                                   \
                 hw_float_pair(function##_half(hw_low_float(A), hw_low_float(B), hw_low_float(C)),    \
                               function##_half(hw_high_float(A), hw_high_float(B), hw_high_float(C))))
#include "isa/bodies/rounded.def"
#undef BINARY_PAIR
#undef TERNARY_PAIR
#undef UNARY32
#undef BINARY32
#undef TERNARY32
#undef UNARY64
#undef BINARY64
#undef TERNARY64

#define UNARY32(name, function, mode, value) {function, NULL},
#define BINARY32(name, function, mode, value) {function, NULL},
#define TERNARY32(name, function, mode, value) {function, NULL},
#define UNARY64(name, function, mode, value) {function, NULL},
#define BINARY64(name, function, mode, value) {function, NULL},
#define TERNARY64(name, function, mode, value) {function, NULL},
#define BINARY_PAIR(name, function, mode, value) {function, NULL},
#define TERNARY_PAIR(name, function, mode, value) {function, NULL},
const hw_body_forms HW_LEVEL_NAME(hw_ops_rounded)[] = {
#include "isa/bodies/rounded.def"
};
