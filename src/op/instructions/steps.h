// What each step of a chain gives, for comparison: the functions of kernels/instructions/steps.cuh by the same names.
#ifndef HW_OP_INSTRUCTIONS_STEPS_H
#define HW_OP_INSTRUCTIONS_STEPS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define STEP(name, type) static inline type name(type x, type y, type a, type b)
#define UNUSED (void)x, (void)y, (void)a, (void)b

STEP(f32_add, float) { UNUSED; return x + a; }
STEP(f32_mul, float) { UNUSED; return x * a; }
STEP(f32_mad, float) { UNUSED; return fmaf(x, a, b); }
STEP(f32_rcp, float) { UNUSED; return 1 / x + a; }
STEP(f32_fdividef, float) { UNUSED; return a / x + b; }
STEP(f32_div, float) { UNUSED; return x / a; }
STEP(f32_rsqrt, float) { UNUSED; return 1 / sqrtf(x); }
STEP(f32_sqrt, float) { UNUSED; return sqrtf(x); }
STEP(f32_sqrt_rn, float) { UNUSED; return sqrtf(x); }
STEP(f32_lg2, float) { UNUSED; return log2f(x) + a; }
STEP(f32_sin, float) { UNUSED; return sinf(x); }
STEP(f32_ex2, float) { UNUSED; return exp2f(x * a); }
STEP(f32_max, float) { UNUSED; return x > y ? x : y; }
STEP(f64_add, double) { UNUSED; return x + a; }
STEP(f64_mad, double) { UNUSED; return fma(x, a, b); }
STEP(f16x2_mad, uint32_t) { UNUSED; return x; }          // times one, and nothing added
STEP(s32_add, uint32_t) { UNUSED; return x + y; }
STEP(s32_mul, uint32_t) { UNUSED; return x * y; }
STEP(s32_mul24, uint32_t) { UNUSED; return (x & 0xffffff) * (y & 0xffffff); }
STEP(s32_mad, uint32_t) { UNUSED; return x * y + a; }
STEP(s32_div, uint32_t) { UNUSED; return y / a + x; }
STEP(s32_max, uint32_t) { UNUSED; return (int32_t)x > (int32_t)y ? x : y; }
STEP(s32_xor, uint32_t) { UNUSED; return x ^ y; }
STEP(s32_shl, uint32_t) { UNUSED; return x << (b & 31); }
STEP(s32_popc, uint32_t) { UNUSED; return (uint32_t)__builtin_popcount(x); }
STEP(s32_cvt, uint32_t) {
    const float f = (float)x;
    uint32_t bits;
    UNUSED;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}
#undef STEP
#undef UNUSED

#endif
