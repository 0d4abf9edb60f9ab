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
HW_ALIAS(cudaMemset_ptds, cudaMemset);

HW_EXPORT cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream) {
    return set_region(rows_region(pointer, bytes), value, (hw_rt_shape){bytes, 1, 1}, hw_in_stream(stream));
}
HW_ALIAS(cudaMemsetAsync_ptsz, cudaMemsetAsync);

HW_EXPORT cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
    return set_region(rows_region(pointer, pitch), value, (hw_rt_shape){width, height, 1}, hw_in_turn());
}
HW_ALIAS(cudaMemset2D_ptds, cudaMemset2D);

HW_EXPORT cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                                        cudaStream_t stream) {
    return set_region(rows_region(pointer, pitch), value, (hw_rt_shape){width, height, 1}, hw_in_stream(stream));
}
HW_ALIAS(cudaMemset2DAsync_ptsz, cudaMemset2DAsync);

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
HW_ALIAS(cudaMemset3DAsync_ptsz, cudaMemset3DAsync);

HW_EXPORT cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent) {
    return set_3d(p, value, extent, hw_in_turn());
}
HW_ALIAS(cudaMemset3D_ptds, cudaMemset3D);
