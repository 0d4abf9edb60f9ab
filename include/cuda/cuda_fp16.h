// Half precision: __half and __half2, their conversions, arithmetic, comparisons and functions. On the device one PTX
// instruction each, on the host through float, which rounds to the same results.
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__
#ifdef __clang__
#pragma clang system_header
#endif

#include <math.h>
#include <string.h>

#include "halfwarp/float_bits.h"
#include "vector_types.h"

#if defined(__CUDA__)
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#endif

#define __HALFWARP_H__ static inline __host__ __device__ __attribute__((always_inline))
#define __HALFWARP_M__ inline __host__ __device__ __attribute__((always_inline))

struct __half_raw {
    unsigned short x;
};
struct __half2_raw {
    unsigned short x, y;
};

struct __align__(2) __half {
    unsigned short __x;

    __half() = default;
    __HALFWARP_M__ __half(__half_raw raw) : __x(raw.x) {}
    __HALFWARP_M__ __half(float v) : __x(__halfwarp_to_half((float)v, __halfwarp_rn)) {}
    __HALFWARP_M__ __half(double v) : __x(__halfwarp_to_half((float)v, __halfwarp_rn)) {}
    __HALFWARP_M__ __half(int v) : __x(__halfwarp_to_half((float)v, __halfwarp_rn)) {}
    __HALFWARP_M__ __half(unsigned int v) : __x(__halfwarp_to_half((float)v, __halfwarp_rn)) {}
    __HALFWARP_M__ __half(long v) : __x(__halfwarp_to_half((float)v, __halfwarp_rn)) {}
    __HALFWARP_M__ __half(unsigned long v) : __x(__halfwarp_to_half((float)v, __halfwarp_rn)) {}
    __HALFWARP_M__ __half(long long v) : __x(__halfwarp_to_half((float)v, __halfwarp_rn)) {}
    __HALFWARP_M__ __half(unsigned long long v) : __x(__halfwarp_to_half((float)v, __halfwarp_rn)) {}
    __HALFWARP_M__ __half(short v) : __x(__halfwarp_to_half((float)v, __halfwarp_rn)) {}
    __HALFWARP_M__ __half(unsigned short v) : __x(__halfwarp_to_half((float)v, __halfwarp_rn)) {}
    __HALFWARP_M__ operator __half_raw() const { return __half_raw{__x}; }
    __HALFWARP_M__ operator float() const { return __halfwarp_from_half(__x); }
    __HALFWARP_M__ explicit operator int() const { return (int)__halfwarp_from_half(__x); }
    __HALFWARP_M__ explicit operator unsigned int() const { return (unsigned int)__halfwarp_from_half(__x); }
    __HALFWARP_M__ explicit operator short() const { return (short)__halfwarp_from_half(__x); }
    __HALFWARP_M__ explicit operator unsigned short() const { return (unsigned short)__halfwarp_from_half(__x); }
    __HALFWARP_M__ explicit operator long long() const { return (long long)__halfwarp_from_half(__x); }
    __HALFWARP_M__ explicit operator unsigned long long() const {
        return (unsigned long long)__halfwarp_from_half(__x);
    }
    __HALFWARP_M__ explicit operator bool() const { return (__x & 0x7fff) != 0; }
};

