// The functions of special_math.h. References: Abramowitz and Stegun, Handbook of Mathematical Functions.
#define _GNU_SOURCE
#include "exec/ops/special_math.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#define PI 3.141592653589793238462643383279502884L
#define SQRT_2 1.414213562373095048801688724209698079L
#define SQRT_PI 1.772453850905516027298167483341145183L

// ---- sin and cos of multiples of pi ----

long double hw_sinpi(double x) {
    if (!isfinite(x)) return (long double)NAN;
    double r = fmod(x, 2.0);                             // exact, of x's sign
    double half_turns = nearbyint(2.0 * r), rest = r - half_turns / 2.0;
    long double angle = PI * rest;
    if (rest == 0 && fmod(half_turns, 2.0) == 0) return copysignl(0.0L, x);
    switch ((int)half_turns & 3) {
    case 0: return sinl(angle);
    case 1: return cosl(angle);
    case 2: return -sinl(angle);
    default: return -cosl(angle);
    }
}

long double hw_cospi(double x) {
    if (!isfinite(x)) return (long double)NAN;
    double r = fmod(fabs(x), 2.0), half_turns = nearbyint(2.0 * r), rest = r - half_turns / 2.0;
    long double angle = PI * rest;
    if (rest == 0 && fmod(half_turns, 2.0) == 1) return 0.0L;
    switch ((int)half_turns & 3) {
    case 0: return cosl(angle);
    case 1: return -sinl(angle);
    case 2: return -cosl(angle);
    default: return sinl(angle);
    }
}

// ---- error functions ----

// erfc's inverse for 0 < y <= 1/2, by Newton's method on log erfc, which is almost a parabola.
static long double erfc_inverse(long double y) {
    long double log_y = logl(y), z = sqrtl(-logl(y * SQRT_PI * sqrtl(-log_y)));
    for (int i = 0; i < 8; i++) {
        long double e = erfcl(z), slope = -2.0L / SQRT_PI * expl(-z * z) / e;
        long double step = (logl(e) - log_y) / slope;
        z -= step;
        if (fabsl(step) <= 4 * LDBL_EPSILON * z) break;
    }
    return z;
}

// erf's inverse for 0 < x < 1/2, by Newton's method from the line through the origin.
static long double erf_inverse(long double x) {
    long double z = x * SQRT_PI / 2;
    for (int i = 0; i < 8; i++) {
        long double step = (erfl(z) - x) * (SQRT_PI / 2) * expl(z * z);
        z -= step;
        if (fabsl(step) <= 4 * LDBL_EPSILON * z) break;
    }
    return z;
}

long double hw_erfinv(double x) {
    double size = fabs(x);
    if (!(size <= 1)) return (long double)NAN;
    if (size == 0) return x;
    if (size == 1) return copysignl(INFINITY, x);
    return copysignl(size < 0.5 ? erf_inverse(size) : erfc_inverse(1.0L - size), x);
}

long double hw_erfcinv(double y) {
    if (!(y >= 0 && y <= 2)) return (long double)NAN;
    if (y == 0) return INFINITY;
    if (y == 2) return -(long double)INFINITY;
    if (y <= 0.5) return erfc_inverse(y);
    if (y >= 1.5) return -erfc_inverse(2.0L - y);
    long double x = 1.0L - y;
    return x == 0 ? 0.0L : copysignl(erf_inverse(fabsl(x)), x);
}

// From 10 on by the asymptotic series (A&S 7.1.23), whose terms fall below 2^-64 before they grow.
long double hw_erfcx(double x) {
    if (x < 10) return expl((long double)x * x) * erfcl(x);
    long double term = 1, sum = 1, square = 2.0L * x * x;
    for (int k = 1; k < 40 && fabsl(term) > LDBL_EPSILON; k++) {
        term *= -(2 * k - 1) / square;
        sum += term;
    }
    return sum / (x * SQRT_PI);
}

long double hw_normcdf(double x) { return erfcl(-(long double)x / SQRT_2) / 2; }

long double hw_normcdfinv(double p) { return -SQRT_2 * hw_erfcinv(2 * p); }

// ---- Bessel functions ----

// sum of (x^2/4)^k / (k! (k + order)!) for small x (A&S 9.6.10), all terms positive; else A&S 9.7.1.
static long double modified_bessel(int order, long double x) {
    long double term = 1, sum = 1;
    if (isinf(x)) return x;
    if (x < 30) {
        for (int k = 1; term > sum * LDBL_EPSILON / 4; k++) {
            term *= x * x / 4 / ((long double)k * (k + order));
            sum += term;
        }
        return order ? sum * x / 2 : sum;
    }
    for (int k = 1; k < 60 && fabsl(term) > LDBL_EPSILON / 4; k++) {
        term *= -(4.0L * order - (2.0L * k - 1) * (2.0L * k - 1)) / (8.0L * k * x);
        sum += term;
    }
    return expl(x) * (sum / sqrtl(2 * PI * x));
}

long double hw_bessel_i0(double x) { return x != x ? (long double)x : modified_bessel(0, fabsl(x)); }
long double hw_bessel_i1(double x) {
    return x == 0 || x != x ? (long double)x : copysignl(modified_bessel(1, fabsl(x)), x);
}

// The C library recurs n times: not where the result is zero anyway (A&S 9.3.1).
static int is_far_below_turning_point(int n, double x) { return n > 1000 + 2 * fabs(x); }

long double hw_j(int n, double x) {
    if (n < 0 || x != x) return (long double)NAN;
    if (isinf(x)) return 0;
    if (n == 0) return j0l(x);
    if (n == 1) return j1l(x);
    if (is_far_below_turning_point(n, x)) return n & 1 ? copysignl(0, x) : 0;
    return jnl(n, x);
}

long double hw_y(int n, double x) {
    if (n < 0 || x != x || x < 0) return (long double)NAN;
    if (x == 0) return -(long double)INFINITY;
    if (isinf(x)) return 0;
    if (n == 0) return y0l(x);
    if (n == 1) return y1l(x);
    if (is_far_below_turning_point(n, x)) return -(long double)INFINITY;
    return ynl(n, x);
}

long double hw_lgamma(double x) {
    int sign;
    return lgammal_r(x, &sign);
}

// ---- norms: squares of doubles do not overflow long double ----

long double hw_norm2(double x, double y) { return hypotl(x, y); }

long double hw_norm4(double a, double b, double c, double d) {
    if (isinf(a) || isinf(b) || isinf(c) || isinf(d)) return INFINITY;
    return sqrtl((long double)a * a + (long double)b * b + (long double)c * c + (long double)d * d);
}

long double hw_norm_floats(int n, const float *x) {
    long double sum = 0;
    for (int i = 0; i < n; i++) {
        if (isinf(x[i])) return INFINITY;
        sum += (long double)x[i] * x[i];
    }
    return sqrtl(sum);
}

long double hw_norm_doubles(int n, const double *x) {
    long double sum = 0;
    for (int i = 0; i < n; i++) {
        if (isinf(x[i])) return INFINITY;
        sum += (long double)x[i] * x[i];
    }
    return sqrtl(sum);
}
