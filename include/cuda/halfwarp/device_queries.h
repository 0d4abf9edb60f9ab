// Small device functions that clang's headers leave to the toolkit's: what space an address is in, sleeping, dot
// products of bytes.
#ifndef __HALFWARP_DEVICE_QUERIES_H__
#define __HALFWARP_DEVICE_QUERIES_H__

static __device__ __forceinline__ __attribute__((const)) unsigned int __isGlobal(const void *p) {
    return __nvvm_isspacep_global(p);
}
static __device__ __forceinline__ __attribute__((const)) unsigned int __isShared(const void *p) {
    return __nvvm_isspacep_shared(p);
}
static __device__ __forceinline__ __attribute__((const)) unsigned int __isConstant(const void *p) {
    return __nvvm_isspacep_const(p);
}
static __device__ __forceinline__ __attribute__((const)) unsigned int __isLocal(const void *p) {
    return __nvvm_isspacep_local(p);
}

static __device__ __forceinline__ size_t __cvta_generic_to_global(const void *p) {
    return (size_t)(void __attribute__((address_space(1))) *)p;
}
static __device__ __forceinline__ size_t __cvta_generic_to_shared(const void *p) {
    return (size_t)(void __attribute__((address_space(3))) *)p;
}
static __device__ __forceinline__ size_t __cvta_generic_to_constant(const void *p) {
    return (size_t)(void __attribute__((address_space(4))) *)p;
}
static __device__ __forceinline__ size_t __cvta_generic_to_local(const void *p) {
    return (size_t)(void __attribute__((address_space(5))) *)p;
}
static __device__ __forceinline__ void *__cvta_global_to_generic(size_t address) {
    return (void *)(void __attribute__((address_space(1))) *)address;
}
static __device__ __forceinline__ void *__cvta_shared_to_generic(size_t address) {
    return (void *)(void __attribute__((address_space(3))) *)address;
}
static __device__ __forceinline__ void *__cvta_local_to_generic(size_t address) {
    return (void *)(void __attribute__((address_space(5))) *)address;
}

static __device__ __forceinline__ void __nanosleep(unsigned int nanoseconds) {
    asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}

// The event's number is part of the instruction.
#define __prof_trigger(event) asm volatile("pmevent %0;" ::"n"(event))

static __device__ __forceinline__ unsigned short __nv_bswap16(unsigned short x) { return __builtin_bswap16(x); }
static __device__ __forceinline__ unsigned int __nv_bswap32(unsigned int x) { return __builtin_bswap32(x); }
static __device__ __forceinline__ unsigned long long __nv_bswap64(unsigned long long x) { return __builtin_bswap64(x); }

static __device__ __forceinline__ int __dp4a(int a, int b, int c) {
    int sum;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
}
static __device__ __forceinline__ unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
    unsigned int sum;
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
}
static __device__ __forceinline__ int __dp2a_lo(int a, int b, int c) {
    int sum;
    asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
}
static __device__ __forceinline__ unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c) {
    unsigned int sum;
    asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
}
static __device__ __forceinline__ int __dp2a_hi(int a, int b, int c) {
    int sum;
    asm("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
}
static __device__ __forceinline__ unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c) {
    unsigned int sum;
    asm("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
}
static __device__ __forceinline__ int __dp4a(char4 a, char4 b, int c) {
    int x, y;
    __builtin_memcpy(&x, &a, 4);
    __builtin_memcpy(&y, &b, 4);
    return __dp4a(x, y, c);
}
static __device__ __forceinline__ unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
    unsigned int x, y;
    __builtin_memcpy(&x, &a, 4);
    __builtin_memcpy(&y, &b, 4);
    return __dp4a(x, y, c);
}
static __device__ __forceinline__ int __dp2a_lo(short2 a, char4 b, int c) {
    int x, y;
    __builtin_memcpy(&x, &a, 4);
    __builtin_memcpy(&y, &b, 4);
    return __dp2a_lo(x, y, c);
}
static __device__ __forceinline__ unsigned int __dp2a_lo(ushort2 a, uchar4 b, unsigned int c) {
    unsigned int x, y;
    __builtin_memcpy(&x, &a, 4);
    __builtin_memcpy(&y, &b, 4);
    return __dp2a_lo(x, y, c);
}
static __device__ __forceinline__ int __dp2a_hi(short2 a, char4 b, int c) {
    int x, y;
    __builtin_memcpy(&x, &a, 4);
    __builtin_memcpy(&y, &b, 4);
    return __dp2a_hi(x, y, c);
}
static __device__ __forceinline__ unsigned int __dp2a_hi(ushort2 a, uchar4 b, unsigned int c) {
    unsigned int x, y;
    __builtin_memcpy(&x, &a, 4);
    __builtin_memcpy(&y, &b, 4);
    return __dp2a_hi(x, y, c);
}

#endif
