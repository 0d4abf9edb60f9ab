// bfloat16: __nv_bfloat16 and __nv_bfloat162, with the functions that cuda_fp16.h has for __half. Arithmetic goes
// through float, whose result rounds to the same bfloat16; fused multiply-add is PTX's own.
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__
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

struct __nv_bfloat16_raw {
    unsigned short x;
};
struct __nv_bfloat162_raw {
    unsigned short x, y;
};

struct __align__(2) __nv_bfloat16 {
    unsigned short __x;

    __nv_bfloat16() = default;
    __HALFWARP_M__ __nv_bfloat16(__nv_bfloat16_raw raw) : __x(raw.x) {}
    __HALFWARP_M__ __nv_bfloat16(float v) : __x(__halfwarp_to_bfloat16((float)v, __halfwarp_rn)) {}
    __HALFWARP_M__ __nv_bfloat16(double v) : __x(__halfwarp_to_bfloat16((float)v, __halfwarp_rn)) {}
    __HALFWARP_M__ __nv_bfloat16(int v) : __x(__halfwarp_to_bfloat16((float)v, __halfwarp_rn)) {}
    __HALFWARP_M__ __nv_bfloat16(unsigned int v) : __x(__halfwarp_to_bfloat16((float)v, __halfwarp_rn)) {}
    __HALFWARP_M__ __nv_bfloat16(long v) : __x(__halfwarp_to_bfloat16((float)v, __halfwarp_rn)) {}
    __HALFWARP_M__ __nv_bfloat16(unsigned long v) : __x(__halfwarp_to_bfloat16((float)v, __halfwarp_rn)) {}
    __HALFWARP_M__ __nv_bfloat16(long long v) : __x(__halfwarp_to_bfloat16((float)v, __halfwarp_rn)) {}
    __HALFWARP_M__ __nv_bfloat16(unsigned long long v) : __x(__halfwarp_to_bfloat16((float)v, __halfwarp_rn)) {}
    __HALFWARP_M__ __nv_bfloat16(short v) : __x(__halfwarp_to_bfloat16((float)v, __halfwarp_rn)) {}
    __HALFWARP_M__ __nv_bfloat16(unsigned short v) : __x(__halfwarp_to_bfloat16((float)v, __halfwarp_rn)) {}
    __HALFWARP_M__ operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
    __HALFWARP_M__ operator float() const { return __halfwarp_from_bfloat16(__x); }
    __HALFWARP_M__ explicit operator int() const { return (int)__halfwarp_from_bfloat16(__x); }
    __HALFWARP_M__ explicit operator unsigned int() const { return (unsigned int)__halfwarp_from_bfloat16(__x); }
    __HALFWARP_M__ explicit operator short() const { return (short)__halfwarp_from_bfloat16(__x); }
    __HALFWARP_M__ explicit operator unsigned short() const { return (unsigned short)__halfwarp_from_bfloat16(__x); }
    __HALFWARP_M__ explicit operator long long() const { return (long long)__halfwarp_from_bfloat16(__x); }
    __HALFWARP_M__ explicit operator unsigned long long() const {
        return (unsigned long long)__halfwarp_from_bfloat16(__x);
    }
    __HALFWARP_M__ explicit operator bool() const { return (__x & 0x7fff) != 0; }
};

struct __align__(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __HALFWARP_M__ __nv_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) : x(low), y(high) {}
    __HALFWARP_M__ __nv_bfloat162(__nv_bfloat162_raw raw) : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y}) {}
    __HALFWARP_M__ operator __nv_bfloat162_raw() const { return __nv_bfloat162_raw{x.__x, y.__x}; }
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

// The same bits as an integer.
__HALFWARP_H__ __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
    return __nv_bfloat16(__nv_bfloat16_raw{bits});
}
__HALFWARP_H__ __nv_bfloat16 __short_as_bfloat16(short bits) {
    return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)bits});
}
__HALFWARP_H__ unsigned short __bfloat16_as_ushort(__nv_bfloat16 v) { return v.__x; }
__HALFWARP_H__ short __bfloat16_as_short(__nv_bfloat16 v) { return (short)v.__x; }
__HALFWARP_H__ unsigned int __halfwarp_pair(__nv_bfloat162 v) { return v.x.__x | (unsigned int)v.y.__x << 16; }
__HALFWARP_H__ __nv_bfloat162 __halfwarp_bfloat162(unsigned int bits) {
    return __nv_bfloat162(__ushort_as_bfloat16((unsigned short)bits),
                          __ushort_as_bfloat16((unsigned short)(bits >> 16)));
}

