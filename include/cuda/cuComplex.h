// Complex numbers as pairs: cuFloatComplex and cuDoubleComplex.
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_
#ifdef __clang__
#pragma clang system_header
#endif

#include <math.h>

#include "vector_types.h"

#define __HALFWARP_COMPLEX__ static __inline__ __host__ __device__

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

__HALFWARP_COMPLEX__ float cuCrealf(cuFloatComplex z) { return z.x; }
__HALFWARP_COMPLEX__ float cuCimagf(cuFloatComplex z) { return z.y; }
__HALFWARP_COMPLEX__ cuFloatComplex make_cuFloatComplex(float real, float imaginary) {
    cuFloatComplex z;
    z.x = real;
    z.y = imaginary;
    return z;
}
__HALFWARP_COMPLEX__ cuComplex make_cuComplex(float real, float imaginary) {
    return make_cuFloatComplex(real, imaginary);
}
__HALFWARP_COMPLEX__ cuFloatComplex cuConjf(cuFloatComplex z) { return make_cuFloatComplex(z.x, -z.y); }
__HALFWARP_COMPLEX__ cuFloatComplex cuCaddf(cuFloatComplex a, cuFloatComplex b) {
    return make_cuFloatComplex(a.x + b.x, a.y + b.y);
}
__HALFWARP_COMPLEX__ cuFloatComplex cuCsubf(cuFloatComplex a, cuFloatComplex b) {
    return make_cuFloatComplex(a.x - b.x, a.y - b.y);
}
__HALFWARP_COMPLEX__ cuFloatComplex cuCmulf(cuFloatComplex a, cuFloatComplex b) {
    return make_cuFloatComplex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
// Scaled by the larger part of the divisor, so that its square cannot overflow.
__HALFWARP_COMPLEX__ cuFloatComplex cuCdivf(cuFloatComplex a, cuFloatComplex b) {
    float scale = 1.0f / (fabsf(b.x) + fabsf(b.y));
    float ar = a.x * scale, ai = a.y * scale, br = b.x * scale, bi = b.y * scale, s = 1.0f / (br * br + bi * bi);
    return make_cuFloatComplex((ar * br + ai * bi) * s, (ai * br - ar * bi) * s);
}
__HALFWARP_COMPLEX__ float cuCabsf(cuFloatComplex z) { return hypotf(z.x, z.y); }
__HALFWARP_COMPLEX__ cuFloatComplex cuCfmaf(cuFloatComplex a, cuFloatComplex b, cuFloatComplex c) {
    return make_cuFloatComplex(fmaf(-a.y, b.y, fmaf(a.x, b.x, c.x)), fmaf(a.y, b.x, fmaf(a.x, b.y, c.y)));
}

__HALFWARP_COMPLEX__ double cuCreal(cuDoubleComplex z) { return z.x; }
__HALFWARP_COMPLEX__ double cuCimag(cuDoubleComplex z) { return z.y; }
__HALFWARP_COMPLEX__ cuDoubleComplex make_cuDoubleComplex(double real, double imaginary) {
    cuDoubleComplex z;
    z.x = real;
    z.y = imaginary;
    return z;
}
__HALFWARP_COMPLEX__ cuDoubleComplex cuConj(cuDoubleComplex z) { return make_cuDoubleComplex(z.x, -z.y); }
__HALFWARP_COMPLEX__ cuDoubleComplex cuCadd(cuDoubleComplex a, cuDoubleComplex b) {
    return make_cuDoubleComplex(a.x + b.x, a.y + b.y);
}
__HALFWARP_COMPLEX__ cuDoubleComplex cuCsub(cuDoubleComplex a, cuDoubleComplex b) {
    return make_cuDoubleComplex(a.x - b.x, a.y - b.y);
}
__HALFWARP_COMPLEX__ cuDoubleComplex cuCmul(cuDoubleComplex a, cuDoubleComplex b) {
    return make_cuDoubleComplex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__HALFWARP_COMPLEX__ cuDoubleComplex cuCdiv(cuDoubleComplex a, cuDoubleComplex b) {
    double scale = 1.0 / (fabs(b.x) + fabs(b.y));
    double ar = a.x * scale, ai = a.y * scale, br = b.x * scale, bi = b.y * scale, s = 1.0 / (br * br + bi * bi);
    return make_cuDoubleComplex((ar * br + ai * bi) * s, (ai * br - ar * bi) * s);
}
__HALFWARP_COMPLEX__ double cuCabs(cuDoubleComplex z) { return hypot(z.x, z.y); }
__HALFWARP_COMPLEX__ cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c) {
    return make_cuDoubleComplex(fma(-a.y, b.y, fma(a.x, b.x, c.x)), fma(a.y, b.x, fma(a.x, b.y, c.y)));
}

__HALFWARP_COMPLEX__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
    return make_cuFloatComplex((float)z.x, (float)z.y);
}
__HALFWARP_COMPLEX__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
    return make_cuDoubleComplex((double)z.x, (double)z.y);
}

#undef __HALFWARP_COMPLEX__

#endif
