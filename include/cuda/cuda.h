// The CUDA driver API, as far as it is supported (shim/cuda/entries.def). Numbers and layouts are CUDA 13's.
#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__
#ifdef __clang__
#pragma clang system_header
#endif

#define CUDA_VERSION 13000
#define __CUDA_API_VERSION 13000

#include "halfwarp/driver_api_calls.h"
#include "halfwarp/driver_api_types.h"
#include "halfwarp/driver_graph_calls.h"
#ifndef __CUDA_API_VERSION_INTERNAL
#include "halfwarp/driver_api_versions.h"
#endif

#endif
