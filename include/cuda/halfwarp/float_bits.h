// Conversions between float and the two 16-bit formats. On the device they are PTX's cvt; on the host, and for bfloat16
// before compute capability 8.0, integer arithmetic on the bits.
#ifndef __HALFWARP_FLOAT_BITS_H__
#define __HALFWARP_FLOAT_BITS_H__

#include "../host_defines.h"

#define __HALFWARP_INLINE__ static inline __host__ __device__ __attribute__((always_inline))

// PTX's names for how a result that lies between two numbers is rounded.
enum __halfwarp_rounding { __halfwarp_rn, __halfwarp_rz, __halfwarp_rd, __halfwarp_ru };

__HALFWARP_INLINE__ unsigned int __halfwarp_bits_of(float value) {
    unsigned int bits;
    __builtin_memcpy(&bits, &value, 4);
    return bits;
}

__HALFWARP_INLINE__ float __halfwarp_float_of(unsigned int bits) {
    float value;
    __builtin_memcpy(&value, &bits, 4);
    return value;
}

// Does dropping the bits in `lost` (the topmost of them is `half`) add one to what is kept?
__HALFWARP_INLINE__ unsigned int __halfwarp_round_up(unsigned int kept, unsigned int lost, unsigned int half,
                                                     unsigned int negative, __halfwarp_rounding how) {
    if (how == __halfwarp_rz) return 0;
    if (how == __halfwarp_rd) return negative && lost;
    if (how == __halfwarp_ru) return !negative && lost;
    return lost > half || (lost == half && (kept & 1));
}

__HALFWARP_INLINE__ unsigned short __halfwarp_to_half_by_bits(float value, __halfwarp_rounding how) {
    unsigned int bits = __halfwarp_bits_of(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return 0x7fff;
    if (magnitude == 0x7f800000) return (unsigned short)(sign | 0x7c00);
    if (magnitude >= 0x47800000) {    // 65536 and more
        bool stays = how == __halfwarp_rz || (how == __halfwarp_rd && !sign) || (how == __halfwarp_ru && sign);
        return (unsigned short)(sign | (stays ? 0x7bff : 0x7c00));
    }
    unsigned int mantissa, shift;
    if (magnitude >= 0x38800000) {    // normal: rebias the exponent by 112
        mantissa = magnitude - (112u << 23);
        shift = 13;
    } else {                          // denormal: units of 2^-24
        unsigned int exponent = magnitude >> 23;
        mantissa = exponent ? (magnitude & 0x7fffff) | 0x800000 : magnitude & 0x7fffff;
        shift = exponent ? 126 - exponent : 125;
        if (shift > 31) {
            mantissa = mantissa != 0;    // only whether something is lost still matters
            shift = 31;
        }
    }
    unsigned int kept = mantissa >> shift, lost = mantissa & ((1u << shift) - 1);
    return (unsigned short)(sign | (kept + __halfwarp_round_up(kept, lost, 1u << (shift - 1), sign, how)));
}

__HALFWARP_INLINE__ float __halfwarp_from_half_by_bits(unsigned short half) {
    unsigned int sign = (unsigned int)(half & 0x8000) << 16, exponent = half >> 10 & 31, mantissa = half & 0x3ff;
    if (exponent == 31) return __halfwarp_float_of(sign | 0x7f800000 | mantissa << 13);
    if (exponent) return __halfwarp_float_of(sign | (exponent + 112) << 23 | mantissa << 13);
    float magnitude = (float)mantissa * 0x1p-24f;
    return sign ? -magnitude : magnitude;
}

__HALFWARP_INLINE__ unsigned short __halfwarp_to_bfloat16_by_bits(float value, __halfwarp_rounding how) {
    unsigned int bits = __halfwarp_bits_of(value), kept = bits >> 16;
    if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
    if ((bits & 0x7fffffff) == 0x7f800000) return (unsigned short)kept;
    return (unsigned short)(kept + __halfwarp_round_up(kept, bits & 0xffff, 0x8000, bits >> 31, how));
}

#if defined(__CUDA_ARCH__)

#define __HALFWARP_CVT__(type, how, value, bits)                                                                       \
    switch (how) {                                                                                                     \
    case __halfwarp_rn: asm("cvt.rn." type ".f32 %0, %1;" : "=h"(bits) : "f"(value)); break;                           \
    case __halfwarp_rz: asm("cvt.rz." type ".f32 %0, %1;" : "=h"(bits) : "f"(value)); break;                           \
    case __halfwarp_rd: asm("cvt.rm." type ".f32 %0, %1;" : "=h"(bits) : "f"(value)); break;                           \
    case __halfwarp_ru: asm("cvt.rp." type ".f32 %0, %1;" : "=h"(bits) : "f"(value)); break;                           \
    }

__HALFWARP_INLINE__ unsigned short __halfwarp_to_half(float value, __halfwarp_rounding how) {
    unsigned short bits = 0;
    __HALFWARP_CVT__("f16", how, value, bits)
    return bits;
}

__HALFWARP_INLINE__ float __halfwarp_from_half(unsigned short half) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
    return value;
}

// PTX converts to bf16 with rn and rz only.
__HALFWARP_INLINE__ unsigned short __halfwarp_to_bfloat16(float value, __halfwarp_rounding how) {
#if __CUDA_ARCH__ >= 800
    unsigned short bits = 0;
    if (how == __halfwarp_rn) {
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
        return bits;
    }
#endif
    return __halfwarp_to_bfloat16_by_bits(value, how);
}

#undef __HALFWARP_CVT__

#else

__HALFWARP_INLINE__ unsigned short __halfwarp_to_half(float value, __halfwarp_rounding how) {
    return __halfwarp_to_half_by_bits(value, how);
}
__HALFWARP_INLINE__ float __halfwarp_from_half(unsigned short half) { return __halfwarp_from_half_by_bits(half); }
__HALFWARP_INLINE__ unsigned short __halfwarp_to_bfloat16(float value, __halfwarp_rounding how) {
    return __halfwarp_to_bfloat16_by_bits(value, how);
}

#endif

__HALFWARP_INLINE__ float __halfwarp_from_bfloat16(unsigned short bits) {
    return __halfwarp_float_of((unsigned int)bits << 16);
}

#endif
