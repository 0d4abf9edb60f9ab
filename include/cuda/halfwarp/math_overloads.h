// C++ overloads that CUDA has on both sides: min and max of every arithmetic type, float versions of CUDA's own
// functions.
#ifndef __HALFWARP_MATH_OVERLOADS_H__
#define __HALFWARP_MATH_OVERLOADS_H__

#define __HALFWARP_BOTH__ static inline __host__ __device__

__HALFWARP_BOTH__ unsigned int min(unsigned int a, unsigned int b) { return a < b ? a : b; }
__HALFWARP_BOTH__ unsigned int min(int a, unsigned int b) { return (unsigned int)a < b ? (unsigned int)a : b; }
__HALFWARP_BOTH__ unsigned int min(unsigned int a, int b) { return a < (unsigned int)b ? a : (unsigned int)b; }
__HALFWARP_BOTH__ long min(long a, long b) { return a < b ? a : b; }
__HALFWARP_BOTH__ unsigned long min(unsigned long a, unsigned long b) { return a < b ? a : b; }
__HALFWARP_BOTH__ unsigned long min(long a, unsigned long b) { return min((unsigned long)a, b); }
__HALFWARP_BOTH__ unsigned long min(unsigned long a, long b) { return min(a, (unsigned long)b); }
__HALFWARP_BOTH__ long long min(long long a, long long b) { return a < b ? a : b; }
__HALFWARP_BOTH__ unsigned long long min(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
__HALFWARP_BOTH__ unsigned long long min(long long a, unsigned long long b) { return min((unsigned long long)a, b); }
__HALFWARP_BOTH__ unsigned long long min(unsigned long long a, long long b) { return min(a, (unsigned long long)b); }
__HALFWARP_BOTH__ float min(float a, float b) { return __builtin_fminf(a, b); }
__HALFWARP_BOTH__ double min(double a, double b) { return __builtin_fmin(a, b); }
__HALFWARP_BOTH__ double min(float a, double b) { return __builtin_fmin((double)a, b); }
__HALFWARP_BOTH__ double min(double a, float b) { return __builtin_fmin(a, (double)b); }

__HALFWARP_BOTH__ unsigned int max(unsigned int a, unsigned int b) { return a > b ? a : b; }
__HALFWARP_BOTH__ unsigned int max(int a, unsigned int b) { return (unsigned int)a > b ? (unsigned int)a : b; }
__HALFWARP_BOTH__ unsigned int max(unsigned int a, int b) { return a > (unsigned int)b ? a : (unsigned int)b; }
__HALFWARP_BOTH__ long max(long a, long b) { return a > b ? a : b; }
__HALFWARP_BOTH__ unsigned long max(unsigned long a, unsigned long b) { return a > b ? a : b; }
__HALFWARP_BOTH__ unsigned long max(long a, unsigned long b) { return max((unsigned long)a, b); }
__HALFWARP_BOTH__ unsigned long max(unsigned long a, long b) { return max(a, (unsigned long)b); }
__HALFWARP_BOTH__ long long max(long long a, long long b) { return a > b ? a : b; }
__HALFWARP_BOTH__ unsigned long long max(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
__HALFWARP_BOTH__ unsigned long long max(long long a, unsigned long long b) { return max((unsigned long long)a, b); }
__HALFWARP_BOTH__ unsigned long long max(unsigned long long a, long long b) { return max(a, (unsigned long long)b); }
__HALFWARP_BOTH__ float max(float a, float b) { return __builtin_fmaxf(a, b); }
__HALFWARP_BOTH__ double max(double a, double b) { return __builtin_fmax(a, b); }
__HALFWARP_BOTH__ double max(float a, double b) { return __builtin_fmax((double)a, b); }
__HALFWARP_BOTH__ double max(double a, float b) { return __builtin_fmax(a, (double)b); }

// clang's headers declare these and leave them to CUDA's. What the string says does not show in a GPU's NaN.
#ifdef __CUDA_ARCH__
static __device__ __forceinline__ double nan(const char *) { return __builtin_nan(""); }
static __device__ __forceinline__ float nanf(const char *) { return __builtin_nanf(""); }
#endif

__HALFWARP_BOTH__ float rsqrt(float x) { return rsqrtf(x); }
__HALFWARP_BOTH__ float rcbrt(float x) { return rcbrtf(x); }
__HALFWARP_BOTH__ float sinpi(float x) { return sinpif(x); }
__HALFWARP_BOTH__ float cospi(float x) { return cospif(x); }
__HALFWARP_BOTH__ void sincospi(float x, float *s, float *c) { sincospif(x, s, c); }
__HALFWARP_BOTH__ void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
__HALFWARP_BOTH__ float exp10(float x) { return exp10f(x); }
__HALFWARP_BOTH__ float erfinv(float x) { return erfinvf(x); }
__HALFWARP_BOTH__ float erfcinv(float x) { return erfcinvf(x); }
__HALFWARP_BOTH__ float normcdf(float x) { return normcdff(x); }
__HALFWARP_BOTH__ float normcdfinv(float x) { return normcdfinvf(x); }
__HALFWARP_BOTH__ float erfcx(float x) { return erfcxf(x); }
static inline __device__ float cyl_bessel_i0(float x) { return cyl_bessel_i0f(x); }
static inline __device__ float cyl_bessel_i1(float x) { return cyl_bessel_i1f(x); }

#undef __HALFWARP_BOTH__

#endif
