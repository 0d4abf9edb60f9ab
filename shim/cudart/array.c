// Arrays: places to copy to and from, and to read through textures.
#include "shim/cudart/graph.h"

_Static_assert(cudaArrayLayered == HW_RT_ARRAY_LAYERED && cudaArrayCubemap == HW_RT_ARRAY_CUBE,
               "the runtime numbers flags as CUDA does");

HW_EXPORT struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                             enum cudaChannelFormatKind kind) {
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

HW_EXPORT cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                                        struct cudaExtent extent, unsigned int flags) {
    HW_ENTER();
    if (!array || !desc) return hw_cudart_return(HW_RT_INVALID_VALUE);
    const hw_rt_channels channels = hw_channels_of(desc);
    const size_t size[3] = {extent.width, extent.height, extent.depth};
    return hw_cudart_return(
        hw_rt_array_create(hw_shim_runtime(), &channels, size, flags, hw_shim_site(), (hw_rt_array **)array));
}

HW_EXPORT cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width,
                                      size_t height, unsigned int flags) {
    return cudaMalloc3DArray(array, desc, (struct cudaExtent){width, height, 0}, flags);
}

HW_EXPORT cudaError_t cudaFreeArray(cudaArray_t array) {
    HW_ENTER();
    if (!array) return cudaSuccess;
    return hw_cudart_return(hw_rt_array_destroy(hw_shim_runtime(), hw_array_of(array), hw_shim_site()));
}

HW_EXPORT cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                                       unsigned int *flags, cudaArray_t array) {
    HW_ENTER();
    hw_rt_array_info info;
    hw_rt_status status = hw_rt_array_get_info(hw_shim_runtime(), hw_array_of(array), &info);
    if (status) return hw_cudart_return(status);
    const int *bits = info.channels.bits;
    if (desc)
        *desc = cudaCreateChannelDesc(bits[0], bits[1], bits[2], bits[3],
                                      (enum cudaChannelFormatKind)info.channels.kind);
    if (extent) *extent = (struct cudaExtent){info.size[0], info.size[1], info.size[2]};
    if (flags) *flags = info.flags;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array) {
    return cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)array);
}

static hw_rt_status copy_between(const hw_rt_region *inside, const hw_rt_region *outside, bool to_array,
                                 hw_rt_shape shape, enum cudaMemcpyKind kind, hw_rt_order order) {
    return hw_rt_copy(hw_shim_runtime(), to_array ? *inside : *outside, to_array ? *outside : *inside, shape,
                      (unsigned)kind, order);
}

static cudaError_t copy_2d(cudaArray_const_t array, size_t x, size_t y, const void *other, size_t pitch, size_t width,
                           size_t height, enum cudaMemcpyKind kind, bool to_array, hw_rt_order order) {
    HW_ENTER();
    hw_runtime *runtime = hw_shim_runtime();
    if (!hw_rt_is_array(runtime, hw_array_of(array)) || !hw_rt_is_stream(runtime, order.stream))
        return hw_cudart_return(HW_RT_INVALID_HANDLE);
    if (width > pitch && height > 1) return hw_cudart_return(HW_RT_INVALID_PITCH);
    hw_rt_region inside, outside = {.start = (char *)other, .pitch = pitch};
    if (!hw_rt_array_region(runtime, hw_array_of(array), x, y, 0, width, height, 1, &inside))
        return hw_cudart_return(HW_RT_INVALID_VALUE);
    return hw_cudart_return(copy_between(&inside, &outside, to_array, (hw_rt_shape){width, height, 1}, kind, order));
}

HW_EXPORT cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t srcPitch,
                                               size_t width, size_t height, enum cudaMemcpyKind kind,
                                               cudaStream_t stream) {
    return copy_2d(dst, x, y, src, srcPitch, width, height, kind, true, hw_in_stream(stream));
}

HW_EXPORT cudaError_t cudaMemcpy2DToArrayAsync_ptsz(cudaArray_t dst, size_t x, size_t y, const void *src,
                                                    size_t srcPitch, size_t width, size_t height,
                                                    enum cudaMemcpyKind kind, cudaStream_t stream) {
    return cudaMemcpy2DToArrayAsync(dst, x, y, src, srcPitch, width, height, kind, hw_of_thread(stream));
}

