// Functions that rows of isa/bodies/setp.def name.
#ifndef HW_EXEC_VALUE_COMPARE_H
#define HW_EXEC_VALUE_COMPARE_H

#include "exec/ops/half.h"

#define unordered(a, b) __builtin_isunordered(a, b)
#define ordered_ne(a, b) __builtin_islessgreater(a, b)
static inline float ftz(float x) { return hw_ftz(x); }
static inline int finite_f32(float x) { return (hw_float_bits(x) & 0x7f800000u) != 0x7f800000u; }
static inline int infinite_f32(float x) { return (hw_float_bits(x) & 0x7fffffffu) == 0x7f800000u; }
static inline int subnormal_f32(float x) { return (hw_float_bits(x) & 0x7fffffffu) - 1u < 0x7fffffu; }
static inline int finite_f64(double x) { return (hw_double_bits(x) >> 52 & 0x7ff) != 0x7ff; }
static inline int infinite_f64(double x) { return hw_double_bits(x) << 1 == 0xffe0000000000000ull; }
static inline int subnormal_f64(double x) { return (hw_double_bits(x) & ~(1ull << 63)) - 1u < 0xfffffffffffffull; }

#endif
