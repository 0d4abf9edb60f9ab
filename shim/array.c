// Arrays: places to copy to and from, and to read through textures. Rows are stored as they are, one after the other.
#include <string.h>

#include "base/alloc.h"
#include "shim.h"
#include "tell.h"

struct cudaArray {
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent;           // in elements, as the caller gave it
    unsigned flags;
    size_t elem_bytes, row_bytes, rows, slices;
    char *data;
};

static bool is_array(cudaArray_const_t array) { return hw_handle_is(HW_HANDLE_ARRAY, array); }

const struct cudaChannelFormatDesc *hw_array_place(cudaArray_const_t array, hw_texture *out) {
    bool is_plain = is_array(array) && !(array->flags & (cudaArrayLayered | cudaArrayCubemap));
    if (!is_plain || array->row_bytes / array->elem_bytes > 0x7fffffff || array->rows > 0x7fffffff ||
        array->slices > 0x7fffffff)
        return NULL;
    out->address = hw_address(array->data);
    out->pitch_bytes = array->row_bytes;
    out->slice_bytes = array->row_bytes * array->rows;
    out->bytes = out->slice_bytes * array->slices;
    out->size[0] = (uint32_t)(array->row_bytes / array->elem_bytes);
    out->size[1] = (uint32_t)array->rows;
    out->size[2] = (uint32_t)array->slices;
    return &array->desc;
}

static hw_region region_at(cudaArray_const_t array, size_t x_bytes, size_t y, size_t z) {
    return (hw_region){.start = array->data + (z * array->rows + y) * array->row_bytes + x_bytes,
                       .pitch = array->row_bytes, .slice = array->row_bytes * array->rows};
}

static bool fits(cudaArray_const_t array, size_t x_bytes, size_t y, size_t z, size_t width, size_t height,
                 size_t depth) {
    return x_bytes <= array->row_bytes && width <= array->row_bytes - x_bytes && y <= array->rows &&
           height <= array->rows - y && z <= array->slices && depth <= array->slices - z;
}

HW_EXPORT struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                             enum cudaChannelFormatKind kind) {
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

HW_EXPORT cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                                        struct cudaExtent extent, unsigned int flags) {
    HW_ENTER();
    if (!array || !desc || !extent.width) return hw_shim_return(cudaErrorInvalidValue);
    int bits = desc->x + desc->y + desc->z + desc->w;
    if (bits <= 0 || bits % 8 || bits > 128) return hw_shim_return(cudaErrorInvalidChannelDescriptor);
    struct cudaArray *made = hw_calloc(1, sizeof *made);
    if (!made) return hw_shim_return(cudaErrorMemoryAllocation);
    *made = (struct cudaArray){.desc = *desc, .extent = extent, .flags = flags, .elem_bytes = (size_t)bits / 8,
                               .rows = extent.height ? extent.height : 1, .slices = extent.depth ? extent.depth : 1};
    size_t bytes;
    uint64_t address = 0;
    bool good = !__builtin_mul_overflow(extent.width, made->elem_bytes, &made->row_bytes) &&
                !__builtin_mul_overflow(made->row_bytes, made->rows, &bytes) &&
                !__builtin_mul_overflow(bytes, made->slices, &bytes) &&
                hw_mem_alloc(hw_sim_mem(hw_shim_sim()), bytes, 512, HW_ALLOC_DEVICE, hw_shim_site(), NULL, &address,
                             NULL) == HW_OK;
    made->data = (char *)(uintptr_t)address;
    if (!good || !hw_handle_add(HW_HANDLE_ARRAY, made)) {
        hw_free(made);
        return hw_shim_return(cudaErrorMemoryAllocation);
    }
    *array = made;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width,
                                      size_t height, unsigned int flags) {
    return cudaMalloc3DArray(array, desc, (struct cudaExtent){width, height, 0}, flags);
}

