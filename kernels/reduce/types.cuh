// The types of elements by their names, and as numbers to compute with: no header of the toolkit is needed for them.
#pragma once

typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
struct f16 { unsigned short bits; };
struct bf16 { unsigned short bits; };

// What reductions need to know of a type.
//   value       to compute with; number() gives it
//   sum         of sums and products
//   lowest, highest   no value is below, above
template <typename element> struct traits;

#define INTEGER_TRAITS(type, value_type, sum_type, type_bits, low, high)                       \
    template <> struct traits<type> {                                                          \
        typedef value_type value;                                                              \
        typedef sum_type sum;                                                                  \
        enum { is_float = 0, bits = type_bits };                                               \
        static __device__ value lowest() { return low; }                                       \
        static __device__ value highest() { return high; }                                     \
    };
INTEGER_TRAITS(i8, int, i64, 8, -128, 127)
INTEGER_TRAITS(i16, int, i64, 16, -32768, 32767)
INTEGER_TRAITS(i32, int, i64, 32, -2147483647 - 1, 2147483647)
INTEGER_TRAITS(i64, i64, i64, 64, -9223372036854775807ll - 1, 9223372036854775807ll)
INTEGER_TRAITS(u8, unsigned, u64, 8, 0, 255)
INTEGER_TRAITS(u16, unsigned, u64, 16, 0, 65535)
INTEGER_TRAITS(u32, unsigned, u64, 32, 0, 4294967295u)
INTEGER_TRAITS(u64, u64, u64, 64, 0, 18446744073709551615ull)

#define FLOAT_TRAITS(type, value_type, type_bits, infinity)                                    \
    template <> struct traits<type> {                                                          \
        typedef value_type value, sum;                                                         \
        enum { is_float = 1, bits = type_bits };                                               \
        static __device__ value lowest() { return -infinity; }                                 \
        static __device__ value highest() { return infinity; }                                 \
    };
FLOAT_TRAITS(f16, float, 16, __int_as_float(0x7f800000))
FLOAT_TRAITS(bf16, float, 16, __int_as_float(0x7f800000))
FLOAT_TRAITS(f32, float, 32, __int_as_float(0x7f800000))
FLOAT_TRAITS(f64, double, 64, __longlong_as_double(0x7ff0000000000000ll))

// ---- Elements as numbers, exactly -----------------------------------------------------------------------------------

template <typename element> __device__ __forceinline__ typename traits<element>::value number(element e) { return e; }
template <> __device__ __forceinline__ float number<f16>(f16 e) {
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(e.bits));
    return f;
}
template <> __device__ __forceinline__ float number<bf16>(bf16 e) { return __int_as_float((int)e.bits << 16); }

// ---- And back, to the nearest, ties to even ------------------------------------------------------------------------

template <typename to, typename from> __device__ __forceinline__ void round_to(to &e, from v) { e = (to)v; }
__device__ __forceinline__ void round_to(f16 &e, float v) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(e.bits) : "f"(v)); }
__device__ __forceinline__ void round_to(bf16 &e, float v) {
    const unsigned bits = __float_as_int(v);
    e.bits = v == v ? (bits + 0x7fff + (bits >> 16 & 1)) >> 16 : 0x7fc0;
}
