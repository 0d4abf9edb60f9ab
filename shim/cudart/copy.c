// Copies between plain addresses, one row to three dimensions. A copy is done when the call returns.
#include "shim/cudart/cudart.h"

_Static_assert((int)cudaMemcpyHostToDevice == HW_HOST_COPY_HOST_TO_DEVICE && (int)cudaMemcpyDefault == HW_HOST_COPY_ANY,
               "the runtime numbers directions as CUDA does");

static hw_rt_region flat_region(const void *start, size_t pitch) {
    return (hw_rt_region){.start = (char *)start, .pitch = pitch};
}

static cudaError_t copy_bytes(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind, hw_rt_order order) {
    HW_ENTER();
    const hw_rt_shape shape = {bytes, 1, 1};
    return hw_cudart_return(
        hw_rt_copy(hw_shim_runtime(), flat_region(dst, bytes), flat_region(src, bytes), shape, (unsigned)kind, order));
}

HW_EXPORT cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind) {
    return copy_bytes(dst, src, bytes, kind, hw_in_turn());
}

HW_EXPORT cudaError_t cudaMemcpy_ptds(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind) {
    return copy_bytes(dst, src, bytes, kind, hw_in_turn_of_thread());
}

HW_EXPORT cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind,
                                      cudaStream_t stream) {
    return copy_bytes(dst, src, bytes, kind, hw_in_stream(stream));
}

HW_EXPORT cudaError_t cudaMemcpyAsync_ptsz(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind,
                                           cudaStream_t stream) {
    return cudaMemcpyAsync(dst, src, bytes, kind, hw_of_thread(stream));
}

static cudaError_t copy_peer(void *dst, int dstDevice, const void *src, int srcDevice, size_t bytes,
                             hw_rt_order order) {
    if (hw_rt_check_device(hw_shim_runtime(), dstDevice) || hw_rt_check_device(hw_shim_runtime(), srcDevice))
        return hw_cudart_return(HW_RT_INVALID_DEVICE);
    return copy_bytes(dst, src, bytes, cudaMemcpyDeviceToDevice, order);
}

HW_EXPORT cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice, size_t bytes,
                                          cudaStream_t stream) {
    return copy_peer(dst, dstDevice, src, srcDevice, bytes, hw_in_stream(stream));
}

HW_EXPORT cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t bytes) {
    return copy_peer(dst, dstDevice, src, srcDevice, bytes, hw_in_turn());
}

static cudaError_t copy_2d(hw_rt_region to, hw_rt_region from, size_t width, size_t height, enum cudaMemcpyKind kind,
                           hw_rt_order order) {
    HW_ENTER();
    if (!hw_rt_is_stream(hw_shim_runtime(), order.stream)) return hw_cudart_return(HW_RT_INVALID_HANDLE);
    // As an H200 answers (tests/shim/invalid.h200.txt).
    if (width > to.pitch || width > from.pitch)
        return hw_cudart_return(height > 1 ? HW_RT_INVALID_PITCH : HW_RT_INVALID_VALUE);
    if (!width || !height) return cudaSuccess;
    const hw_rt_shape shape = {width, height, 1};
    return hw_cudart_return(hw_rt_copy(hw_shim_runtime(), to, from, shape, (unsigned)kind, order));
}

HW_EXPORT cudaError_t cudaMemcpy2DAsync(void *dst, size_t dstPitch, const void *src, size_t srcPitch, size_t width,
                                        size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_2d(flat_region(dst, dstPitch), flat_region(src, srcPitch), width, height, kind, hw_in_stream(stream));
}

HW_EXPORT cudaError_t cudaMemcpy2DAsync_ptsz(void *dst, size_t dstPitch, const void *src, size_t srcPitch, size_t width,
                                             size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
    return cudaMemcpy2DAsync(dst, dstPitch, src, srcPitch, width, height, kind, hw_of_thread(stream));
}

HW_EXPORT cudaError_t cudaMemcpy2D(void *dst, size_t dstPitch, const void *src, size_t srcPitch, size_t width,
                                   size_t height, enum cudaMemcpyKind kind) {
    return copy_2d(flat_region(dst, dstPitch), flat_region(src, srcPitch), width, height, kind, hw_in_turn());
}

HW_EXPORT cudaError_t cudaMemcpy2D_ptds(void *dst, size_t dstPitch, const void *src, size_t srcPitch, size_t width,
                                        size_t height, enum cudaMemcpyKind kind) {
    return copy_2d(flat_region(dst, dstPitch), flat_region(src, srcPitch), width, height, kind, hw_in_turn_of_thread());
}
