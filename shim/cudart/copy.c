// Copies between plain addresses, one row to three dimensions. A copy is done when the call returns.
#include "shim/cudart/cudart.h"

_Static_assert((int)cudaMemcpyHostToDevice == HW_RT_HOST_TO_DEVICE && (int)cudaMemcpyDefault == HW_RT_ANY,
               "the runtime numbers directions as CUDA does");

static hw_rt_region flat(const void *start, size_t pitch) {
    return (hw_rt_region){.start = (char *)start, .pitch = pitch};
}

static cudaError_t copy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_copy(hw_shim_runtime(), flat(dst, bytes), flat(src, bytes), bytes, 1, 1,
                                       (unsigned)kind, hw_stream_of(stream)));
}

HW_EXPORT cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind) {
    return copy(dst, src, bytes, kind, NULL);
}
HW_ALIAS(cudaMemcpy_ptds, cudaMemcpy);

HW_EXPORT cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind,
                                      cudaStream_t stream) {
    return copy(dst, src, bytes, kind, stream);
}
HW_ALIAS(cudaMemcpyAsync_ptsz, cudaMemcpyAsync);

HW_EXPORT cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice, size_t bytes,
                                          cudaStream_t stream) {
    if (dstDevice || srcDevice) return hw_cudart_return(HW_RT_INVALID_DEVICE);
    return copy(dst, src, bytes, cudaMemcpyDeviceToDevice, stream);
}

HW_EXPORT cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t bytes) {
    return cudaMemcpyPeerAsync(dst, dstDevice, src, srcDevice, bytes, NULL);
}

HW_EXPORT cudaError_t cudaMemcpy2DAsync(void *dst, size_t dstPitch, const void *src, size_t srcPitch, size_t width,
                                        size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
    HW_ENTER();
    if (!hw_rt_is_stream(hw_shim_runtime(), hw_stream_of(stream))) return hw_cudart_return(HW_RT_INVALID_HANDLE);
    // As an H200 answers (tests/shim/invalid.h200.txt).
    if (width > dstPitch || width > srcPitch)
        return hw_cudart_return(height > 1 ? HW_RT_INVALID_PITCH : HW_RT_INVALID_VALUE);
    if (!width || !height) return cudaSuccess;
    return hw_cudart_return(hw_rt_copy(hw_shim_runtime(), flat(dst, dstPitch), flat(src, srcPitch), width, height, 1,
                                       (unsigned)kind, hw_stream_of(stream)));
}
HW_ALIAS(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync);

HW_EXPORT cudaError_t cudaMemcpy2D(void *dst, size_t dstPitch, const void *src, size_t srcPitch, size_t width,
                                   size_t height, enum cudaMemcpyKind kind) {
    return cudaMemcpy2DAsync(dst, dstPitch, src, srcPitch, width, height, kind, NULL);
}
HW_ALIAS(cudaMemcpy2D_ptds, cudaMemcpy2D);
