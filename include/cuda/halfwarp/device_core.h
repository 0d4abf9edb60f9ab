// What the rest of the device side stands on: system calls, and the helpers behind libdevice_begin.h.
#ifndef __HALFWARP_DEVICE_CORE_H__
#define __HALFWARP_DEVICE_CORE_H__

#include <stddef.h>

extern "C" {
__device__ int vprintf(const char *format, const char *arguments);
__device__ void free(void *block) __attribute__((nothrow));
__device__ void *malloc(size_t bytes) __attribute__((nothrow)) __attribute__((malloc));
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function,
                             size_t charBytes);
// clang turns printf into vprintf; this one exists only to be named.
__device__ int printf(const char *format, ...);
}

extern "C" {
__device__ static inline void __assert_fail(const char *message, const char *file, unsigned line,
                                            const char *function) {
    __assertfail(message, file, line, function, sizeof(char));
}
}

namespace std {
__device__ static inline void free(void *block) { ::free(block); }
__device__ static inline void *malloc(size_t bytes) { return ::malloc(bytes); }
}

static __device__ __forceinline__ int __halfwarp_clz(int a) { return a ? __builtin_clz((unsigned int)a) : 32; }
static __device__ __forceinline__ int __halfwarp_clzll(long long a) {
    return a ? __builtin_clzll((unsigned long long)a) : 64;
}
template <class T> static __device__ __forceinline__ T __halfwarp_min(T a, T b) { return a < b ? a : b; }
template <class T> static __device__ __forceinline__ T __halfwarp_max(T a, T b) { return a > b ? a : b; }
static __device__ __forceinline__ unsigned int __halfwarp_sad(int a, int b, unsigned int c) {
    unsigned int sum;
    asm("sad.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
}
static __device__ __forceinline__ unsigned int __halfwarp_usad(unsigned int a, unsigned int b, unsigned int c) {
    unsigned int sum;
    asm("sad.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
}

#endif