HW_EXPORT cudaError_t cudaFreeArray(cudaArray_t array) {
    HW_ENTER();
    if (!array) return cudaSuccess;
    if (!hw_handle_remove(HW_HANDLE_ARRAY, array)) return hw_shim_return(cudaErrorInvalidResourceHandle);
    hw_mem_free_at(hw_sim_mem(hw_shim_sim()), hw_address(array->data), hw_shim_site(), NULL);
    hw_free(array);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                                       unsigned int *flags, cudaArray_t array) {
    HW_ENTER();
    if (!is_array(array)) return hw_shim_return(cudaErrorInvalidResourceHandle);
    if (desc) *desc = array->desc;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array) {
    return cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)array);
}

static cudaError_t copy_2d(cudaArray_const_t array, size_t x, size_t y, const void *other, size_t pitch, size_t width,
                           size_t height, enum cudaMemcpyKind kind, bool to_array, cudaStream_t stream) {
    HW_ENTER();
    if (!is_array(array) || !hw_stream_is_valid(stream)) return hw_shim_return(cudaErrorInvalidResourceHandle);
    if (width > pitch && height > 1) return hw_shim_return(cudaErrorInvalidPitchValue);
    if (!fits(array, x, y, 0, width, height, 1)) return hw_shim_return(cudaErrorInvalidValue);
    hw_region inside = region_at(array, x, y, 0), outside = {.start = (char *)other, .pitch = pitch};
    return hw_shim_return(
        hw_copy_rows(to_array ? inside : outside, to_array ? outside : inside, width, height, 1, kind, stream));
}

HW_EXPORT cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t srcPitch,
                                               size_t width, size_t height, enum cudaMemcpyKind kind,
                                               cudaStream_t stream) {
    return copy_2d(dst, x, y, src, srcPitch, width, height, kind, true, stream);
}
HW_ALIAS(cudaMemcpy2DToArrayAsync_ptsz, cudaMemcpy2DToArrayAsync);

HW_EXPORT cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t srcPitch,
                                          size_t width, size_t height, enum cudaMemcpyKind kind) {
    return hw_shim_waited(copy_2d(dst, x, y, src, srcPitch, width, height, kind, true, NULL), kind);
}
HW_ALIAS(cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArray);

HW_EXPORT cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dstPitch, cudaArray_const_t src, size_t x, size_t y,
                                                 size_t width, size_t height, enum cudaMemcpyKind kind,
                                                 cudaStream_t stream) {
    return copy_2d(src, x, y, dst, dstPitch, width, height, kind, false, stream);
}
HW_ALIAS(cudaMemcpy2DFromArrayAsync_ptsz, cudaMemcpy2DFromArrayAsync);

HW_EXPORT cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dstPitch, cudaArray_const_t src, size_t x, size_t y,
                                            size_t width, size_t height, enum cudaMemcpyKind kind) {
    return hw_shim_waited(copy_2d(src, x, y, dst, dstPitch, width, height, kind, false, NULL), kind);
}
HW_ALIAS(cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArray);

// Copies a flat run of bytes that may go over several rows, as the two older calls do.
static cudaError_t copy_flat(cudaArray_const_t array, size_t x, size_t y, const void *other, size_t bytes,
                             enum cudaMemcpyKind kind, bool to_array) {
    HW_ENTER();
    if (!is_array(array)) return hw_shim_return(cudaErrorInvalidResourceHandle);
    size_t total = array->row_bytes * array->rows, start = y * array->row_bytes + x;
    if (x > array->row_bytes || y >= array->rows || bytes > total - start) return hw_shim_return(cudaErrorInvalidValue);
    hw_region inside = {.start = array->data + start, .pitch = bytes};
    hw_region outside = {.start = (char *)other, .pitch = bytes};
    cudaError_t error = hw_copy_rows(to_array ? inside : outside, to_array ? outside : inside, bytes, 1, 1, kind, NULL);
    return hw_shim_waited(hw_shim_return(error), kind);
}