struct __align__(4) __half2 {
    __half x, y;
    __half2() = default;
    __HALFWARP_M__ __half2(__half low, __half high) : x(low), y(high) {}
    __HALFWARP_M__ __half2(__half2_raw raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
    __HALFWARP_M__ operator __half2_raw() const { return __half2_raw{x.__x, y.__x}; }
};

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;

// The same bits as an integer.
__HALFWARP_H__ __half __ushort_as_half(unsigned short bits) { return __half(__half_raw{bits}); }
__HALFWARP_H__ __half __short_as_half(short bits) { return __half(__half_raw{(unsigned short)bits}); }
__HALFWARP_H__ unsigned short __half_as_ushort(__half v) { return v.__x; }
__HALFWARP_H__ short __half_as_short(__half v) { return (short)v.__x; }
__HALFWARP_H__ unsigned int __halfwarp_pair(__half2 v) { return v.x.__x | (unsigned int)v.y.__x << 16; }
__HALFWARP_H__ __half2 __halfwarp_half2(unsigned int bits) {
    return __half2(__ushort_as_half((unsigned short)bits), __ushort_as_half((unsigned short)(bits >> 16)));
}

// Conversions.
__HALFWARP_H__ float __half2float(__half v) { return __halfwarp_from_half(v.__x); }
__HALFWARP_H__ __half __float2half(float v) { return __ushort_as_half(__halfwarp_to_half(v, __halfwarp_rn)); }
__HALFWARP_H__ __half __float2half_rn(float v) { return __ushort_as_half(__halfwarp_to_half(v, __halfwarp_rn)); }
__HALFWARP_H__ __half __float2half_rz(float v) { return __ushort_as_half(__halfwarp_to_half(v, __halfwarp_rz)); }
__HALFWARP_H__ __half __float2half_rd(float v) { return __ushort_as_half(__halfwarp_to_half(v, __halfwarp_rd)); }
__HALFWARP_H__ __half __float2half_ru(float v) { return __ushort_as_half(__halfwarp_to_half(v, __halfwarp_ru)); }
__HALFWARP_H__ __half __double2half(double v) { return __float2half((float)v); }
__HALFWARP_H__ __half __int2half_rn(int v) { return __float2half_rn((float)v); }
__HALFWARP_H__ __half __int2half_rz(int v) { return __float2half_rz((float)v); }
__HALFWARP_H__ __half __int2half_rd(int v) { return __float2half_rd((float)v); }
__HALFWARP_H__ __half __int2half_ru(int v) { return __float2half_ru((float)v); }
__HALFWARP_H__ __half __uint2half_rn(unsigned int v) { return __float2half_rn((float)v); }
__HALFWARP_H__ __half __uint2half_rz(unsigned int v) { return __float2half_rz((float)v); }
__HALFWARP_H__ __half __uint2half_rd(unsigned int v) { return __float2half_rd((float)v); }
__HALFWARP_H__ __half __uint2half_ru(unsigned int v) { return __float2half_ru((float)v); }
__HALFWARP_H__ __half __short2half_rn(short v) { return __float2half_rn((float)v); }
__HALFWARP_H__ __half __short2half_rz(short v) { return __float2half_rz((float)v); }
__HALFWARP_H__ __half __short2half_rd(short v) { return __float2half_rd((float)v); }
__HALFWARP_H__ __half __short2half_ru(short v) { return __float2half_ru((float)v); }
__HALFWARP_H__ __half __ushort2half_rn(unsigned short v) { return __float2half_rn((float)v); }
__HALFWARP_H__ __half __ushort2half_rz(unsigned short v) { return __float2half_rz((float)v); }
__HALFWARP_H__ __half __ushort2half_rd(unsigned short v) { return __float2half_rd((float)v); }
__HALFWARP_H__ __half __ushort2half_ru(unsigned short v) { return __float2half_ru((float)v); }
__HALFWARP_H__ __half __ll2half_rn(long long v) { return __float2half_rn((float)v); }
__HALFWARP_H__ __half __ll2half_rz(long long v) { return __float2half_rz((float)v); }
__HALFWARP_H__ __half __ll2half_rd(long long v) { return __float2half_rd((float)v); }
__HALFWARP_H__ __half __ll2half_ru(long long v) { return __float2half_ru((float)v); }
__HALFWARP_H__ __half __ull2half_rn(unsigned long long v) { return __float2half_rn((float)v); }
__HALFWARP_H__ __half __ull2half_rz(unsigned long long v) { return __float2half_rz((float)v); }
__HALFWARP_H__ __half __ull2half_rd(unsigned long long v) { return __float2half_rd((float)v); }
__HALFWARP_H__ __half __ull2half_ru(unsigned long long v) { return __float2half_ru((float)v); }
// To integers: rounded as float, saturated like PTX's cvt; a NaN becomes 0.
#define __HALFWARP_TO_INTEGER__(name, type, low, high, round)                                                          \
    __HALFWARP_H__ type name(__half v) {                                                                               \
        float whole = round(__half2float(v));                                                                          \
        if (whole != whole) return 0;                                                                                  \
        return whole <= (float)(low) ? low : whole >= (float)(high) ? high : (type)whole;                              \
    }
__HALFWARP_TO_INTEGER__(__half2int_rn, int, (-2147483647 - 1), 2147483647, rintf)
__HALFWARP_TO_INTEGER__(__half2int_rz, int, (-2147483647 - 1), 2147483647, truncf)
__HALFWARP_TO_INTEGER__(__half2int_rd, int, (-2147483647 - 1), 2147483647, floorf)
__HALFWARP_TO_INTEGER__(__half2int_ru, int, (-2147483647 - 1), 2147483647, ceilf)
__HALFWARP_TO_INTEGER__(__half2uint_rn, unsigned int, 0u, 4294967295u, rintf)
__HALFWARP_TO_INTEGER__(__half2uint_rz, unsigned int, 0u, 4294967295u, truncf)
__HALFWARP_TO_INTEGER__(__half2uint_rd, unsigned int, 0u, 4294967295u, floorf)
__HALFWARP_TO_INTEGER__(__half2uint_ru, unsigned int, 0u, 4294967295u, ceilf)
__HALFWARP_TO_INTEGER__(__half2short_rn, short, -32768, 32767, rintf)
__HALFWARP_TO_INTEGER__(__half2short_rz, short, -32768, 32767, truncf)
__HALFWARP_TO_INTEGER__(__half2short_rd, short, -32768, 32767, floorf)
__HALFWARP_TO_INTEGER__(__half2short_ru, short, -32768, 32767, ceilf)
__HALFWARP_TO_INTEGER__(__half2ushort_rn, unsigned short, 0, 65535, rintf)
__HALFWARP_TO_INTEGER__(__half2ushort_rz, unsigned short, 0, 65535, truncf)
__HALFWARP_TO_INTEGER__(__half2ushort_rd, unsigned short, 0, 65535, floorf)
__HALFWARP_TO_INTEGER__(__half2ushort_ru, unsigned short, 0, 65535, ceilf)
__HALFWARP_TO_INTEGER__(__half2ll_rn, long long, (-9223372036854775807ll - 1), 9223372036854775807ll, rintf)
__HALFWARP_TO_INTEGER__(__half2ll_rz, long long, (-9223372036854775807ll - 1), 9223372036854775807ll, truncf)
__HALFWARP_TO_INTEGER__(__half2ll_rd, long long, (-9223372036854775807ll - 1), 9223372036854775807ll, floorf)
__HALFWARP_TO_INTEGER__(__half2ll_ru, long long, (-9223372036854775807ll - 1), 9223372036854775807ll, ceilf)
__HALFWARP_TO_INTEGER__(__half2ull_rn, unsigned long long, 0ull, 18446744073709551615ull, rintf)
__HALFWARP_TO_INTEGER__(__half2ull_rz, unsigned long long, 0ull, 18446744073709551615ull, truncf)
__HALFWARP_TO_INTEGER__(__half2ull_rd, unsigned long long, 0ull, 18446744073709551615ull, floorf)
__HALFWARP_TO_INTEGER__(__half2ull_ru, unsigned long long, 0ull, 18446744073709551615ull, ceilf)
#undef __HALFWARP_TO_INTEGER__

// Pairs.
__HALFWARP_H__ __half2 __halves2half2(__half low, __half high) { return __half2(low, high); }
__HALFWARP_H__ __half2 make_half2(__half low, __half high) { return __half2(low, high); }
__HALFWARP_H__ __half2 __half2half2(__half v) { return __half2(v, v); }
__HALFWARP_H__ __half __low2half(__half2 v) { return v.x; }
__HALFWARP_H__ __half __high2half(__half2 v) { return v.y; }
__HALFWARP_H__ __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
__HALFWARP_H__ __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
__HALFWARP_H__ __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
__HALFWARP_H__ __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
__HALFWARP_H__ __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }
__HALFWARP_H__ float __low2float(__half2 v) { return __half2float(v.x); }
__HALFWARP_H__ float __high2float(__half2 v) { return __half2float(v.y); }
__HALFWARP_H__ __half2 __float2half2_rn(float v) { return __half2half2(__float2half(v)); }
__HALFWARP_H__ __half2 __floats2half2_rn(float low, float high) {
    return __half2(__float2half(low), __float2half(high));
}
__HALFWARP_H__ __half2 __float22half2_rn(float2 v) { return __half2(__float2half(v.x), __float2half(v.y)); }
__HALFWARP_H__ float2 __half22float2(__half2 v) { return float2{__half2float(v.x), __half2float(v.y)}; }

