// Filling device memory with a byte.
#include "shim/cudart/cudart.h"

static cudaError_t set(void *pointer, size_t pitch, size_t slice, int value, size_t width, size_t height, size_t depth,
                       cudaStream_t stream) {
    HW_ENTER();
    const hw_rt_region where = {.start = pointer, .pitch = pitch, .slice = slice};
    return hw_cudart_return(
        hw_rt_set(hw_shim_runtime(), where, value, width, height, depth, hw_stream_of(stream)));
}

HW_EXPORT cudaError_t cudaMemset(void *pointer, int value, size_t bytes) {
    return set(pointer, bytes, 0, value, bytes, 1, 1, NULL);
}
HW_ALIAS(cudaMemset_ptds, cudaMemset);

HW_EXPORT cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream) {
    return set(pointer, bytes, 0, value, bytes, 1, 1, stream);
}
HW_ALIAS(cudaMemsetAsync_ptsz, cudaMemsetAsync);

HW_EXPORT cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
    return set(pointer, pitch, 0, value, width, height, 1, NULL);
}
HW_ALIAS(cudaMemset2D_ptds, cudaMemset2D);

HW_EXPORT cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                                        cudaStream_t stream) {
    return set(pointer, pitch, 0, value, width, height, 1, stream);
}
HW_ALIAS(cudaMemset2DAsync_ptsz, cudaMemset2DAsync);

HW_EXPORT cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent extent,
                                        cudaStream_t stream) {
    size_t slice;
    if (__builtin_mul_overflow(p.pitch, p.ysize, &slice) || extent.height > p.ysize)
        return hw_cudart_return(HW_RT_INVALID_VALUE);
    return set(p.ptr, p.pitch, slice, value, extent.width, extent.height, extent.depth, stream);
}
HW_ALIAS(cudaMemset3DAsync_ptsz, cudaMemset3DAsync);

HW_EXPORT cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent) {
    return cudaMemset3DAsync(p, value, extent, NULL);
}
HW_ALIAS(cudaMemset3D_ptds, cudaMemset3D);
