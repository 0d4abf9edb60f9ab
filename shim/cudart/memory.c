// Memory: device, pinned, managed, registered; what an address is.
#include <string.h>

#include "shim/shim.h"

enum { PITCH_BYTES = 512 };   // what cudaMallocPitch rounds rows to on all GPUs since 2.0

static cudaError_t allocate(void **pointer, size_t bytes, hw_alloc_kind kind, uint32_t flags) {
    HW_ENTER();
    if (!pointer) return hw_shim_return(cudaErrorInvalidValue);
    *pointer = NULL;
    hw_library_look();
    if (bytes == 0) return cudaSuccess;
    uint64_t address;
    hw_mem *mem = hw_sim_mem(hw_shim_sim());
    hw_status status = hw_mem_alloc(mem, bytes, 512, kind, hw_shim_site(), NULL, &address, NULL);
    if (status) return hw_shim_return(hw_shim_error_of(status));
    if (flags) hw_mem_set_flags(mem, address, flags);
    *pointer = (void *)(uintptr_t)address;
    return cudaSuccess;
}

// Frees what is an allocation of one of two kinds and starts there.
static cudaError_t release(void *pointer, hw_alloc_kind one, hw_alloc_kind other) {
    HW_ENTER();
    if (!pointer) return cudaSuccess;
    hw_mem *mem = hw_sim_mem(hw_shim_sim());
    hw_allocation found;
    if (!hw_mem_find(mem, hw_address(pointer), 0, &found) || (found.kind != one && found.kind != other) ||
        hw_mem_free_at(mem, hw_address(pointer), hw_shim_site(), NULL))
        return hw_shim_return(cudaErrorInvalidValue);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaMalloc(void **pointer, size_t bytes) { return allocate(pointer, bytes, HW_ALLOC_DEVICE, 0); }

HW_EXPORT cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags) {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return hw_shim_return(cudaErrorInvalidValue);
    return allocate(pointer, bytes, HW_ALLOC_MANAGED, 0);
}

HW_EXPORT cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags) {
    const unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if (flags & ~known) return hw_shim_return(cudaErrorInvalidValue);
    return allocate(pointer, bytes, HW_ALLOC_PINNED, flags | cudaHostAllocMapped);
}

HW_EXPORT cudaError_t cudaMallocHost(void **pointer, size_t bytes) { return cudaHostAlloc(pointer, bytes, 0); }

HW_EXPORT cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    if (!pointer || !pitch || width > SIZE_MAX - PITCH_BYTES) return hw_shim_return(cudaErrorInvalidValue);
    size_t bytes, row = (width + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES;
    if (__builtin_mul_overflow(row, height, &bytes)) return hw_shim_return(cudaErrorMemoryAllocation);
    *pitch = row;
    return allocate(pointer, bytes, HW_ALLOC_DEVICE, 0);
}

HW_EXPORT cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pointer, struct cudaExtent extent) {
    size_t rows;
    if (!pointer) return hw_shim_return(cudaErrorInvalidValue);
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) return hw_shim_return(cudaErrorMemoryAllocation);
    *pointer = (struct cudaPitchedPtr){.xsize = extent.width, .ysize = extent.height};
    return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width, rows);
}

HW_EXPORT cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream) {
    if (!hw_stream_is_valid(stream)) return hw_shim_return(cudaErrorInvalidResourceHandle);
    return allocate(pointer, bytes, HW_ALLOC_DEVICE, 0);
}
HW_ALIAS(cudaMallocAsync_ptsz, cudaMallocAsync);

HW_EXPORT cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    if (!hw_handle_is(HW_HANDLE_POOL, pool)) return hw_shim_return(cudaErrorInvalidValue);
    return cudaMallocAsync(pointer, bytes, stream);
}
HW_ALIAS(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync);

HW_EXPORT cudaError_t cudaFree(void *pointer) { return release(pointer, HW_ALLOC_DEVICE, HW_ALLOC_MANAGED); }

HW_EXPORT cudaError_t cudaFreeHost(void *pointer) { return release(pointer, HW_ALLOC_PINNED, HW_ALLOC_PINNED); }

