// Memory: device, pinned, managed, registered; what an address is.
#include <string.h>

#include "base/integers.h"
#include "shim/cudart/cudart.h"

static cudaError_t allocate_memory(void **pointer, size_t bytes, hw_alloc_kind kind, uint32_t flags,
                                   hw_rt_order order) {
    HW_ENTER();
    if (!pointer) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *pointer = NULL;
    uint64_t address;
    const void *site = bytes ? hw_shim_site() : NULL;
    hw_rt_status status = hw_rt_alloc(hw_shim_runtime(), bytes, kind, flags, order, site, &address);
    if (status) return hw_cudart_return(status);
    *pointer = (void *)(uintptr_t)address;
    return cudaSuccess;
}

// Frees what is an allocation of one of these kinds (hw_rt_free) and starts there.
static cudaError_t release_memory(void *pointer, uint32_t kinds, hw_rt_order order) {
    HW_ENTER();
    const void *site = pointer ? hw_shim_site() : NULL;
    return hw_cudart_return(hw_rt_free(hw_shim_runtime(), hw_address(pointer), kinds, order, site));
}

HW_EXPORT cudaError_t cudaMalloc(void **pointer, size_t bytes) {
    return allocate_memory(pointer, bytes, HW_ALLOC_DEVICE, 0, hw_in_turn());
}

HW_EXPORT cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags) {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return hw_cudart_return(HW_RT_INVALID_VALUE);
    return allocate_memory(pointer, bytes, HW_ALLOC_MANAGED, 0, hw_in_turn());
}

HW_EXPORT cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags) {
    const unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if (flags & ~known) return hw_cudart_return(HW_RT_INVALID_VALUE);
    return allocate_memory(pointer, bytes, HW_ALLOC_PINNED, flags | cudaHostAllocMapped, hw_in_turn());
}

HW_EXPORT cudaError_t cudaMallocHost(void **pointer, size_t bytes) { return cudaHostAlloc(pointer, bytes, 0); }

HW_EXPORT cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    const size_t unit = HW_RT_PITCH_BYTES;
    if (!pointer || !pitch || width > SIZE_MAX - unit) return hw_cudart_return(HW_RT_INVALID_VALUE);
    size_t bytes, row = hw_align_up(width, unit);
    if (__builtin_mul_overflow(row, height, &bytes)) return hw_cudart_return(HW_RT_NO_MEMORY);
    *pitch = row;
    return allocate_memory(pointer, bytes, HW_ALLOC_DEVICE, 0, hw_in_turn());
}

HW_EXPORT cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pointer, struct cudaExtent extent) {
    size_t rows;
    if (!pointer) return hw_cudart_return(HW_RT_INVALID_VALUE);
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) return hw_cudart_return(HW_RT_NO_MEMORY);
    *pointer = (struct cudaPitchedPtr){.xsize = extent.width, .ysize = extent.height};
    return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width, rows);
}

HW_EXPORT cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream) {
    return allocate_memory(pointer, bytes, HW_ALLOC_DEVICE, 0, hw_in_stream(stream));
}

HW_EXPORT cudaError_t cudaMallocAsync_ptsz(void **pointer, size_t bytes, cudaStream_t stream) {
    return cudaMallocAsync(pointer, bytes, hw_of_thread(stream));
}

HW_EXPORT cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    HW_ENTER();
    uint64_t address;
    if (!pointer) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *pointer = NULL;
    const hw_rt_status status = hw_rt_pool_alloc(hw_shim_runtime(), hw_pool_of(pool), bytes, hw_in_stream(stream),
                                                 bytes ? hw_shim_site() : NULL, &address);
    if (!status) *pointer = (void *)(uintptr_t)address;
    return hw_cudart_return(status);
}

HW_EXPORT cudaError_t cudaMallocFromPoolAsync_ptsz(void **pointer, size_t bytes, cudaMemPool_t pool,
                                                   cudaStream_t stream) {
    return cudaMallocFromPoolAsync(pointer, bytes, pool, hw_of_thread(stream));
}