HW_EXPORT cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t srcPitch,
                                          size_t width, size_t height, enum cudaMemcpyKind kind) {
    return copy_2d(dst, x, y, src, srcPitch, width, height, kind, true, hw_in_turn());
}

HW_EXPORT cudaError_t cudaMemcpy2DToArray_ptds(cudaArray_t dst, size_t x, size_t y, const void *src, size_t srcPitch,
                                               size_t width, size_t height, enum cudaMemcpyKind kind) {
    return copy_2d(dst, x, y, src, srcPitch, width, height, kind, true, hw_in_turn_of_thread());
}

HW_EXPORT cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dstPitch, cudaArray_const_t src, size_t x, size_t y,
                                                 size_t width, size_t height, enum cudaMemcpyKind kind,
                                                 cudaStream_t stream) {
    return copy_2d(src, x, y, dst, dstPitch, width, height, kind, false, hw_in_stream(stream));
}

HW_EXPORT cudaError_t cudaMemcpy2DFromArrayAsync_ptsz(void *dst, size_t dstPitch, cudaArray_const_t src, size_t x,
                                                      size_t y, size_t width, size_t height, enum cudaMemcpyKind kind,
                                                      cudaStream_t stream) {
    return cudaMemcpy2DFromArrayAsync(dst, dstPitch, src, x, y, width, height, kind, hw_of_thread(stream));
}

HW_EXPORT cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dstPitch, cudaArray_const_t src, size_t x, size_t y,
                                            size_t width, size_t height, enum cudaMemcpyKind kind) {
    return copy_2d(src, x, y, dst, dstPitch, width, height, kind, false, hw_in_turn());
}

HW_EXPORT cudaError_t cudaMemcpy2DFromArray_ptds(void *dst, size_t dstPitch, cudaArray_const_t src, size_t x, size_t y,
                                                 size_t width, size_t height, enum cudaMemcpyKind kind) {
    return copy_2d(src, x, y, dst, dstPitch, width, height, kind, false, hw_in_turn_of_thread());
}

// Copies a flat run of bytes that may go over several rows, as the two older calls do.
static cudaError_t copy_flat(cudaArray_const_t array, size_t x, size_t y, const void *other, size_t bytes,
                             enum cudaMemcpyKind kind, bool to_array, hw_rt_order order) {
    HW_ENTER();
    hw_runtime *runtime = hw_shim_runtime();
    hw_rt_region inside, outside = {.start = (char *)other, .pitch = bytes};
    if (!hw_rt_is_array(runtime, hw_array_of(array))) return hw_cudart_return(HW_RT_INVALID_HANDLE);
    if (!hw_rt_array_run(runtime, hw_array_of(array), x, y, bytes, &inside))
        return hw_cudart_return(HW_RT_INVALID_VALUE);
    return hw_cudart_return(copy_between(&inside, &outside, to_array, (hw_rt_shape){bytes, 1, 1}, kind, order));
}

HW_EXPORT cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes,
                                        enum cudaMemcpyKind kind) {
    return copy_flat(dst, x, y, src, bytes, kind, true, hw_in_turn());
}

HW_EXPORT cudaError_t cudaMemcpyToArray_ptds(cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes,
                                             enum cudaMemcpyKind kind) {
    return copy_flat(dst, x, y, src, bytes, kind, true, hw_in_turn_of_thread());
}

HW_EXPORT cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t bytes,
                                          enum cudaMemcpyKind kind) {
    return copy_flat(src, x, y, dst, bytes, kind, false, hw_in_turn());
}

HW_EXPORT cudaError_t cudaMemcpyFromArray_ptds(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t bytes,
                                               enum cudaMemcpyKind kind) {
    return copy_flat(src, x, y, dst, bytes, kind, false, hw_in_turn_of_thread());
}