// Arithmetic.
__HALFWARP_H__ float __halfwarp_clamp_half(float v) { return v > 1.0f ? 1.0f : v > 0.0f ? v : 0.0f; }
#if defined(__CUDA_ARCH__)
#define __HALFWARP_ARITHMETIC__(name, name2, instruction, host)                                                        \
    __HALFWARP_H__ __half name(__half a, __half b) {                                                                   \
        unsigned short d;                                                                                              \
        asm(instruction ".f16 %0, %1, %2;" : "=h"(d) : "h"(a.__x), "h"(b.__x));                                        \
        return __ushort_as_half(d);                                                                                    \
    }                                                                                                                  \
    __HALFWARP_H__ __half2 name2(__half2 a, __half2 b) {                                                               \
        unsigned int d;                                                                                                \
        asm(instruction ".f16x2 %0, %1, %2;" : "=r"(d) : "r"(__halfwarp_pair(a)), "r"(__halfwarp_pair(b)));            \
        return __halfwarp_half2(d);                                                                                    \
    }
#else
#define __HALFWARP_ARITHMETIC__(name, name2, instruction, host)                                                        \
    __HALFWARP_H__ __half name(__half a, __half b) {                                                                   \
        float x = __half2float(a), y = __half2float(b);                                                                \
        return __float2half(host);                                                                                     \
    }                                                                                                                  \
    __HALFWARP_H__ __half2 name2(__half2 a, __half2 b) { return __half2(name(a.x, b.x), name(a.y, b.y)); }
