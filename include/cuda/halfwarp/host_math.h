// CUDA's own math functions on the host, where the C library does not have them. Accuracy is that of the formulas in
// double; the float versions round the double result.
#ifndef __HALFWARP_HOST_MATH_H__
#define __HALFWARP_HOST_MATH_H__

#include <math.h>

#if !(defined(__GLIBC_PREREQ) && __GLIBC_PREREQ(2, 42))
static inline double rsqrt(double x) { return 1.0 / ::sqrt(x); }
static inline float rsqrtf(float x) { return (float)(1.0 / ::sqrt((double)x)); }
#endif

#if !(defined(__GLIBC_PREREQ) && __GLIBC_PREREQ(2, 41))
// Reduced to [-1, 1] exactly before the multiplication by pi, so that multiples of one half come out exact.
static inline double sinpi(double x) {
    double r = ::remainder(x, 2.0);
    if (::fabs(r) == 1.0) return ::copysign(0.0, x);
    return ::fabs(r) <= 0.5 ? ::sin(r * M_PI) : ::copysign(::sin((1.0 - ::fabs(r)) * M_PI), r);
}
static inline double cospi(double x) {
    double r = ::fabs(::remainder(x, 2.0));
    return r == 0.5 ? 0.0 : r < 0.5 ? ::cos(r * M_PI) : -::cos((1.0 - r) * M_PI);
}
static inline float sinpif(float x) { return (float)sinpi((double)x); }
static inline float cospif(float x) { return (float)cospi((double)x); }
#endif

static inline void sincospi(double x, double *s, double *c) {
    *s = sinpi(x);
    *c = cospi(x);
}
static inline void sincospif(float x, float *s, float *c) {
    *s = sinpif(x);
    *c = cospif(x);
}

static inline double rcbrt(double x) { return 1.0 / ::cbrt(x); }
static inline float rcbrtf(float x) { return (float)(1.0 / ::cbrt((double)x)); }

static inline double normcdf(double x) { return 0.5 * ::erfc(-x * M_SQRT1_2); }
static inline float normcdff(float x) { return (float)normcdf((double)x); }

// e^(x^2) erfc(x). From 10 on by the asymptotic series (Abramowitz and Stegun 7.1.23), whose terms fall below the last
// bit long before they grow again.
static inline double erfcx(double x) {
    if (!(x >= 10.0)) return ::exp(x * x) * ::erfc(x);
    double sum = 1.0, term = 1.0;
    for (int k = 1; k < 40 && ::fabs(term) > 1e-17; k++) sum += term *= -(2 * k - 1) / (2.0 * x * x);
    return sum / (x * 1.77245385090551602730);
}
static inline float erfcxf(float x) { return (float)erfcx((double)x); }

// Winitzki's closed form, then Newton's method on erfc, which keeps its accuracy in both tails.
static inline double erfcinv(double y) {
    if (!(y > 0.0 && y < 2.0)) return y == 0.0 ? HUGE_VAL : y == 2.0 ? -HUGE_VAL : NAN;
    double small = y < 1.0 ? y : 2.0 - y, log_part = ::log(small * (2.0 - small));
    double b = 4.33074675078710 + 0.5 * log_part;
    double x = ::sqrt(::sqrt(b * b - log_part / 0.147) - b);
    for (int step = 0; step < 4; step++) x += (::erfc(x) - small) * 0.88622692545275801365 * ::exp(x * x);
    return y < 1.0 ? x : -x;
}
static inline float erfcinvf(float y) { return (float)erfcinv((double)y); }
static inline double erfinv(double y) {
    if (!(::fabs(y) < 0.5)) return erfcinv(1.0 - y);
    double x = y * 0.88622692545275801365;
    for (int step = 0; step < 5; step++) x -= (::erf(x) - y) * 0.88622692545275801365 * ::exp(x * x);
    return x;
}
static inline float erfinvf(float y) { return (float)erfinv((double)y); }
static inline double normcdfinv(double y) { return -M_SQRT2 * erfcinv(2.0 * y); }
static inline float normcdfinvf(float y) { return (float)normcdfinv((double)y); }

static inline int min(int a, int b) { return a < b ? a : b; }
static inline int max(int a, int b) { return a > b ? a : b; }
static inline unsigned int umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
static inline unsigned int umax(unsigned int a, unsigned int b) { return a > b ? a : b; }
static inline long long llmin(long long a, long long b) { return a < b ? a : b; }
static inline long long llmax(long long a, long long b) { return a > b ? a : b; }
static inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
static inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }

#endif
