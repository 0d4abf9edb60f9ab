// CUDA for clang without NVIDIA's toolkit. Included before the first line of every .cu file that Halfwarp compiles with
// clang, and by programs themselves. clang's own device headers do most of the work; this file gives them what they
// expect of a toolkit, in the order that clang's wrapper around NVIDIA's headers has.
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__
#ifdef __clang__
#pragma clang system_header
#endif

#if defined(__CUDA__) && defined(__clang__)

// No line in these headers is the user's program: what is inlined from them counts for the line that calls it.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

// clang before 19 has no __float128 for GPUs, which newer C libraries take for granted of any clang: glibc's header of
// such types (bits/floatn.h) is replaced by what it defines where there is none.
#include <features.h>
#if defined(__CUDA_ARCH__) && __clang_major__ < 19 && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 37)
#define _BITS_FLOATN_H
#define __HAVE_FLOAT128 0
#define __HAVE_DISTINCT_FLOAT128 0
#define __HAVE_FLOAT64X 1
#define __HAVE_FLOAT64X_LONG_DOUBLE 1
#include <bits/floatn-common.h>
#endif
#endif

// Device overloads must be known before <cmath> names its functions; __CUDACC__ keeps libstdc++ from __float128.
#include <__clang_cuda_math_forward_declares.h>
#define __CUDACC__
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#include <cmath>
#include <cstdlib>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utility>

#include "channel_descriptor.h"
#include "cuda.h"
#include "cuda_runtime_api.h"
#include "device_launch_parameters.h"
#include "driver_functions.h"
#include "host_defines.h"
#include "vector_functions.h"
#include "vector_types.h"

#include "halfwarp/device_core.h"
#include "halfwarp/host_math.h"

#include <__clang_cuda_libdevice_declares.h>
#include "halfwarp/libdevice_begin.h"
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>
#include "halfwarp/libdevice_end.h"
#include "halfwarp/math_overloads.h"
#include "halfwarp/device_queries.h"
#include <__clang_cuda_cmath.h>
#define __shfl_sync __halfwarp_hidden_shfl_sync
#define __shfl __halfwarp_hidden_shfl
#define __shfl_up_sync __halfwarp_hidden_shfl_up_sync
#define __shfl_up __halfwarp_hidden_shfl_up
#define __shfl_down_sync __halfwarp_hidden_shfl_down_sync
#define __shfl_down __halfwarp_hidden_shfl_down
#define __shfl_xor_sync __halfwarp_hidden_shfl_xor_sync
#define __shfl_xor __halfwarp_hidden_shfl_xor
#define __reduce_add_sync __halfwarp_hidden_reduce_add_sync
#define __reduce_min_sync __halfwarp_hidden_reduce_min_sync
#define __reduce_max_sync __halfwarp_hidden_reduce_max_sync
#define __reduce_and_sync __halfwarp_hidden_reduce_and_sync
#define __reduce_or_sync __halfwarp_hidden_reduce_or_sync
#define __reduce_xor_sync __halfwarp_hidden_reduce_xor_sync
#include <__clang_cuda_intrinsics.h>
#undef __shfl_sync
#undef __shfl
#undef __shfl_up_sync
#undef __shfl_up
#undef __shfl_down_sync
#undef __shfl_down
#undef __shfl_xor_sync
#undef __shfl_xor
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_and_sync
#undef __reduce_or_sync
#undef __reduce_xor_sync
#include <__clang_cuda_complex_builtins.h>

#include "halfwarp/barriers.h"
#include "halfwarp/atomics.h"
#include "halfwarp/cached_access.h"
#include "halfwarp/reduce_sync.h"
#include "halfwarp/shuffles.h"
#include "halfwarp/dpx.h"
#include "halfwarp/surface_access.h"
#include "halfwarp/texture_fetch.h"

#include "halfwarp/managed.h"
#include "halfwarp/runtime_templates.h"

// The call that clang makes of <<<grid, block, shared, stream>>>, before the kernel's stub.
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t sharedBytes = 0, void *stream = 0);

#pragma clang attribute pop

#else

#include "channel_descriptor.h"
#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "vector_functions.h"
#include "vector_types.h"
#ifdef __cplusplus
#include "halfwarp/runtime_templates.h"
#endif

#endif

#endif