#endif
__HALFWARP_ARITHMETIC__(__hadd, __hadd2, "add", x + y)
__HALFWARP_ARITHMETIC__(__hsub, __hsub2, "sub", x - y)
__HALFWARP_ARITHMETIC__(__hmul, __hmul2, "mul", x * y)
__HALFWARP_ARITHMETIC__(__hadd_rn, __hadd2_rn, "add.rn", x + y)
__HALFWARP_ARITHMETIC__(__hsub_rn, __hsub2_rn, "sub.rn", x - y)
__HALFWARP_ARITHMETIC__(__hmul_rn, __hmul2_rn, "mul.rn", x * y)
__HALFWARP_ARITHMETIC__(__hadd_sat, __hadd2_sat, "add.sat", __halfwarp_clamp_half(x + y))
__HALFWARP_ARITHMETIC__(__hsub_sat, __hsub2_sat, "sub.sat", __halfwarp_clamp_half(x - y))
__HALFWARP_ARITHMETIC__(__hmul_sat, __hmul2_sat, "mul.sat", __halfwarp_clamp_half(x * y))
__HALFWARP_ARITHMETIC__(__hmin, __hmin2, "min", fminf(x, y))
__HALFWARP_ARITHMETIC__(__hmax, __hmax2, "max", fmaxf(x, y))
__HALFWARP_ARITHMETIC__(__hmin_nan, __hmin2_nan, "min.NaN", x != x || y != y ? NAN : fminf(x, y))
__HALFWARP_ARITHMETIC__(__hmax_nan, __hmax2_nan, "max.NaN", x != x || y != y ? NAN : fmaxf(x, y))
#undef __HALFWARP_ARITHMETIC__

