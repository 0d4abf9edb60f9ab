// The elements of a product by number, 16-bit ones and integers included, and the type that it is summed in.
#pragma once

#define TYPE_F32 0
#define TYPE_F64 1
#define TYPE_F16 2
#define TYPE_BF16 3
#define TYPE_I8 4
#define TYPE_I16 5
#define TYPE_I32 6
#define TYPE_I64 7
#define TYPE_U8 8
#define TYPE_U16 9
#define TYPE_U32 10
#define TYPE_U64 11

#ifndef INPUT
#define INPUT TYPE_F32
#endif
#ifndef OUTPUT
#define OUTPUT INPUT
#endif

template <int type> struct element_of { typedef unsigned short stored; typedef float sum; };
template <> struct element_of<TYPE_F32> { typedef float stored, sum; };
template <> struct element_of<TYPE_F64> { typedef double stored, sum; };
// Sums of integers are modulo 2^32 or 2^64, whose bits have no sign; elements that are widened have one.
template <> struct element_of<TYPE_I8> { typedef signed char stored; typedef unsigned sum; };
template <> struct element_of<TYPE_I16> { typedef short stored; typedef unsigned sum; };
template <> struct element_of<TYPE_I32> { typedef int stored; typedef unsigned sum; };
template <> struct element_of<TYPE_I64> { typedef long long stored; typedef unsigned long long sum; };
template <> struct element_of<TYPE_U8> { typedef unsigned char stored; typedef unsigned sum; };
template <> struct element_of<TYPE_U16> { typedef unsigned short stored; typedef unsigned sum; };
template <> struct element_of<TYPE_U32> { typedef unsigned stored, sum; };
template <> struct element_of<TYPE_U64> { typedef unsigned long long stored, sum; };

typedef element_of<INPUT>::stored input_t;
typedef element_of<INPUT>::sum sum_t;
typedef element_of<OUTPUT>::stored output_t;

// Exact, but for f64, which is summed as it is.
template <int type>
__device__ __forceinline__ typename element_of<type>::sum wide(typename element_of<type>::stored value) {
    if constexpr (type >= TYPE_I8) {
        return (typename element_of<type>::sum)value;
    } else if constexpr (type == TYPE_F16) {
        float result;
        asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value));
        return result;
    } else if constexpr (type == TYPE_BF16) {
        return __uint_as_float((unsigned)value << 16);
    } else {
        return value;
    }
}

// To nearest, ties to even; integers to their lower bits.
template <int type> __device__ __forceinline__ typename element_of<type>::stored narrow(sum_t value) {
    if constexpr (type >= TYPE_I8) {
        return (typename element_of<type>::stored)value;
    } else if constexpr (type == TYPE_F16) {
        unsigned short result;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result) : "f"((float)value));
        return result;
    } else if constexpr (type == TYPE_BF16) {
        const unsigned bits = __float_as_uint((float)value);
        if ((bits & 0x7fffffffu) > 0x7f800000u) return (unsigned short)(bits >> 16 | 0x40);   // NaN
        return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
    } else {
        return value;
    }
}

// What a kernel is given for C = alpha A B + beta C in any layout: src/op/matmul/product.h in the words of the device.
// The host fills it (src/op/matmul/matmul_plan.c).
struct product_arguments {
    long long m, n, k;
    long long a_ld, b_ld, c_ld;
    long long batches;
    long long batch[4], a_batch[4], b_batch[4], c_batch[4];   // the last varies fastest; unused ones have extent 1
    sum_t alpha, beta;
};

// The matrices of batch number `index`.
__device__ __forceinline__ void go_to_batch(const product_arguments &p, long long index, const input_t *&a,
                                            const input_t *&b, output_t *&c) {
    if (p.batches == 1) return;
#pragma unroll
    for (int i = 3; i >= 0; i--) {
        const long long rest = index / p.batch[i], at = index - rest * p.batch[i];
        a += at * p.a_batch[i];
        b += at * p.b_batch[i];
        c += at * p.c_batch[i];
        index = rest;
    }
}

// C = alpha sum + beta C for one element; beta 0 does not read it.
__device__ __forceinline__ void store_sum(const product_arguments &p, output_t *at, sum_t sum) {
    sum *= p.alpha;
    if (p.beta != 0) sum += p.beta * wide<OUTPUT>(*at);
    *at = narrow<OUTPUT>(sum);
}
