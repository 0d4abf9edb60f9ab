// Filling device memory with a byte.
#include <string.h>

#include "shim.h"
#include "tell.h"

static cudaError_t set(void *pointer, size_t pitch, size_t slice, int value, size_t width, size_t height, size_t depth,
                       cudaStream_t stream) {
    HW_ENTER();
    if (!hw_stream_is_valid(stream)) return hw_shim_return(cudaErrorInvalidResourceHandle);
    if (!width || !height || !depth) return cudaSuccess;
    size_t rows, slices, span;
    if ((height > 1 && width > pitch) || __builtin_mul_overflow(pitch, height - 1, &rows) ||
        __builtin_mul_overflow(slice, depth - 1, &slices) || __builtin_add_overflow(rows, slices, &span) ||
        __builtin_add_overflow(span, width, &span) || !hw_is_device_range(pointer, span))
        return hw_shim_return(cudaErrorInvalidValue);
    char *start = hw_mem_host(hw_sim_mem(hw_shim_sim()), hw_address(pointer));
    for (size_t z = 0; z < depth; z++)
        for (size_t y = 0; y < height; y++) memset(start + z * slice + y * pitch, value, width);
    hw_shim_tell_set(&(hw_region){pointer, pitch, slice}, value, width, height, depth, stream);
    return cudaSuccess;
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
        return hw_shim_return(cudaErrorInvalidValue);
    return set(p.ptr, p.pitch, slice, value, extent.width, extent.height, extent.depth, stream);
}
HW_ALIAS(cudaMemset3DAsync_ptsz, cudaMemset3DAsync);

HW_EXPORT cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent) {
    return cudaMemset3DAsync(p, value, extent, NULL);
}
HW_ALIAS(cudaMemset3D_ptds, cudaMemset3D);
