// __match_any_sync and __match_all_sync for every type, over the two widths that clang's __clang_cuda_intrinsics.h has
// just defined.
#ifndef __HALFWARP_SM_70_RT_HPP__
#define __HALFWARP_SM_70_RT_HPP__

static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, unsigned int value) {
    return __match32_any_sync(mask, value);
}
static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, int value) {
    return __match32_any_sync(mask, (unsigned int)value);
}
static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, float value) {
    return __match32_any_sync(mask, __float_as_uint(value));
}
static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, unsigned long value) {
    return (unsigned int)__match64_any_sync(mask, value);
}
static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, long value) {
    return (unsigned int)__match64_any_sync(mask, (unsigned long long)value);
}
static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, unsigned long long value) {
    return (unsigned int)__match64_any_sync(mask, value);
}
static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, long long value) {
    return (unsigned int)__match64_any_sync(mask, (unsigned long long)value);
}
static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, double value) {
    return (unsigned int)__match64_any_sync(mask, (unsigned long long)__double_as_longlong(value));
}

static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, unsigned int value, int *same) {
    return __match32_all_sync(mask, value, same);
}
static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, int value, int *same) {
    return __match32_all_sync(mask, (unsigned int)value, same);
}
static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, float value, int *same) {
    return __match32_all_sync(mask, __float_as_uint(value), same);
}
static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, unsigned long value, int *same) {
    return (unsigned int)__match64_all_sync(mask, value, same);
}
static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, long value, int *same) {
    return (unsigned int)__match64_all_sync(mask, (unsigned long long)value, same);
}
static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, unsigned long long value,
                                                                int *same) {
    return (unsigned int)__match64_all_sync(mask, value, same);
}
static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, long long value, int *same) {
    return (unsigned int)__match64_all_sync(mask, (unsigned long long)value, same);
}
static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, double value, int *same) {
    return (unsigned int)__match64_all_sync(mask, (unsigned long long)__double_as_longlong(value), same);
}

#endif
