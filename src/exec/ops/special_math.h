// Functions of the device math library that the C library lacks, or has with less accuracy than CUDA states. Computed
// in long double, correct to a unit or two of double's last place. All are pure, and NaN gives NaN.
#ifndef HW_EXEC_SPECIAL_MATH_H
#define HW_EXEC_SPECIAL_MATH_H

// sin(pi x), cos(pi x): exact at multiples of 1/2.
long double hw_sinpi(double x);
long double hw_cospi(double x);

// Inverses of erf and erfc, of the normal distribution; and e^(x^2) erfc(x).
long double hw_erfinv(double x);
long double hw_erfcinv(double y);
long double hw_erfcx(double x);
long double hw_normcdf(double x);
long double hw_normcdfinv(double p);

// Modified Bessel functions of the first kind, order 0 and 1; Bessel functions of order n, NaN when n is negative.
long double hw_bessel_i0(double x);
long double hw_bessel_i1(double x);
long double hw_j(int n, double x);
long double hw_y(int n, double x);

// log |gamma(x)|, without the C library's global sign.
long double hw_lgamma(double x);

// Euclidean norms, without overflow; infinite when an element is, whatever the others.
long double hw_norm2(double x, double y);
long double hw_norm4(double a, double b, double c, double d);
long double hw_norm_floats(int n, const float *x);
long double hw_norm_doubles(int n, const double *x);

#endif
