// The words that CUDA adds to C++: where a function runs, where a variable lives.
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__
#ifdef __clang__
#pragma clang system_header
#endif

#define CUDARTAPI
#define CUDAAPI
#define CUDART_CB
#define CUDA_CB
#define CUDARTAPI_CDECL

#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __align__(bytes)
#define __device_builtin__
#define __cudart_builtin__
#define __no_return__ __attribute__((noreturn))
#define __nv_pure__

#if defined(__CUDA__)

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

// clang has no managed variables in CUDA. Here they are device variables whose host twin lies in a section that the
// runtime library is told of (see halfwarp/managed.h): it gives host and device the same storage.
#if defined(__CUDA_ARCH__)
#define __managed__ __attribute__((device))
#else
#define __managed__ __attribute__((device)) __attribute__((section("halfwarp_managed")))
#endif

// The third argument (blocks per cluster) says nothing about the code that a compiler makes.
#define __halfwarp_bounds_1(threads) __attribute__((launch_bounds(threads)))
#define __halfwarp_bounds_2(threads, blocks) __attribute__((launch_bounds(threads, blocks)))
#define __halfwarp_bounds_3(threads, blocks, cluster) __attribute__((launch_bounds(threads, blocks)))
#define __halfwarp_bounds_pick(a, b, c, chosen, ...) chosen
#define __launch_bounds__(...) \
    __halfwarp_bounds_pick(__VA_ARGS__, __halfwarp_bounds_3, __halfwarp_bounds_2, __halfwarp_bounds_1, )(__VA_ARGS__)
#define __maxnreg__(registers)
#define __cluster_dims__(...)
#define __block_size__(...)
#define __grid_constant__

// clang 15 made this word part of the language; before, libstdc++'s own use of it needs bits/shared_ptr_base.h here.
#if __clang_major__ < 15
#define __noinline__ __attribute__((noinline))
#endif

#else

#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__

#endif

#endif
