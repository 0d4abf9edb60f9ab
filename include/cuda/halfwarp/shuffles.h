// __shfl_sync and its family, and those of before 9.0 without a mask. clang's own headers have them too, but until 18
// the ones for unsigned long long call themselves, and all code behind such a call is gone; cuda_runtime.h hides them.
#ifndef __HALFWARP_SHUFFLES_H__
#define __HALFWARP_SHUFFLES_H__

// A pair of words, low first.
union __halfwarp_words {
    long long whole;
    double real;
    int word[2];
};

// first, first_name: the mask, where there is one. segment: the lanes that a warp is cut into, as PTX has it beside the
// last lane of each (PTX ISA, shfl.sync).
#define __HALFWARP_SHUFFLE(name, first, first_name, word_builtin, float_builtin, last, lane_type)                      \
    static __device__ __forceinline__ int name(first int value, lane_type lane, int width = warpSize) {                \
        return word_builtin(first_name value, lane, (warpSize - width) << 8 | last);                                   \
    }                                                                                                                  \
    static __device__ __forceinline__ float name(first float value, lane_type lane, int width = warpSize) {            \
        return float_builtin(first_name value, lane, (warpSize - width) << 8 | last);                                  \
    }                                                                                                                  \
    static __device__ __forceinline__ unsigned int name(first unsigned int value, lane_type lane,                      \
                                                        int width = warpSize) {                                        \
        return (unsigned int)name(first_name (int)value, lane, width);                                                 \
    }                                                                                                                  \
    static __device__ __forceinline__ long long name(first long long value, lane_type lane, int width = warpSize) {    \
        __halfwarp_words words;                                                                                        \
        words.whole = value;                                                                                           \
        words.word[0] = name(first_name words.word[0], lane, width);                                                   \
        words.word[1] = name(first_name words.word[1], lane, width);                                                   \
        return words.whole;                                                                                            \
    }                                                                                                                  \
    static __device__ __forceinline__ unsigned long long name(first unsigned long long value, lane_type lane,          \
                                                              int width = warpSize) {                                  \
        return (unsigned long long)name(first_name (long long)value, lane, width);                                     \
    }                                                                                                                  \
    static __device__ __forceinline__ long name(first long value, lane_type lane, int width = warpSize) {              \
        return (long)name(first_name (long long)value, lane, width);                                                   \
    }                                                                                                                  \
    static __device__ __forceinline__ unsigned long name(first unsigned long value, lane_type lane,                    \
                                                         int width = warpSize) {                                       \
        return (unsigned long)name(first_name (long long)value, lane, width);                                          \
    }                                                                                                                  \
    static __device__ __forceinline__ double name(first double value, lane_type lane, int width = warpSize) {          \
        __halfwarp_words words;                                                                                        \
        words.real = value;                                                                                            \
        words.whole = name(first_name words.whole, lane, width);                                                       \
        return words.real;                                                                                             \
    }
#define __HALFWARP_NO_MASK
#define __HALFWARP_MASK unsigned int mask,
#define __HALFWARP_ITS_MASK mask,

// The last lane of a segment bounds all but "up", whose lanes are bounded by the first.
__HALFWARP_SHUFFLE(__shfl_sync, __HALFWARP_MASK, __HALFWARP_ITS_MASK, __nvvm_shfl_sync_idx_i32,
                   __nvvm_shfl_sync_idx_f32, 0x1f, int)
__HALFWARP_SHUFFLE(__shfl_up_sync, __HALFWARP_MASK, __HALFWARP_ITS_MASK, __nvvm_shfl_sync_up_i32,
                   __nvvm_shfl_sync_up_f32, 0, unsigned int)
__HALFWARP_SHUFFLE(__shfl_down_sync, __HALFWARP_MASK, __HALFWARP_ITS_MASK, __nvvm_shfl_sync_down_i32,
                   __nvvm_shfl_sync_down_f32, 0x1f, unsigned int)
__HALFWARP_SHUFFLE(__shfl_xor_sync, __HALFWARP_MASK, __HALFWARP_ITS_MASK, __nvvm_shfl_sync_bfly_i32,
                   __nvvm_shfl_sync_bfly_f32, 0x1f, int)

__HALFWARP_SHUFFLE(__shfl, __HALFWARP_NO_MASK, __HALFWARP_NO_MASK, __nvvm_shfl_idx_i32, __nvvm_shfl_idx_f32, 0x1f, int)
__HALFWARP_SHUFFLE(__shfl_up, __HALFWARP_NO_MASK, __HALFWARP_NO_MASK, __nvvm_shfl_up_i32, __nvvm_shfl_up_f32, 0,
                   unsigned int)
__HALFWARP_SHUFFLE(__shfl_down, __HALFWARP_NO_MASK, __HALFWARP_NO_MASK, __nvvm_shfl_down_i32, __nvvm_shfl_down_f32,
                   0x1f, unsigned int)
__HALFWARP_SHUFFLE(__shfl_xor, __HALFWARP_NO_MASK, __HALFWARP_NO_MASK, __nvvm_shfl_bfly_i32, __nvvm_shfl_bfly_f32,
                   0x1f, int)

#undef __HALFWARP_SHUFFLE
#undef __HALFWARP_NO_MASK
#undef __HALFWARP_MASK
#undef __HALFWARP_ITS_MASK

#endif