HW_EXPORT cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes,
                                        enum cudaMemcpyKind kind) {
    return copy_flat(dst, x, y, src, bytes, kind, true);
}
HW_ALIAS(cudaMemcpyToArray_ptds, cudaMemcpyToArray);

HW_EXPORT cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t bytes,
                                          enum cudaMemcpyKind kind) {
    return copy_flat(src, x, y, dst, bytes, kind, false);
}
HW_ALIAS(cudaMemcpyFromArray_ptds, cudaMemcpyFromArray);

// One side of a three-dimensional copy; positions and widths are in elements where an array takes part.
static bool side_of(cudaArray_t array, struct cudaPos at, struct cudaPitchedPtr plain, size_t width,
                    struct cudaExtent extent, hw_region *out) {
    if (array) {
        if (!is_array(array)) return false;
        size_t x;
        if (__builtin_mul_overflow(at.x, array->elem_bytes, &x) ||
            !fits(array, x, at.y, at.z, width, extent.height, extent.depth))
            return false;
        *out = region_at(array, x, at.y, at.z);
        return true;
    }
    size_t slice, offset, row;
    if (__builtin_mul_overflow(plain.pitch, plain.ysize, &slice) || __builtin_mul_overflow(slice, at.z, &offset) ||
        __builtin_mul_overflow(plain.pitch, at.y, &row) || __builtin_add_overflow(offset, row, &offset) ||
        __builtin_add_overflow(offset, at.x, &offset))
        return false;
    if (width > plain.pitch && (extent.height > 1 || extent.depth > 1)) return false;
    *out = (hw_region){.start = plain.ptr ? (char *)plain.ptr + offset : NULL, .pitch = plain.pitch, .slice = slice};
    return true;
}

HW_EXPORT cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
    HW_ENTER();
    if (!p) return hw_shim_return(cudaErrorInvalidValue);
    if (!hw_stream_is_valid(stream)) return hw_shim_return(cudaErrorInvalidResourceHandle);
    cudaArray_t array = p->srcArray ? p->srcArray : p->dstArray;
    size_t width = p->extent.width;
    hw_region to, from;
    if (array && (!is_array(array) || __builtin_mul_overflow(width, array->elem_bytes, &width)))
        return hw_shim_return(cudaErrorInvalidValue);
    if (!side_of(p->dstArray, p->dstPos, p->dstPtr, width, p->extent, &to) ||
        !side_of(p->srcArray, p->srcPos, p->srcPtr, width, p->extent, &from))
        return hw_shim_return(cudaErrorInvalidValue);
    return hw_shim_return(hw_copy_rows(to, from, width, p->extent.height, p->extent.depth, p->kind, stream));
}
HW_ALIAS(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync);

HW_EXPORT cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
    cudaError_t error = cudaMemcpy3DAsync(p, NULL);
    return error ? error : hw_shim_waited(cudaSuccess, p->kind);
}
HW_ALIAS(cudaMemcpy3D_ptds, cudaMemcpy3D);

HW_EXPORT cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
    if (!p) return hw_shim_return(cudaErrorInvalidValue);
    if (p->srcDevice || p->dstDevice) return hw_shim_return(cudaErrorInvalidDevice);
    const struct cudaMemcpy3DParms plain = {.srcArray = p->srcArray, .srcPos = p->srcPos, .srcPtr = p->srcPtr,
                                            .dstArray = p->dstArray, .dstPos = p->dstPos, .dstPtr = p->dstPtr,
                                            .extent = p->extent, .kind = cudaMemcpyDefault};
    return cudaMemcpy3DAsync(&plain, stream);
}
HW_ALIAS(cudaMemcpy3DPeerAsync_ptsz, cudaMemcpy3DPeerAsync);

HW_EXPORT cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p) { return cudaMemcpy3DPeerAsync(p, NULL); }
HW_ALIAS(cudaMemcpy3DPeer_ptds, cudaMemcpy3DPeer);
