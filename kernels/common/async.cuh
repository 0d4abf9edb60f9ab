// Copies from global into shared memory that go past the registers and do not wait (cp.async; compute capability 8.0
// on).
#pragma once

// The 32-bit address of shared memory that instructions take.
__device__ __forceinline__ unsigned shared_address(const void *pointer) {
    unsigned long long wide;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(wide) : "l"(pointer));
    return (unsigned)wide;
}

// 4, 8 or 16 bytes, at a multiple of themselves on both sides; of these the first `valid`, then zeros. With valid 0
// nothing is read, and `from` may be any address.
template <int bytes> __device__ __forceinline__ void copy_or_zero(unsigned to, const void *from, int valid) {
    if constexpr (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(valid) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(bytes), "r"(valid)
                     : "memory");
}

// All of them, or zeros; then nothing is read either.
template <int bytes> __device__ __forceinline__ void copy_if(unsigned to, const void *from, bool is_there) {
    if constexpr (bytes == 16)
        asm volatile("{ .reg .pred p; setp.eq.b32 p, %2, 0; cp.async.cg.shared.global [%0], [%1], 16, p; }" ::"r"(to),
                     "l"(from), "r"((int)is_there) : "memory");
    else
        asm volatile("{ .reg .pred p; setp.eq.b32 p, %2, 0; cp.async.ca.shared.global [%0], [%1], %3, p; }" ::"r"(to),
                     "l"(from), "r"((int)is_there), "n"(bytes) : "memory");
}

__device__ __forceinline__ void store_half(unsigned to, unsigned short value) {
    asm volatile("st.shared.b16 [%0], %1;" ::"r"(to), "h"(value) : "memory");
}

// The copies since the last group are a group.
__device__ __forceinline__ void close_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Until all but the newest `open` groups of this thread have arrived.
template <int open> __device__ __forceinline__ void await_groups() {
    asm volatile("cp.async.wait_group %0;" ::"n"(open) : "memory");
}