// Conversions.
__HALFWARP_H__ float __bfloat162float(__nv_bfloat16 v) { return __halfwarp_from_bfloat16(v.__x); }
__HALFWARP_H__ __nv_bfloat16 __float2bfloat16(float v) {
    return __ushort_as_bfloat16(__halfwarp_to_bfloat16(v, __halfwarp_rn));
}
__HALFWARP_H__ __nv_bfloat16 __float2bfloat16_rn(float v) {
    return __ushort_as_bfloat16(__halfwarp_to_bfloat16(v, __halfwarp_rn));
}
__HALFWARP_H__ __nv_bfloat16 __float2bfloat16_rz(float v) {
    return __ushort_as_bfloat16(__halfwarp_to_bfloat16(v, __halfwarp_rz));
}
__HALFWARP_H__ __nv_bfloat16 __float2bfloat16_rd(float v) {
    return __ushort_as_bfloat16(__halfwarp_to_bfloat16(v, __halfwarp_rd));
}
__HALFWARP_H__ __nv_bfloat16 __float2bfloat16_ru(float v) {
    return __ushort_as_bfloat16(__halfwarp_to_bfloat16(v, __halfwarp_ru));
}
__HALFWARP_H__ __nv_bfloat16 __double2bfloat16(double v) { return __float2bfloat16((float)v); }
__HALFWARP_H__ __nv_bfloat16 __int2bfloat16_rn(int v) { return __float2bfloat16_rn((float)v); }
__HALFWARP_H__ __nv_bfloat16 __int2bfloat16_rz(int v) { return __float2bfloat16_rz((float)v); }
__HALFWARP_H__ __nv_bfloat16 __int2bfloat16_rd(int v) { return __float2bfloat16_rd((float)v); }
__HALFWARP_H__ __nv_bfloat16 __int2bfloat16_ru(int v) { return __float2bfloat16_ru((float)v); }
__HALFWARP_H__ __nv_bfloat16 __uint2bfloat16_rn(unsigned int v) { return __float2bfloat16_rn((float)v); }
__HALFWARP_H__ __nv_bfloat16 __uint2bfloat16_rz(unsigned int v) { return __float2bfloat16_rz((float)v); }
__HALFWARP_H__ __nv_bfloat16 __uint2bfloat16_rd(unsigned int v) { return __float2bfloat16_rd((float)v); }
__HALFWARP_H__ __nv_bfloat16 __uint2bfloat16_ru(unsigned int v) { return __float2bfloat16_ru((float)v); }
__HALFWARP_H__ __nv_bfloat16 __short2bfloat16_rn(short v) { return __float2bfloat16_rn((float)v); }
__HALFWARP_H__ __nv_bfloat16 __short2bfloat16_rz(short v) { return __float2bfloat16_rz((float)v); }
__HALFWARP_H__ __nv_bfloat16 __short2bfloat16_rd(short v) { return __float2bfloat16_rd((float)v); }
__HALFWARP_H__ __nv_bfloat16 __short2bfloat16_ru(short v) { return __float2bfloat16_ru((float)v); }
__HALFWARP_H__ __nv_bfloat16 __ushort2bfloat16_rn(unsigned short v) { return __float2bfloat16_rn((float)v); }
__HALFWARP_H__ __nv_bfloat16 __ushort2bfloat16_rz(unsigned short v) { return __float2bfloat16_rz((float)v); }
__HALFWARP_H__ __nv_bfloat16 __ushort2bfloat16_rd(unsigned short v) { return __float2bfloat16_rd((float)v); }
__HALFWARP_H__ __nv_bfloat16 __ushort2bfloat16_ru(unsigned short v) { return __float2bfloat16_ru((float)v); }
__HALFWARP_H__ __nv_bfloat16 __ll2bfloat16_rn(long long v) { return __float2bfloat16_rn((float)v); }
__HALFWARP_H__ __nv_bfloat16 __ll2bfloat16_rz(long long v) { return __float2bfloat16_rz((float)v); }
__HALFWARP_H__ __nv_bfloat16 __ll2bfloat16_rd(long long v) { return __float2bfloat16_rd((float)v); }
__HALFWARP_H__ __nv_bfloat16 __ll2bfloat16_ru(long long v) { return __float2bfloat16_ru((float)v); }
__HALFWARP_H__ __nv_bfloat16 __ull2bfloat16_rn(unsigned long long v) { return __float2bfloat16_rn((float)v); }
__HALFWARP_H__ __nv_bfloat16 __ull2bfloat16_rz(unsigned long long v) { return __float2bfloat16_rz((float)v); }
__HALFWARP_H__ __nv_bfloat16 __ull2bfloat16_rd(unsigned long long v) { return __float2bfloat16_rd((float)v); }
__HALFWARP_H__ __nv_bfloat16 __ull2bfloat16_ru(unsigned long long v) { return __float2bfloat16_ru((float)v); }
// To integers: rounded as float, saturated like PTX's cvt; a NaN becomes 0.
#define __HALFWARP_TO_INTEGER__(name, type, low, high, round)                                                          \
    __HALFWARP_H__ type name(__nv_bfloat16 v) {                                                                        \
        float whole = round(__bfloat162float(v));                                                                      \
        if (whole != whole) return 0;                                                                                  \
        return whole <= (float)(low) ? low : whole >= (float)(high) ? high : (type)whole;                              \
    }