// One side of a three-dimensional copy; positions and widths are in elements where an array takes part.
static bool side_of(cudaArray_t array, struct cudaPos at, struct cudaPitchedPtr plain, size_t width,
                    struct cudaExtent extent, hw_rt_region *out) {
    if (array) {
        hw_rt_array_info info;
        size_t x;
        return !hw_rt_array_get_info(hw_shim_runtime(), hw_array_of(array), &info) &&
               !__builtin_mul_overflow(at.x, info.element_bytes, &x) &&
               hw_rt_array_region(hw_shim_runtime(), hw_array_of(array), x, at.y, at.z, width, extent.height,
                                  extent.depth, out);
    }
    size_t slice, offset, row;
    if (__builtin_mul_overflow(plain.pitch, plain.ysize, &slice) || __builtin_mul_overflow(slice, at.z, &offset) ||
        __builtin_mul_overflow(plain.pitch, at.y, &row) || __builtin_add_overflow(offset, row, &offset) ||
        __builtin_add_overflow(offset, at.x, &offset))
        return false;
    if (width > plain.pitch && (extent.height > 1 || extent.depth > 1)) return false;
    *out = (hw_rt_region){.start = plain.ptr ? (char *)plain.ptr + offset : NULL, .pitch = plain.pitch, .slice = slice};
    return true;
}

hw_rt_status hw_cudart_copy_work(const struct cudaMemcpy3DParms *p, hw_rt_work *out) {
    hw_runtime *runtime = hw_shim_runtime();
    if (!p) return HW_RT_INVALID_VALUE;
    cudaArray_t array = p->srcArray ? p->srcArray : p->dstArray;
    hw_rt_shape shape = {p->extent.width, p->extent.height, p->extent.depth};
    hw_rt_array_info info;
    *out = (hw_rt_work){.kind = HW_RT_NODE_COPY};
    if (array && (hw_rt_array_get_info(runtime, hw_array_of(array), &info) ||
                  __builtin_mul_overflow(shape.width, info.element_bytes, &shape.width)))
        return HW_RT_INVALID_VALUE;
    if (!side_of(p->dstArray, p->dstPos, p->dstPtr, shape.width, p->extent, &out->copy.to) ||
        !side_of(p->srcArray, p->srcPos, p->srcPtr, shape.width, p->extent, &out->copy.from))
        return HW_RT_INVALID_VALUE;
    out->copy.shape = shape;
    out->copy.direction = (unsigned)p->kind;
    return HW_RT_SUCCESS;
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, hw_rt_order order) {
    HW_ENTER();
    hw_rt_work work;
    if (!p) return hw_cudart_return(HW_RT_INVALID_VALUE);
    if (!hw_rt_is_stream(hw_shim_runtime(), order.stream)) return hw_cudart_return(HW_RT_INVALID_HANDLE);
    const hw_rt_status status = hw_cudart_copy_work(p, &work);
    if (status) return hw_cudart_return(status);
    return hw_cudart_return(hw_rt_copy(hw_shim_runtime(), work.copy.to, work.copy.from, work.copy.shape,
                                       work.copy.direction, order));
}

HW_EXPORT cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
    return copy_3d(p, hw_in_stream(stream));
}

HW_EXPORT cudaError_t cudaMemcpy3DAsync_ptsz(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
    return cudaMemcpy3DAsync(p, hw_of_thread(stream));
}

HW_EXPORT cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) { return copy_3d(p, hw_in_turn()); }

HW_EXPORT cudaError_t cudaMemcpy3D_ptds(const struct cudaMemcpy3DParms *p) {
    return copy_3d(p, hw_in_turn_of_thread());
}

static cudaError_t copy_3d_peer(const struct cudaMemcpy3DPeerParms *p, hw_rt_order order) {
    if (!p) return hw_cudart_return(HW_RT_INVALID_VALUE);
    if (p->srcDevice || p->dstDevice) return hw_cudart_return(HW_RT_INVALID_DEVICE);
    const struct cudaMemcpy3DParms plain = {.srcArray = p->srcArray, .srcPos = p->srcPos, .srcPtr = p->srcPtr,
                                            .dstArray = p->dstArray, .dstPos = p->dstPos, .dstPtr = p->dstPtr,
                                            .extent = p->extent, .kind = cudaMemcpyDefault};
    return copy_3d(&plain, order);
}

HW_EXPORT cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
    return copy_3d_peer(p, hw_in_stream(stream));
}

HW_EXPORT cudaError_t cudaMemcpy3DPeerAsync_ptsz(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
    return cudaMemcpy3DPeerAsync(p, hw_of_thread(stream));
}

HW_EXPORT cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p) { return copy_3d_peer(p, hw_in_turn()); }

HW_EXPORT cudaError_t cudaMemcpy3DPeer_ptds(const struct cudaMemcpy3DPeerParms *p) {
    return copy_3d_peer(p, hw_in_turn_of_thread());
}
