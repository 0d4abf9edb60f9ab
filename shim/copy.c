// Copies between plain addresses, one row to three dimensions. Streams do not matter: a copy is done when the call
// returns. Device memory on either side must lie within one allocation; the host's own addresses are looked at before
// they are used, so that a stray one is an error and no crash.
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shim.h"
#include "tell.h"

bool hw_is_device_range(const void *p, size_t bytes) {
    hw_allocation found;
    return hw_mem_find(hw_sim_mem(hw_shim_sim()), hw_address(p), bytes, &found);
}

static bool byte_is_readable(const char *p) {
    char byte;
    struct iovec to = {&byte, 1}, from = {(void *)p, 1};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1 || errno != EFAULT;
}

// Bytes from the first to the last that a region of rows covers; false when that is more than there can be.
static bool span_of(const hw_region *r, size_t width, size_t height, size_t depth, size_t *span) {
    size_t rows, slices;
    return !__builtin_mul_overflow(r->pitch, height - 1, &rows) &&
           !__builtin_mul_overflow(r->slice, depth - 1, &slices) &&
           !__builtin_add_overflow(rows, slices, span) && !__builtin_add_overflow(*span, width, span);
}

static bool is_usable(const hw_region *r, size_t width, size_t height, size_t depth, bool must_be_device) {
    size_t span;
    if (!r->start || !span_of(r, width, height, depth, &span)) return false;
    if (hw_is_device_range(r->start, span)) return true;
    const hw_mem *mem = hw_sim_mem(hw_shim_sim());
    const char *last = r->start + (span - 1);
    bool is_stray = hw_mem_owns(mem, hw_address(r->start)) || hw_mem_owns(mem, hw_address(last));
    if (must_be_device || is_stray || last < r->start) return false;
    return byte_is_readable(r->start) && byte_is_readable(last);
}

cudaError_t hw_copy_rows(hw_region to, hw_region from, size_t width, size_t height, size_t depth,
                         enum cudaMemcpyKind kind, cudaStream_t stream) {
    if ((unsigned)kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    if (!width || !height || !depth) return cudaSuccess;
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (!is_usable(&to, width, height, depth, to_device) || !is_usable(&from, width, height, depth, from_device))
        return cudaErrorInvalidValue;
    if (width == to.pitch && width == from.pitch) {   // rows without gaps are one row
        width *= height;
        height = 1;
    }
    const hw_region told_to = to, told_from = from;
    const hw_mem *mem = hw_sim_mem(hw_shim_sim());
    to.start = hw_mem_host(mem, hw_address(to.start));
    from.start = hw_mem_host(mem, hw_address(from.start));
    for (size_t z = 0; z < depth; z++)
        for (size_t y = 0; y < height; y++)
            memmove(to.start + z * to.slice + y * to.pitch, from.start + z * from.slice + y * from.pitch, width);
    hw_shim_tell_copy(&told_to, &told_from, width, height, depth, kind, stream);
    return cudaSuccess;
}

static hw_region flat(const void *start, size_t pitch) { return (hw_region){.start = (char *)start, .pitch = pitch}; }

static cudaError_t copy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
    HW_ENTER();
    if (!hw_stream_is_valid(stream)) return hw_shim_return(cudaErrorInvalidResourceHandle);
    return hw_shim_return(hw_copy_rows(flat(dst, bytes), flat(src, bytes), bytes, 1, 1, kind, stream));
}

HW_EXPORT cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind) {
    return hw_shim_waited(copy(dst, src, bytes, kind, NULL), kind);
}
HW_ALIAS(cudaMemcpy_ptds, cudaMemcpy);

HW_EXPORT cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind,
                                      cudaStream_t stream) {
    return copy(dst, src, bytes, kind, stream);
}
HW_ALIAS(cudaMemcpyAsync_ptsz, cudaMemcpyAsync);

HW_EXPORT cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice, size_t bytes,
                                          cudaStream_t stream) {
    if (dstDevice || srcDevice) return hw_shim_return(cudaErrorInvalidDevice);
    return copy(dst, src, bytes, cudaMemcpyDeviceToDevice, stream);
}

HW_EXPORT cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t bytes) {
    return cudaMemcpyPeerAsync(dst, dstDevice, src, srcDevice, bytes, NULL);
}

HW_EXPORT cudaError_t cudaMemcpy2DAsync(void *dst, size_t dstPitch, const void *src, size_t srcPitch, size_t width,
                                        size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
    HW_ENTER();
    if (!hw_stream_is_valid(stream)) return hw_shim_return(cudaErrorInvalidResourceHandle);
    // As an H200 answers (tests/shim/invalid.h200.txt).
    if (width > dstPitch || width > srcPitch)
        return hw_shim_return(height > 1 ? cudaErrorInvalidPitchValue : cudaErrorInvalidValue);
    if (!width || !height) return hw_shim_return(cudaSuccess);
    return hw_shim_return(hw_copy_rows(flat(dst, dstPitch), flat(src, srcPitch), width, height, 1, kind, stream));
}
HW_ALIAS(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync);

HW_EXPORT cudaError_t cudaMemcpy2D(void *dst, size_t dstPitch, const void *src, size_t srcPitch, size_t width,
                                   size_t height, enum cudaMemcpyKind kind) {
    return hw_shim_waited(cudaMemcpy2DAsync(dst, dstPitch, src, srcPitch, width, height, kind, NULL), kind);
}
HW_ALIAS(cudaMemcpy2D_ptds, cudaMemcpy2D);