HW_EXPORT cudaError_t cudaFree(void *pointer) {
    return release_memory(pointer, 1u << HW_ALLOC_DEVICE | 1u << HW_ALLOC_MANAGED, hw_in_turn());
}

HW_EXPORT cudaError_t cudaFreeHost(void *pointer) {
    return release_memory(pointer, 1u << HW_ALLOC_PINNED, hw_in_turn());
}

HW_EXPORT cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
    return release_memory(pointer, 1u << HW_ALLOC_DEVICE, hw_in_stream(stream));
}

HW_EXPORT cudaError_t cudaFreeAsync_ptsz(void *pointer, cudaStream_t stream) {
    return cudaFreeAsync(pointer, hw_of_thread(stream));
}

HW_EXPORT cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags) {
    HW_ENTER();
    const unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory |
                           cudaHostRegisterReadOnly;
    if (flags & ~known) return hw_cudart_return(HW_RT_INVALID_VALUE);
    return hw_cudart_return(hw_rt_register(hw_shim_runtime(), hw_address(pointer), bytes,
                                           flags | cudaHostRegisterMapped, hw_shim_site()));
}

HW_EXPORT cudaError_t cudaHostUnregister(void *pointer) {
    HW_ENTER();
    if (!pointer) return hw_cudart_return(HW_RT_INVALID_VALUE);
    return hw_cudart_return(hw_rt_unregister(hw_shim_runtime(), hw_address(pointer), hw_shim_site()));
}

// Host memory that the device reaches: pinned, registered or managed.
static bool find_host(const void *pointer, hw_allocation *found) {
    return hw_rt_find(hw_shim_runtime(), hw_address(pointer), 1, found) &&
           (found->kind == HW_ALLOC_PINNED || found->kind == HW_ALLOC_REGISTERED || found->kind == HW_ALLOC_MANAGED);
}

HW_EXPORT cudaError_t cudaHostGetDevicePointer(void **devicePointer, void *hostPointer, unsigned int flags) {
    HW_ENTER();
    hw_allocation found;
    if (!devicePointer || flags || !find_host(hostPointer, &found)) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *devicePointer = hostPointer;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaHostGetFlags(unsigned int *flags, void *pointer) {
    HW_ENTER();
    hw_allocation found;
    if (!flags || !find_host(pointer, &found) || found.kind == HW_ALLOC_MANAGED)
        return hw_cudart_return(HW_RT_INVALID_VALUE);
    *flags = found.flags;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaMemGetInfo(size_t *freeBytes, size_t *totalBytes) {
    HW_ENTER();
    uint64_t total, unused;
    hw_rt_status status = hw_rt_memory_info(hw_shim_runtime(), &total, &unused);
    if (status) return hw_cudart_return(status);
    if (freeBytes) *freeBytes = unused;
    if (totalBytes) *totalBytes = total;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer) {
    if (!attributes) return hw_cudart_return(HW_RT_INVALID_VALUE);
    hw_runtime *runtime = hw_shim_runtime();
    hw_allocation found;
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = cudaInvalidDeviceId;
    attributes->devicePointer = NULL;
    attributes->hostPointer = (void *)pointer;
    if (hw_rt_open(runtime) || !hw_rt_find(runtime, hw_address(pointer), 1, &found)) return cudaSuccess;
    bool is_host = found.kind == HW_ALLOC_PINNED || found.kind == HW_ALLOC_REGISTERED;
    bool is_managed = found.kind == HW_ALLOC_MANAGED;
    attributes->type = is_managed ? cudaMemoryTypeManaged : is_host ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
    attributes->device = found.gpu;
    attributes->devicePointer = (void *)pointer;
    attributes->hostPointer = is_host || is_managed ? (void *)pointer : NULL;
    return cudaSuccess;
}