__HALFWARP_H__ __half __hfma(__half a, __half b, __half c) {
#if defined(__CUDA_ARCH__)
    unsigned short d;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(d) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return __ushort_as_half(d);
#else
    float v = fmaf(__half2float(a), __half2float(b), __half2float(c));
    return __float2half(v);
#endif
}
__HALFWARP_H__ __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
#if defined(__CUDA_ARCH__)
    unsigned int d;
    asm("fma.rn.f16x2 %0, %1, %2, %3;"
        : "=r"(d)
        : "r"(__halfwarp_pair(a)), "r"(__halfwarp_pair(b)), "r"(__halfwarp_pair(c)));
    return __halfwarp_half2(d);
#else
    return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
#endif
}
__HALFWARP_H__ __half __hfma_relu(__half a, __half b, __half c) {
#if defined(__CUDA_ARCH__)
    unsigned short d;
    asm("fma.rn.relu.f16 %0, %1, %2, %3;" : "=h"(d) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return __ushort_as_half(d);
#else
    float v = fmaf(__half2float(a), __half2float(b), __half2float(c));
    return __float2half(v < 0.0f ? 0.0f : v);
#endif
}
__HALFWARP_H__ __half2 __hfma2_relu(__half2 a, __half2 b, __half2 c) {
#if defined(__CUDA_ARCH__)
    unsigned int d;
    asm("fma.rn.relu.f16x2 %0, %1, %2, %3;"
        : "=r"(d)
        : "r"(__halfwarp_pair(a)), "r"(__halfwarp_pair(b)), "r"(__halfwarp_pair(c)));
    return __halfwarp_half2(d);
#else
    return __half2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
#endif
}
__HALFWARP_H__ __half __hfma_sat(__half a, __half b, __half c) {
#if defined(__CUDA_ARCH__)
    unsigned short d;
    asm("fma.rn.sat.f16 %0, %1, %2, %3;" : "=h"(d) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return __ushort_as_half(d);
#else
    float v = fmaf(__half2float(a), __half2float(b), __half2float(c));
    return __float2half(__halfwarp_clamp_half(v));
#endif
}
__HALFWARP_H__ __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) {
#if defined(__CUDA_ARCH__)
    unsigned int d;
    asm("fma.rn.sat.f16x2 %0, %1, %2, %3;"
        : "=r"(d)
        : "r"(__halfwarp_pair(a)), "r"(__halfwarp_pair(b)), "r"(__halfwarp_pair(c)));
    return __halfwarp_half2(d);
#else
    return __half2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
#endif
}
#define __HALF__ __half
#define __PAIR__ __half2
#define __INFINITE__ 0x7c00
#define __FLOAT_OF__(v) __half2float(v)
#define __OF_FLOAT__(v) __float2half(v)
#define __OF_BITS__(bits) __ushort_as_half(bits)
#define __PAIR_OF_BITS__(bits) __halfwarp_half2(bits)
#include "halfwarp/half_operations.h"

#if defined(__CUDA__)

static __device__ __forceinline__ __half atomicAdd(__half *p, __half v) {
    unsigned short old;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(p), "h"(v.__x) : "memory");
    return __ushort_as_half(old);
}
static __device__ __forceinline__ __half2 atomicAdd(__half2 *p, __half2 v) {
    unsigned int old;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(__halfwarp_pair(v)) : "memory");
    return __halfwarp_half2(old);
}

#pragma clang attribute pop

#endif

#undef __HALFWARP_H__
#undef __HALFWARP_M__

#endif