HW_EXPORT cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
    if (!hw_stream_is_valid(stream)) return hw_shim_return(cudaErrorInvalidResourceHandle);
    if (!pointer) return hw_shim_return(cudaSuccess);
    return release(pointer, HW_ALLOC_DEVICE, HW_ALLOC_DEVICE);
}
HW_ALIAS(cudaFreeAsync_ptsz, cudaFreeAsync);

HW_EXPORT cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags) {
    HW_ENTER();
    const unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory |
                           cudaHostRegisterReadOnly;
    if (!pointer || !bytes || (flags & ~known)) return hw_shim_return(cudaErrorInvalidValue);
    hw_mem *mem = hw_sim_mem(hw_shim_sim());
    hw_status status = hw_mem_register(mem, hw_address(pointer), bytes, hw_shim_site(), NULL);
    if (status == HW_USAGE) return hw_shim_return(cudaErrorHostMemoryAlreadyRegistered);
    if (status) return hw_shim_return(cudaErrorMemoryAllocation);
    hw_mem_set_flags(mem, hw_address(pointer), flags | cudaHostRegisterMapped);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaHostUnregister(void *pointer) {
    HW_ENTER();
    if (!pointer) return hw_shim_return(cudaErrorInvalidValue);
    hw_mem *mem = hw_sim_mem(hw_shim_sim());
    hw_allocation found;
    if (!hw_mem_find(mem, hw_address(pointer), 1, &found) || found.kind != HW_ALLOC_REGISTERED)
        return hw_shim_return(cudaErrorHostMemoryNotRegistered);
    return hw_shim_return(hw_shim_error_of(hw_mem_free(mem, hw_address(pointer), NULL)));
}

// Host memory that the device reaches: pinned, registered or managed.
static bool find_host(const void *pointer, hw_allocation *found) {
    return hw_mem_find(hw_sim_mem(hw_shim_sim()), hw_address(pointer), 1, found) &&
           (found->kind == HW_ALLOC_PINNED || found->kind == HW_ALLOC_REGISTERED || found->kind == HW_ALLOC_MANAGED);
}

HW_EXPORT cudaError_t cudaHostGetDevicePointer(void **devicePointer, void *hostPointer, unsigned int flags) {
    HW_ENTER();
    hw_allocation found;
    if (!devicePointer || flags || !find_host(hostPointer, &found)) return hw_shim_return(cudaErrorInvalidValue);
    *devicePointer = hostPointer;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaHostGetFlags(unsigned int *flags, void *pointer) {
    HW_ENTER();
    hw_allocation found;
    if (!flags || !find_host(pointer, &found) || found.kind == HW_ALLOC_MANAGED)
        return hw_shim_return(cudaErrorInvalidValue);
    *flags = found.flags;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaMemGetInfo(size_t *freeBytes, size_t *totalBytes) {
    HW_ENTER();
    uint64_t limit, used;
    hw_mem_usage(hw_sim_mem(hw_shim_sim()), &limit, &used);
    if (freeBytes) *freeBytes = limit - used;
    if (totalBytes) *totalBytes = limit;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer) {
    if (!attributes) return hw_shim_return(cudaErrorInvalidValue);
    hw_sim *sim = hw_shim_sim();
    hw_allocation found;
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = cudaInvalidDeviceId;
    attributes->devicePointer = NULL;
    attributes->hostPointer = (void *)pointer;
    if (!sim || !hw_mem_find(hw_sim_mem(sim), hw_address(pointer), 1, &found)) return cudaSuccess;
    bool is_host = found.kind == HW_ALLOC_PINNED || found.kind == HW_ALLOC_REGISTERED;
    bool is_managed = found.kind == HW_ALLOC_MANAGED;
    attributes->type = is_managed ? cudaMemoryTypeManaged : is_host ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
    attributes->device = 0;
    attributes->devicePointer = (void *)pointer;
    attributes->hostPointer = is_host || is_managed ? (void *)pointer : NULL;
    return cudaSuccess;
}