__HALFWARP_TO_INTEGER__(__bfloat162int_rn, int, (-2147483647 - 1), 2147483647, rintf)
__HALFWARP_TO_INTEGER__(__bfloat162int_rz, int, (-2147483647 - 1), 2147483647, truncf)
__HALFWARP_TO_INTEGER__(__bfloat162int_rd, int, (-2147483647 - 1), 2147483647, floorf)
__HALFWARP_TO_INTEGER__(__bfloat162int_ru, int, (-2147483647 - 1), 2147483647, ceilf)
__HALFWARP_TO_INTEGER__(__bfloat162uint_rn, unsigned int, 0u, 4294967295u, rintf)
__HALFWARP_TO_INTEGER__(__bfloat162uint_rz, unsigned int, 0u, 4294967295u, truncf)
__HALFWARP_TO_INTEGER__(__bfloat162uint_rd, unsigned int, 0u, 4294967295u, floorf)
__HALFWARP_TO_INTEGER__(__bfloat162uint_ru, unsigned int, 0u, 4294967295u, ceilf)
__HALFWARP_TO_INTEGER__(__bfloat162short_rn, short, -32768, 32767, rintf)
__HALFWARP_TO_INTEGER__(__bfloat162short_rz, short, -32768, 32767, truncf)
__HALFWARP_TO_INTEGER__(__bfloat162short_rd, short, -32768, 32767, floorf)
__HALFWARP_TO_INTEGER__(__bfloat162short_ru, short, -32768, 32767, ceilf)
__HALFWARP_TO_INTEGER__(__bfloat162ushort_rn, unsigned short, 0, 65535, rintf)
__HALFWARP_TO_INTEGER__(__bfloat162ushort_rz, unsigned short, 0, 65535, truncf)
__HALFWARP_TO_INTEGER__(__bfloat162ushort_rd, unsigned short, 0, 65535, floorf)
__HALFWARP_TO_INTEGER__(__bfloat162ushort_ru, unsigned short, 0, 65535, ceilf)
__HALFWARP_TO_INTEGER__(__bfloat162ll_rn, long long, (-9223372036854775807ll - 1), 9223372036854775807ll, rintf)
__HALFWARP_TO_INTEGER__(__bfloat162ll_rz, long long, (-9223372036854775807ll - 1), 9223372036854775807ll, truncf)
__HALFWARP_TO_INTEGER__(__bfloat162ll_rd, long long, (-9223372036854775807ll - 1), 9223372036854775807ll, floorf)
__HALFWARP_TO_INTEGER__(__bfloat162ll_ru, long long, (-9223372036854775807ll - 1), 9223372036854775807ll, ceilf)
__HALFWARP_TO_INTEGER__(__bfloat162ull_rn, unsigned long long, 0ull, 18446744073709551615ull, rintf)
__HALFWARP_TO_INTEGER__(__bfloat162ull_rz, unsigned long long, 0ull, 18446744073709551615ull, truncf)
__HALFWARP_TO_INTEGER__(__bfloat162ull_rd, unsigned long long, 0ull, 18446744073709551615ull, floorf)
__HALFWARP_TO_INTEGER__(__bfloat162ull_ru, unsigned long long, 0ull, 18446744073709551615ull, ceilf)
#undef __HALFWARP_TO_INTEGER__

