// What __half and __nv_bfloat16 have in common: division, comparisons, functions, operators, exchange between lanes.
// cuda_fp16.h and cuda_bf16.h include it, each with its own:
//
//   __HALF__, __PAIR__                   the type, and two of them
//   __INFINITE__                         the bits of infinity
//   __FLOAT_OF__(v), __OF_FLOAT__(v)     conversions
//   __OF_BITS__, __PAIR_OF_BITS__(bits)  the same bits
__HALFWARP_H__ __HALF__ __hdiv(__HALF__ a, __HALF__ b) { return __OF_FLOAT__(__FLOAT_OF__(a) / __FLOAT_OF__(b)); }
__HALFWARP_H__ __PAIR__ __h2div(__PAIR__ a, __PAIR__ b) { return __PAIR__(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
__HALFWARP_H__ __HALF__ __hneg(__HALF__ v) { return __OF_BITS__((unsigned short)(v.__x ^ 0x8000)); }
__HALFWARP_H__ __PAIR__ __hneg2(__PAIR__ v) { return __PAIR_OF_BITS__(__halfwarp_pair(v) ^ 0x80008000u); }
__HALFWARP_H__ __HALF__ __habs(__HALF__ v) { return __OF_BITS__((unsigned short)(v.__x & 0x7fff)); }
__HALFWARP_H__ __PAIR__ __habs2(__PAIR__ v) { return __PAIR_OF_BITS__(__halfwarp_pair(v) & 0x7fff7fffu); }

// Comparisons. With a u they are true where either is a NaN; those on pairs give 1 or 0 for each, those with a b
// whether both hold.
#define __HALFWARP_COMPARE__(name, name2, both, mask, expression)                                                      \
    __HALFWARP_H__ bool name(__HALF__ a, __HALF__ b) {                                                                 \
        float x = __FLOAT_OF__(a), y = __FLOAT_OF__(b);                                                                \
        return expression;                                                                                             \
    }                                                                                                                  \
    __HALFWARP_H__ __PAIR__ name2(__PAIR__ a, __PAIR__ b) {                                                            \
        return __PAIR__(__HALF__(name(a.x, b.x) ? 1.0f : 0.0f), __HALF__(name(a.y, b.y) ? 1.0f : 0.0f));               \
    }                                                                                                                  \
    __HALFWARP_H__ unsigned int mask(__PAIR__ a, __PAIR__ b) {                                                         \
        return (name(a.x, b.x) ? 0xffffu : 0u) | (name(a.y, b.y) ? 0xffff0000u : 0u);                                  \
    }                                                                                                                  \
    __HALFWARP_H__ bool both(__PAIR__ a, __PAIR__ b) { return name(a.x, b.x) && name(a.y, b.y); }
__HALFWARP_COMPARE__(__heq, __heq2, __hbeq2, __heq2_mask, x == y)
__HALFWARP_COMPARE__(__hne, __hne2, __hbne2, __hne2_mask, x < y || x > y)
__HALFWARP_COMPARE__(__hlt, __hlt2, __hblt2, __hlt2_mask, x < y)
__HALFWARP_COMPARE__(__hle, __hle2, __hble2, __hle2_mask, x <= y)
__HALFWARP_COMPARE__(__hgt, __hgt2, __hbgt2, __hgt2_mask, x > y)
__HALFWARP_COMPARE__(__hge, __hge2, __hbge2, __hge2_mask, x >= y)
__HALFWARP_COMPARE__(__hequ, __hequ2, __hbequ2, __hequ2_mask, !(x < y || x > y))
__HALFWARP_COMPARE__(__hneu, __hneu2, __hbneu2, __hneu2_mask, x != y)
__HALFWARP_COMPARE__(__hltu, __hltu2, __hbltu2, __hltu2_mask, !(x >= y))
__HALFWARP_COMPARE__(__hleu, __hleu2, __hbleu2, __hleu2_mask, !(x > y))
__HALFWARP_COMPARE__(__hgtu, __hgtu2, __hbgtu2, __hgtu2_mask, !(x <= y))
__HALFWARP_COMPARE__(__hgeu, __hgeu2, __hbgeu2, __hgeu2_mask, !(x < y))
#undef __HALFWARP_COMPARE__
__HALFWARP_H__ bool __hisnan(__HALF__ v) { return (v.__x & 0x7fff) > __INFINITE__; }
__HALFWARP_H__ int __hisinf(__HALF__ v) {
    return v.__x == __INFINITE__ ? 1 : v.__x == (__INFINITE__ | 0x8000) ? -1 : 0;
}
__HALFWARP_H__ __PAIR__ __hisnan2(__PAIR__ v) {
    return __PAIR__(__HALF__(__hisnan(v.x) ? 1.0f : 0.0f), __HALF__(__hisnan(v.y) ? 1.0f : 0.0f));
}

// Functions, through those for float.
#define __HALFWARP_FUNCTION__(name, name2, result)                                                                     \
    __HALFWARP_H__ __HALF__ name(__HALF__ v) {                                                                         \
        float x = __FLOAT_OF__(v);                                                                                     \
        return __OF_FLOAT__(result);                                                                                   \
    }                                                                                                                  \
    __HALFWARP_H__ __PAIR__ name2(__PAIR__ v) { return __PAIR__(name(v.x), name(v.y)); }
__HALFWARP_FUNCTION__(hsqrt, h2sqrt, sqrtf(x))
__HALFWARP_FUNCTION__(hrsqrt, h2rsqrt, 1.0f / sqrtf(x))
__HALFWARP_FUNCTION__(hrcp, h2rcp, 1.0f / x)
__HALFWARP_FUNCTION__(hlog, h2log, logf(x))
__HALFWARP_FUNCTION__(hlog2, h2log2, log2f(x))
__HALFWARP_FUNCTION__(hlog10, h2log10, log10f(x))
__HALFWARP_FUNCTION__(hexp, h2exp, expf(x))
__HALFWARP_FUNCTION__(hexp2, h2exp2, exp2f(x))
__HALFWARP_FUNCTION__(hexp10, h2exp10, exp10f(x))
__HALFWARP_FUNCTION__(hsin, h2sin, sinf(x))
__HALFWARP_FUNCTION__(hcos, h2cos, cosf(x))
__HALFWARP_FUNCTION__(htanh, h2tanh, tanhf(x))
__HALFWARP_FUNCTION__(hfloor, h2floor, floorf(x))
__HALFWARP_FUNCTION__(hceil, h2ceil, ceilf(x))
__HALFWARP_FUNCTION__(htrunc, h2trunc, truncf(x))
__HALFWARP_FUNCTION__(hrint, h2rint, rintf(x))
#undef __HALFWARP_FUNCTION__

// Operators.
__HALFWARP_H__ __HALF__ operator+(const __HALF__ &a, const __HALF__ &b) { return __hadd(a, b); }
__HALFWARP_H__ __HALF__ &operator+=(__HALF__ &a, const __HALF__ &b) { return a = __hadd(a, b); }
__HALFWARP_H__ __PAIR__ operator+(const __PAIR__ &a, const __PAIR__ &b) { return __hadd2(a, b); }
__HALFWARP_H__ __PAIR__ &operator+=(__PAIR__ &a, const __PAIR__ &b) { return a = __hadd2(a, b); }
__HALFWARP_H__ __HALF__ operator-(const __HALF__ &a, const __HALF__ &b) { return __hsub(a, b); }
__HALFWARP_H__ __HALF__ &operator-=(__HALF__ &a, const __HALF__ &b) { return a = __hsub(a, b); }
__HALFWARP_H__ __PAIR__ operator-(const __PAIR__ &a, const __PAIR__ &b) { return __hsub2(a, b); }
__HALFWARP_H__ __PAIR__ &operator-=(__PAIR__ &a, const __PAIR__ &b) { return a = __hsub2(a, b); }
__HALFWARP_H__ __HALF__ operator*(const __HALF__ &a, const __HALF__ &b) { return __hmul(a, b); }
__HALFWARP_H__ __HALF__ &operator*=(__HALF__ &a, const __HALF__ &b) { return a = __hmul(a, b); }
__HALFWARP_H__ __PAIR__ operator*(const __PAIR__ &a, const __PAIR__ &b) { return __hmul2(a, b); }
__HALFWARP_H__ __PAIR__ &operator*=(__PAIR__ &a, const __PAIR__ &b) { return a = __hmul2(a, b); }
__HALFWARP_H__ __HALF__ operator/(const __HALF__ &a, const __HALF__ &b) { return __hdiv(a, b); }
__HALFWARP_H__ __HALF__ &operator/=(__HALF__ &a, const __HALF__ &b) { return a = __hdiv(a, b); }
__HALFWARP_H__ __PAIR__ operator/(const __PAIR__ &a, const __PAIR__ &b) { return __h2div(a, b); }
__HALFWARP_H__ __PAIR__ &operator/=(__PAIR__ &a, const __PAIR__ &b) { return a = __h2div(a, b); }
__HALFWARP_H__ bool operator==(const __HALF__ &a, const __HALF__ &b) { return __heq(a, b); }
__HALFWARP_H__ bool operator==(const __PAIR__ &a, const __PAIR__ &b) { return __hbeq2(a, b); }
__HALFWARP_H__ bool operator!=(const __HALF__ &a, const __HALF__ &b) { return __hneu(a, b); }
__HALFWARP_H__ bool operator!=(const __PAIR__ &a, const __PAIR__ &b) { return __hbneu2(a, b); }
__HALFWARP_H__ bool operator<(const __HALF__ &a, const __HALF__ &b) { return __hlt(a, b); }
__HALFWARP_H__ bool operator<(const __PAIR__ &a, const __PAIR__ &b) { return __hblt2(a, b); }
__HALFWARP_H__ bool operator<=(const __HALF__ &a, const __HALF__ &b) { return __hle(a, b); }
__HALFWARP_H__ bool operator<=(const __PAIR__ &a, const __PAIR__ &b) { return __hble2(a, b); }
__HALFWARP_H__ bool operator>(const __HALF__ &a, const __HALF__ &b) { return __hgt(a, b); }
__HALFWARP_H__ bool operator>(const __PAIR__ &a, const __PAIR__ &b) { return __hbgt2(a, b); }
__HALFWARP_H__ bool operator>=(const __HALF__ &a, const __HALF__ &b) { return __hge(a, b); }
__HALFWARP_H__ bool operator>=(const __PAIR__ &a, const __PAIR__ &b) { return __hbge2(a, b); }
__HALFWARP_H__ __HALF__ operator-(const __HALF__ &v) { return __hneg(v); }
__HALFWARP_H__ __HALF__ operator+(const __HALF__ &v) { return v; }
__HALFWARP_H__ __PAIR__ operator-(const __PAIR__ &v) { return __hneg2(v); }
__HALFWARP_H__ __PAIR__ operator+(const __PAIR__ &v) { return v; }
__HALFWARP_H__ __HALF__ &operator++(__HALF__ &v) { return v = __hadd(v, __HALF__(1.0f)); }
__HALFWARP_H__ __HALF__ &operator--(__HALF__ &v) { return v = __hsub(v, __HALF__(1.0f)); }

#if defined(__CUDA__)

// Between lanes, and from read-only memory.
static __device__ __forceinline__ __HALF__ __shfl_sync(unsigned int mask, __HALF__ v, int lane, int width = warpSize) {
    return __OF_BITS__((unsigned short)__shfl_sync(mask, (unsigned int)v.__x, lane, width));
}
static __device__ __forceinline__ __PAIR__ __shfl_sync(unsigned int mask, __PAIR__ v, int lane, int width = warpSize) {
    return __PAIR_OF_BITS__(__shfl_sync(mask, __halfwarp_pair(v), lane, width));
}
static __device__ __forceinline__ __HALF__ __shfl_up_sync(unsigned int mask, __HALF__ v, unsigned int lane,
                                                          int width = warpSize) {
    return __OF_BITS__((unsigned short)__shfl_up_sync(mask, (unsigned int)v.__x, lane, width));
}
static __device__ __forceinline__ __PAIR__ __shfl_up_sync(unsigned int mask, __PAIR__ v, unsigned int lane,
                                                          int width = warpSize) {
    return __PAIR_OF_BITS__(__shfl_up_sync(mask, __halfwarp_pair(v), lane, width));
}
static __device__ __forceinline__ __HALF__ __shfl_down_sync(unsigned int mask, __HALF__ v, unsigned int lane,
                                                            int width = warpSize) {
    return __OF_BITS__((unsigned short)__shfl_down_sync(mask, (unsigned int)v.__x, lane, width));
}
static __device__ __forceinline__ __PAIR__ __shfl_down_sync(unsigned int mask, __PAIR__ v, unsigned int lane,
                                                            int width = warpSize) {
    return __PAIR_OF_BITS__(__shfl_down_sync(mask, __halfwarp_pair(v), lane, width));
}
static __device__ __forceinline__ __HALF__ __shfl_xor_sync(unsigned int mask, __HALF__ v, int lane,
                                                           int width = warpSize) {
    return __OF_BITS__((unsigned short)__shfl_xor_sync(mask, (unsigned int)v.__x, lane, width));
}
static __device__ __forceinline__ __PAIR__ __shfl_xor_sync(unsigned int mask, __PAIR__ v, int lane,
                                                           int width = warpSize) {
    return __PAIR_OF_BITS__(__shfl_xor_sync(mask, __halfwarp_pair(v), lane, width));
}
static __device__ __forceinline__ __HALF__ __ldg(const __HALF__ *p) {
    return __OF_BITS__(__ldg((const unsigned short *)p));
}
static __device__ __forceinline__ __PAIR__ __ldg(const __PAIR__ *p) {
    return __PAIR_OF_BITS__(__ldg((const unsigned int *)p));
}

#endif

#undef __HALF__
#undef __PAIR__
#undef __INFINITE__
#undef __FLOAT_OF__
#undef __OF_FLOAT__
#undef __OF_BITS__
#undef __PAIR_OF_BITS__
