// What differs between versions of the runtime library. Compiled once per version, with HW_CUDART 11, 12 or 13.
#if HW_CUDART < 13
// Declared by our headers as CUDA 13 has them; defined below as this version does.
#define cudaMemPrefetchAsync cudaMemPrefetchAsync_of_13
#define cudaMemAdvise cudaMemAdvise_of_13
#define cudaGetDeviceProperties cudaGetDeviceProperties_of_13
#endif
#include <stddef.h>

#include "shim/cudart/event.h"
#include "shim/cudart/managed.h"
#include "shim/cudart/cudart.h"
#include "shim/cudart/version.h"
#undef cudaMemPrefetchAsync
#undef cudaMemAdvise
#undef cudaGetDeviceProperties

#if HW_CUDART == 11
enum { RUNTIME_VERSION = 11080 };
#elif HW_CUDART == 12
enum { RUNTIME_VERSION = 12090 };
#else
enum { RUNTIME_VERSION = 13000 };
#endif
enum { DRIVER_VERSION = 13000 };

HW_EXPORT cudaError_t cudaRuntimeGetVersion(int *version) {
    if (!version) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *version = RUNTIME_VERSION;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaDriverGetVersion(int *version) {
    if (!version) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *version = DRIVER_VERSION;
    return cudaSuccess;
}

const int hw_version = HW_CUDART;

static cudaError_t check_properties(const void *prop, int device) {
    if (hw_rt_check_device(hw_shim_runtime(), device)) return hw_cudart_return(HW_RT_INVALID_DEVICE);
    return hw_cudart_return(prop ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE);
}

#if HW_CUDART == 13
HW_EXPORT cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device) {
    cudaError_t error = check_properties(prop, device);
    if (!error) hw_properties_13(hw_rt_gpu_at(hw_shim_runtime(), device), prop);
    return error;
}
#else
HW_EXPORT cudaError_t cudaGetDeviceProperties(void *prop, int device) {
    cudaError_t error = check_properties(prop, device);
    if (!error) hw_properties_11(hw_rt_gpu_at(hw_shim_runtime(), device), prop);
    return error;
}

HW_EXPORT cudaError_t cudaGetDeviceProperties_v2(void *prop, int device) {
    cudaError_t error = check_properties(prop, device);
    if (!error) hw_properties_12(hw_rt_gpu_at(hw_shim_runtime(), device), prop);
    return error;
}
#endif

// The struct grew in 12.
HW_EXPORT cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function) {
    size_t bytes = HW_CUDART == 11 ? offsetof(struct cudaFuncAttributes, clusterDimMustBeSet) : sizeof *attributes;
    return hw_function_attributes(attributes, bytes, function);
}

#if HW_CUDART == 13
HW_EXPORT cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, struct cudaMemLocation location,
                                           unsigned int flags, cudaStream_t stream) {
    return flags ? hw_cudart_return(HW_RT_INVALID_VALUE) : hw_managed_prefetch(pointer, bytes, location, stream);
}
HW_ALIAS(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync);

HW_EXPORT cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                                    struct cudaMemLocation location) {
    return hw_managed_advise(pointer, bytes, advice, location);
}
#else
static struct cudaMemLocation location_of(int device) {
    return (struct cudaMemLocation){device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
                                    device < 0 ? 0 : device};
}

HW_EXPORT cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device, cudaStream_t stream) {
    return hw_managed_prefetch(pointer, bytes, location_of(device), stream);
}
HW_ALIAS(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync);

HW_EXPORT cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice, int device) {
    return hw_managed_advise(pointer, bytes, advice, location_of(device));
}

HW_EXPORT cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t bytes, struct cudaMemLocation location,
                                              unsigned int flags, cudaStream_t stream) {
    return flags ? hw_cudart_return(HW_RT_INVALID_VALUE) : hw_managed_prefetch(pointer, bytes, location, stream);
}
HW_ALIAS(cudaMemPrefetchAsync_v2_ptsz, cudaMemPrefetchAsync_v2);

HW_EXPORT cudaError_t cudaMemAdvise_v2(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                                       struct cudaMemLocation location) {
    return hw_managed_advise(pointer, bytes, advice, location);
}
#endif

HW_EXPORT cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return hw_event_elapsed(milliseconds, start, end);
}

// The name that headers from 12.8 on give it.
HW_EXPORT cudaError_t cudaEventElapsedTime_v2(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return hw_event_elapsed(milliseconds, start, end);
}