// Pairs.
__HALFWARP_H__ __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) {
    return __nv_bfloat162(low, high);
}
__HALFWARP_H__ __nv_bfloat162 make_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) {
    return __nv_bfloat162(low, high);
}
__HALFWARP_H__ __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 v) { return __nv_bfloat162(v, v); }
__HALFWARP_H__ __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
__HALFWARP_H__ __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
__HALFWARP_H__ __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.x, v.x); }
__HALFWARP_H__ __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.y); }
__HALFWARP_H__ __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
__HALFWARP_H__ __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
__HALFWARP_H__ __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.x); }
__HALFWARP_H__ float __low2float(__nv_bfloat162 v) { return __bfloat162float(v.x); }
__HALFWARP_H__ float __high2float(__nv_bfloat162 v) { return __bfloat162float(v.y); }
__HALFWARP_H__ __nv_bfloat162 __float2bfloat162_rn(float v) { return __bfloat162bfloat162(__float2bfloat16(v)); }
__HALFWARP_H__ __nv_bfloat162 __floats2bfloat162_rn(float low, float high) {
    return __nv_bfloat162(__float2bfloat16(low), __float2bfloat16(high));
}
__HALFWARP_H__ __nv_bfloat162 __float22bfloat162_rn(float2 v) {
    return __nv_bfloat162(__float2bfloat16(v.x), __float2bfloat16(v.y));
}
__HALFWARP_H__ float2 __bfloat1622float2(__nv_bfloat162 v) {
    return float2{__bfloat162float(v.x), __bfloat162float(v.y)};
}

// Arithmetic.
__HALFWARP_H__ float __halfwarp_clamp_bfloat16(float v) { return v > 1.0f ? 1.0f : v > 0.0f ? v : 0.0f; }
#define __HALFWARP_ARITHMETIC__(name, name2, result)                                                                   \
    __HALFWARP_H__ __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b) {                                              \
        float x = __bfloat162float(a), y = __bfloat162float(b);                                                        \
        return __float2bfloat16(result);                                                                               \
    }                                                                                                                  \
    __HALFWARP_H__ __nv_bfloat162 name2(__nv_bfloat162 a, __nv_bfloat162 b) {                                          \
        return __nv_bfloat162(name(a.x, b.x), name(a.y, b.y));                                                         \
    }
__HALFWARP_ARITHMETIC__(__hadd, __hadd2, x + y)
__HALFWARP_ARITHMETIC__(__hsub, __hsub2, x - y)
__HALFWARP_ARITHMETIC__(__hmul, __hmul2, x * y)
__HALFWARP_ARITHMETIC__(__hadd_rn, __hadd2_rn, x + y)
__HALFWARP_ARITHMETIC__(__hsub_rn, __hsub2_rn, x - y)
__HALFWARP_ARITHMETIC__(__hmul_rn, __hmul2_rn, x * y)
__HALFWARP_ARITHMETIC__(__hadd_sat, __hadd2_sat, __halfwarp_clamp_bfloat16(x + y))
__HALFWARP_ARITHMETIC__(__hsub_sat, __hsub2_sat, __halfwarp_clamp_bfloat16(x - y))
__HALFWARP_ARITHMETIC__(__hmul_sat, __hmul2_sat, __halfwarp_clamp_bfloat16(x * y))
__HALFWARP_ARITHMETIC__(__hmin, __hmin2, __builtin_fminf(x, y))
__HALFWARP_ARITHMETIC__(__hmax, __hmax2, __builtin_fmaxf(x, y))
__HALFWARP_ARITHMETIC__(__hmin_nan, __hmin2_nan, x != x || y != y ? __builtin_nanf("") : __builtin_fminf(x, y))
__HALFWARP_ARITHMETIC__(__hmax_nan, __hmax2_nan, x != x || y != y ? __builtin_nanf("") : __builtin_fmaxf(x, y))
#undef __HALFWARP_ARITHMETIC__

