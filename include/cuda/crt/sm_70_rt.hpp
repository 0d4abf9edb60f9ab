// __match_any_sync and __match_all_sync for every type. Those of 32 bits stand on what clang's
// __clang_cuda_intrinsics.h has just defined; for 64 bits, clang 14 and 15 write an instruction that does not exist.
#ifndef __HALFWARP_SM_70_RT_HPP__
#define __HALFWARP_SM_70_RT_HPP__

static __device__ __forceinline__ unsigned int __halfwarp_match_any(unsigned int mask, unsigned long long value) {
    unsigned int lanes;
    asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(lanes) : "l"(value), "r"(mask));
    return lanes;
}
static __device__ __forceinline__ unsigned int __halfwarp_match_all(unsigned int mask, unsigned long long value,
                                                                    int *same) {
    unsigned int lanes;
    asm volatile("{ .reg .pred p; match.all.sync.b64 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"
                 : "=r"(lanes), "=r"(*same)
                 : "l"(value), "r"(mask));
    return lanes;
}

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
    return __halfwarp_match_any(mask, value);
}
static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, long value) {
    return __halfwarp_match_any(mask, (unsigned long long)value);
}
static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, unsigned long long value) {
    return __halfwarp_match_any(mask, value);
}
static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, long long value) {
    return __halfwarp_match_any(mask, (unsigned long long)value);
}
static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, double value) {
    return __halfwarp_match_any(mask, (unsigned long long)__double_as_longlong(value));
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
    return __halfwarp_match_all(mask, value, same);
}
static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, long value, int *same) {
    return __halfwarp_match_all(mask, (unsigned long long)value, same);
}
static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, unsigned long long value,
                                                                int *same) {
    return __halfwarp_match_all(mask, value, same);
}
static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, long long value, int *same) {
    return __halfwarp_match_all(mask, (unsigned long long)value, same);
}
static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, double value, int *same) {
    return __halfwarp_match_all(mask, (unsigned long long)__double_as_longlong(value), same);
}

#endif
