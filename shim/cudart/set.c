// Filling device memory with a byte.
#include "shim/cudart/cudart.h"

static cudaError_t set_region(hw_rt_region to, int value, hw_rt_shape shape, hw_rt_order order) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_set(hw_shim_runtime(), to, value, shape, order));
}

static hw_rt_region rows_region(void *pointer, size_t pitch) {
    return (hw_rt_region){.start = pointer, .pitch = pitch};
}

HW_EXPORT cudaError_t cudaMemset(void *pointer, int value, size_t bytes) {
    return set_region(rows_region(pointer, bytes), value, (hw_rt_shape){bytes, 1, 1}, hw_in_turn());
}

HW_EXPORT cudaError_t cudaMemset_ptds(void *pointer, int value, size_t bytes) {
    return set(rows(pointer, bytes), value, (hw_rt_shape){bytes, 1, 1}, hw_in_turn_of_thread());
}

HW_EXPORT cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream) {
    return set_region(rows_region(pointer, bytes), value, (hw_rt_shape){bytes, 1, 1}, hw_in_stream(stream));
}

HW_EXPORT cudaError_t cudaMemsetAsync_ptsz(void *pointer, int value, size_t bytes, cudaStream_t stream) {
    return cudaMemsetAsync(pointer, value, bytes, hw_of_thread(stream));
}

HW_EXPORT cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
    return set_region(rows_region(pointer, pitch), value, (hw_rt_shape){width, height, 1}, hw_in_turn());
}

HW_EXPORT cudaError_t cudaMemset2D_ptds(void *pointer, size_t pitch, int value, size_t width, size_t height) {
    return set(rows(pointer, pitch), value, (hw_rt_shape){width, height, 1}, hw_in_turn_of_thread());
}

HW_EXPORT cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                                        cudaStream_t stream) {
    return set_region(rows_region(pointer, pitch), value, (hw_rt_shape){width, height, 1}, hw_in_stream(stream));
}

HW_EXPORT cudaError_t cudaMemset2DAsync_ptsz(void *pointer, size_t pitch, int value, size_t width, size_t height,
                                             cudaStream_t stream) {
    return cudaMemset2DAsync(pointer, pitch, value, width, height, hw_of_thread(stream));
}

static cudaError_t set_3d(struct cudaPitchedPtr p, int value, struct cudaExtent extent, hw_rt_order order) {
    hw_rt_region to = rows_region(p.ptr, p.pitch);
    if (__builtin_mul_overflow(p.pitch, p.ysize, &to.slice) || extent.height > p.ysize)
        return hw_cudart_return(HW_RT_INVALID_VALUE);
    return set_region(to, value, (hw_rt_shape){extent.width, extent.height, extent.depth}, order);
}

HW_EXPORT cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent extent,
                                        cudaStream_t stream) {
    return set_3d(p, value, extent, hw_in_stream(stream));
}

HW_EXPORT cudaError_t cudaMemset3DAsync_ptsz(struct cudaPitchedPtr p, int value, struct cudaExtent extent,
                                             cudaStream_t stream) {
    return cudaMemset3DAsync(p, value, extent, hw_of_thread(stream));
}

HW_EXPORT cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent) {
    return set_3d(p, value, extent, hw_in_turn());
}

HW_EXPORT cudaError_t cudaMemset3D_ptds(struct cudaPitchedPtr p, int value, struct cudaExtent extent) {
    return set_3d(p, value, extent, hw_in_turn_of_thread());
}
