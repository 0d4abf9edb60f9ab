// __reduce_add_sync and its family. clang's own headers have them from version 19 on, with mask and value exchanged;
// cuda_runtime.h hides those.
#ifndef __HALFWARP_REDUCE_SYNC_H__
#define __HALFWARP_REDUCE_SYNC_H__

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

static __device__ __forceinline__ unsigned int __reduce_add_sync(unsigned int mask, unsigned int value) {
    unsigned int result;
    asm volatile("redux.sync.add.u32 %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));
    return result;
}
static __device__ __forceinline__ int __reduce_add_sync(unsigned int mask, int value) {
    int result;
    asm volatile("redux.sync.add.s32 %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));
    return result;
}
static __device__ __forceinline__ unsigned int __reduce_min_sync(unsigned int mask, unsigned int value) {
    unsigned int result;
    asm volatile("redux.sync.min.u32 %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));
    return result;
}
static __device__ __forceinline__ int __reduce_min_sync(unsigned int mask, int value) {
    int result;
    asm volatile("redux.sync.min.s32 %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));
    return result;
}
static __device__ __forceinline__ unsigned int __reduce_max_sync(unsigned int mask, unsigned int value) {
    unsigned int result;
    asm volatile("redux.sync.max.u32 %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));
    return result;
}
static __device__ __forceinline__ int __reduce_max_sync(unsigned int mask, int value) {
    int result;
    asm volatile("redux.sync.max.s32 %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));
    return result;
}
static __device__ __forceinline__ unsigned int __reduce_and_sync(unsigned int mask, unsigned int value) {
    unsigned int result;
    asm volatile("redux.sync.and.b32 %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));
    return result;
}
static __device__ __forceinline__ unsigned int __reduce_or_sync(unsigned int mask, unsigned int value) {
    unsigned int result;
    asm volatile("redux.sync.or.b32 %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));
    return result;
}
static __device__ __forceinline__ unsigned int __reduce_xor_sync(unsigned int mask, unsigned int value) {
    unsigned int result;
    asm volatile("redux.sync.xor.b32 %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));
    return result;
}

#endif

#endif
