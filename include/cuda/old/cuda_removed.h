// What CUDA 13 has removed of the runtime's functions on "threads", which have been another name of those on devices
// since CUDA 4.0. Read in front of programs where nvcc compiles them; clang's headers declare them.
//
// They are templates, so that a program's own functions of these names go before them.
#ifndef HALFWARP_CUDA_REMOVED_H
#define HALFWARP_CUDA_REMOVED_H

#include <cuda_runtime_api.h>

#if defined(__cplusplus) && CUDART_VERSION >= 13000
template <int = 0> inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
template <int = 0> inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
#endif

#endif
