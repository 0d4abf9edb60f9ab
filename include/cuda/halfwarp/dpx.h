// Minima and maxima of integers, of three or after a sum ("DPX"), in plain C++. A sum wraps around; of _s16x2 and
// _u16x2 both halves are computed by themselves; _relu makes what is negative 0.
#ifndef __HALFWARP_DPX_H__
#define __HALFWARP_DPX_H__

#define __HALFWARP_MAX__(a, b) ((a) > (b) ? (a) : (b))
#define __HALFWARP_MIN__(a, b) ((a) < (b) ? (a) : (b))
#define __HALFWARP_RELU__(a) ((a) > 0 ? (a) : 0)

// A function of two or three operands from an expression in x, y, z and sum, which is x + y. T: the operands' type,
// of pairs that of a half.
#define __HALFWARP_DPX2__(name, T, value)                                                              \
    static __device__ __forceinline__ T name(T x, T y) { return value; }
#define __HALFWARP_DPX3__(name, T, value)                                                              \
    static __device__ __forceinline__ T name(T x, T y, T z) {                                          \
        T sum = (T)((unsigned int)x + (unsigned int)y);                                                \
        (void)sum;                                                                                     \
        return value;                                                                                  \
    }
#define __HALFWARP_DPX2_PAIR__(name, T, value)                                                         \
    static __device__ __forceinline__ unsigned int name(unsigned int a, unsigned int b) {              \
        unsigned int pair = 0;                                                                         \
        for (int at = 0; at < 32; at += 16) {                                                          \
            T x = (T)(a >> at), y = (T)(b >> at);                                                      \
            pair |= (unsigned int)(unsigned short)(value) << at;                                       \
        }                                                                                              \
        return pair;                                                                                   \
    }
#define __HALFWARP_DPX3_PAIR__(name, T, value)                                                         \
    static __device__ __forceinline__ unsigned int name(unsigned int a, unsigned int b, unsigned int c) { \
        unsigned int pair = 0;                                                                         \
        for (int at = 0; at < 32; at += 16) {                                                          \
            T x = (T)(a >> at), y = (T)(b >> at), z = (T)(c >> at), sum = (T)(x + y);                  \
            (void)sum;                                                                                 \
            pair |= (unsigned int)(unsigned short)(value) << at;                                       \
        }                                                                                              \
        return pair;                                                                                   \
    }