__HALFWARP_H__ __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    unsigned short d;
    asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(d) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return __ushort_as_bfloat16(d);
#else
    float v = fmaf(__bfloat162float(a), __bfloat162float(b), __bfloat162float(c));
    return __float2bfloat16(v);
#endif
}
__HALFWARP_H__ __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    unsigned int d;
    asm("fma.rn.bf16x2 %0, %1, %2, %3;"
        : "=r"(d)
        : "r"(__halfwarp_pair(a)), "r"(__halfwarp_pair(b)), "r"(__halfwarp_pair(c)));
    return __halfwarp_bfloat162(d);
#else
    return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
#endif
}
__HALFWARP_H__ __nv_bfloat16 __hfma_relu(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    unsigned short d;
    asm("fma.rn.relu.bf16 %0, %1, %2, %3;" : "=h"(d) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return __ushort_as_bfloat16(d);
#else
    float v = fmaf(__bfloat162float(a), __bfloat162float(b), __bfloat162float(c));
    return __float2bfloat16(v < 0.0f ? 0.0f : v);
#endif
}
__HALFWARP_H__ __nv_bfloat162 __hfma2_relu(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    unsigned int d;
    asm("fma.rn.relu.bf16x2 %0, %1, %2, %3;"
        : "=r"(d)
        : "r"(__halfwarp_pair(a)), "r"(__halfwarp_pair(b)), "r"(__halfwarp_pair(c)));
    return __halfwarp_bfloat162(d);
#else
    return __nv_bfloat162(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
#endif
}
__HALFWARP_H__ __nv_bfloat16 __hfma_sat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
    return __float2bfloat16(
        __halfwarp_clamp_bfloat16(fmaf(__bfloat162float(a), __bfloat162float(b), __bfloat162float(c))));
}
__HALFWARP_H__ __nv_bfloat162 __hfma2_sat(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
    return __nv_bfloat162(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
#define __HALF__ __nv_bfloat16
#define __PAIR__ __nv_bfloat162
#define __INFINITE__ 0x7f80
#define __FLOAT_OF__(v) __bfloat162float(v)
#define __OF_FLOAT__(v) __float2bfloat16(v)
#define __OF_BITS__(bits) __ushort_as_bfloat16(bits)
#define __PAIR_OF_BITS__(bits) __halfwarp_bfloat162(bits)
#include "halfwarp/half_operations.h"

#if defined(__CUDA__)

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
static __device__ __forceinline__ __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v) {
    unsigned short old;
    asm volatile("atom.add.noftz.bf16 %0, [%1], %2;" : "=h"(old) : "l"(p), "h"(v.__x) : "memory");
    return __ushort_as_bfloat16(old);
}
static __device__ __forceinline__ __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v) {
    unsigned int old;
    asm volatile("atom.add.noftz.bf16x2 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(__halfwarp_pair(v)) : "memory");
    return __halfwarp_bfloat162(old);
}
#else
static __device__ __forceinline__ __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v) {
    unsigned int seen = *(volatile unsigned int *)p, expected;
    do {
        expected = seen;
        seen = atomicCAS((unsigned int *)p, expected, __halfwarp_pair(__hadd2(__halfwarp_bfloat162(expected), v)));
    } while (seen != expected);
    return __halfwarp_bfloat162(seen);
}
static __device__ __forceinline__ __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v) {
    unsigned short seen = *(volatile unsigned short *)p, expected;
    do {
        expected = seen;
        seen = atomicCAS((unsigned short *)p, expected, __hadd(__ushort_as_bfloat16(expected), v).__x);
    } while (seen != expected);
    return __ushort_as_bfloat16(seen);
}
#endif

#pragma clang attribute pop

#endif

#undef __HALFWARP_H__
#undef __HALFWARP_M__

#endif
