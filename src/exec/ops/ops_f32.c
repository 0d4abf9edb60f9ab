// f32 arithmetic that rounds to nearest: the rows are in isa/bodies/f32.def; directed rounding is in ops_rounded.c,
// approximations are in ops_approx.c.
#include "exec/ops/float_lanes.h"
#include "exec/ops/row_bodies.h"
#include "exec/ops/value_f32.h"

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