__HALFWARP_DPX2__(__vimax_s32_relu, int, __HALFWARP_RELU__(__HALFWARP_MAX__(x, y)))
__HALFWARP_DPX2_PAIR__(__vimax_s16x2_relu, short, __HALFWARP_RELU__(__HALFWARP_MAX__(x, y)))
__HALFWARP_DPX3__(__vimax3_s32, int, __HALFWARP_MAX__(__HALFWARP_MAX__(x, y), z))
__HALFWARP_DPX3__(__viaddmax_s32, int, __HALFWARP_MAX__(sum, z))
__HALFWARP_DPX3_PAIR__(__vimax3_s16x2, short, __HALFWARP_MAX__(__HALFWARP_MAX__(x, y), z))
__HALFWARP_DPX3_PAIR__(__viaddmax_s16x2, short, __HALFWARP_MAX__(sum, z))
__HALFWARP_DPX3__(__vimax3_u32, unsigned int, __HALFWARP_MAX__(__HALFWARP_MAX__(x, y), z))
__HALFWARP_DPX3__(__viaddmax_u32, unsigned int, __HALFWARP_MAX__(sum, z))
__HALFWARP_DPX3_PAIR__(__vimax3_u16x2, unsigned short, __HALFWARP_MAX__(__HALFWARP_MAX__(x, y), z))
__HALFWARP_DPX3_PAIR__(__viaddmax_u16x2, unsigned short, __HALFWARP_MAX__(sum, z))
__HALFWARP_DPX3__(__vimax3_s32_relu, int, __HALFWARP_RELU__(__HALFWARP_MAX__(__HALFWARP_MAX__(x, y), z)))
__HALFWARP_DPX3__(__viaddmax_s32_relu, int, __HALFWARP_RELU__(__HALFWARP_MAX__(sum, z)))
__HALFWARP_DPX3_PAIR__(__vimax3_s16x2_relu, short, __HALFWARP_RELU__(__HALFWARP_MAX__(__HALFWARP_MAX__(x, y), z)))
__HALFWARP_DPX3_PAIR__(__viaddmax_s16x2_relu, short, __HALFWARP_RELU__(__HALFWARP_MAX__(sum, z)))
__HALFWARP_DPX2__(__vimin_s32_relu, int, __HALFWARP_RELU__(__HALFWARP_MIN__(x, y)))
__HALFWARP_DPX2_PAIR__(__vimin_s16x2_relu, short, __HALFWARP_RELU__(__HALFWARP_MIN__(x, y)))
__HALFWARP_DPX3__(__vimin3_s32, int, __HALFWARP_MIN__(__HALFWARP_MIN__(x, y), z))
__HALFWARP_DPX3__(__viaddmin_s32, int, __HALFWARP_MIN__(sum, z))
__HALFWARP_DPX3_PAIR__(__vimin3_s16x2, short, __HALFWARP_MIN__(__HALFWARP_MIN__(x, y), z))
__HALFWARP_DPX3_PAIR__(__viaddmin_s16x2, short, __HALFWARP_MIN__(sum, z))
__HALFWARP_DPX3__(__vimin3_u32, unsigned int, __HALFWARP_MIN__(__HALFWARP_MIN__(x, y), z))
__HALFWARP_DPX3__(__viaddmin_u32, unsigned int, __HALFWARP_MIN__(sum, z))
__HALFWARP_DPX3_PAIR__(__vimin3_u16x2, unsigned short, __HALFWARP_MIN__(__HALFWARP_MIN__(x, y), z))
__HALFWARP_DPX3_PAIR__(__viaddmin_u16x2, unsigned short, __HALFWARP_MIN__(sum, z))
__HALFWARP_DPX3__(__vimin3_s32_relu, int, __HALFWARP_RELU__(__HALFWARP_MIN__(__HALFWARP_MIN__(x, y), z)))
__HALFWARP_DPX3__(__viaddmin_s32_relu, int, __HALFWARP_RELU__(__HALFWARP_MIN__(sum, z)))
__HALFWARP_DPX3_PAIR__(__vimin3_s16x2_relu, short, __HALFWARP_RELU__(__HALFWARP_MIN__(__HALFWARP_MIN__(x, y), z)))
__HALFWARP_DPX3_PAIR__(__viaddmin_s16x2_relu, short, __HALFWARP_RELU__(__HALFWARP_MIN__(sum, z)))

// Also which operand won; the first does when they are equal.
#define __HALFWARP_DPX_CHOICE__(name, T, comparison)                                                   \
    static __device__ __forceinline__ T name(T a, T b, bool *first) {                                  \
        *first = a comparison b;                                                                       \
        return *first ? a : b;                                                                         \
    }
#define __HALFWARP_DPX_CHOICE_PAIR__(name, T, comparison)                                              \
    static __device__ __forceinline__ unsigned int name(unsigned int a, unsigned int b, bool *high, bool *low) { \
        *high = (T)(a >> 16) comparison (T)(b >> 16);                                                  \
        *low = (T)a comparison (T)b;                                                                   \
        return ((*high ? a : b) & 0xffff0000u) | ((*low ? a : b) & 0xffffu);                           \
    }
__HALFWARP_DPX_CHOICE__(__vibmax_s32, int, >=)
__HALFWARP_DPX_CHOICE_PAIR__(__vibmax_s16x2, short, >=)
__HALFWARP_DPX_CHOICE__(__vibmax_u32, unsigned int, >=)
__HALFWARP_DPX_CHOICE_PAIR__(__vibmax_u16x2, unsigned short, >=)
__HALFWARP_DPX_CHOICE__(__vibmin_s32, int, <=)
__HALFWARP_DPX_CHOICE_PAIR__(__vibmin_s16x2, short, <=)
__HALFWARP_DPX_CHOICE__(__vibmin_u32, unsigned int, <=)
__HALFWARP_DPX_CHOICE_PAIR__(__vibmin_u16x2, unsigned short, <=)

#undef __HALFWARP_MAX__
#undef __HALFWARP_MIN__
#undef __HALFWARP_RELU__
#undef __HALFWARP_DPX2__
#undef __HALFWARP_DPX3__
#undef __HALFWARP_DPX2_PAIR__
#undef __HALFWARP_DPX3_PAIR__
#undef __HALFWARP_DPX_CHOICE__
#undef __HALFWARP_DPX_CHOICE_PAIR__

#endif
