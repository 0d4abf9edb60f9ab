// Memory: device, pinned, managed, registered; advice about it.
#include "base/integers.h"
#include "shim/cuda/driver.h"

_Static_assert(CU_MEM_ATTACH_GLOBAL == 1 && CU_MEM_ATTACH_HOST == 2 && CU_MEMHOSTALLOC_DEVICEMAP == 2,
               "as the runtime has these flags");

static hw_rt_status allocate(uint64_t *address, size_t bytes, hw_alloc_kind kind, uint32_t flags, hw_rt_order order) {
    if (!address || !bytes) return HW_RT_INVALID_VALUE;
    return hw_rt_alloc(hw_shim_runtime(), bytes, kind, flags, order, hw_shim_site(), address);
}

static CUresult allocate_device(CUdeviceptr *address, size_t bytes, hw_alloc_kind kind, hw_rt_order order) {
    HW_ENTER();
    uint64_t made;
    const hw_rt_status status = allocate(address ? &made : NULL, bytes, kind, 0, order);
    if (!status) *address = made;
    return hw_cuda_return(status);
}

// Frees what is an allocation of one of these kinds (hw_rt_free) and starts there.
static CUresult release(uint64_t address, uint32_t kinds, hw_rt_order order) {
    HW_ENTER();
    const void *site = address ? hw_shim_site() : NULL;
    return hw_cuda_return(hw_rt_free(hw_shim_runtime(), address, kinds, order, site));
}

HW_EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
    return allocate_device(address, bytes, HW_ALLOC_DEVICE, hw_in_turn());
}

HW_EXPORT CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width, size_t height,
                                      unsigned element_bytes) {
    const size_t unit = HW_RT_PITCH_BYTES;
    const bool is_size = element_bytes == 4 || element_bytes == 8 || element_bytes == 16;
    if (!pitch || !is_size || !width || !height || width > SIZE_MAX - unit) return hw_cuda_return(HW_RT_INVALID_VALUE);
    size_t bytes, row = hw_align_up(width, unit);
    if (__builtin_mul_overflow(row, height, &bytes)) return hw_cuda_return(HW_RT_NO_MEMORY);
    *pitch = row;
    return allocate_device(address, bytes, HW_ALLOC_DEVICE, hw_in_turn());
}

HW_EXPORT CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags) {
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) return hw_cuda_return(HW_RT_INVALID_VALUE);
    return allocate_device(address, bytes, HW_ALLOC_MANAGED, hw_in_turn());
}

// Of nothing there is nothing, which is no mistake here.
HW_EXPORT CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
    if (address && !bytes) {
        HW_ENTER();
        *address = 0;
        return CUDA_SUCCESS;
    }
    return allocate_device(address, bytes, HW_ALLOC_DEVICE, hw_in_stream(stream));
}

HW_EXPORT CUresult cuMemAllocAsync_ptsz(CUdeviceptr *address, size_t bytes, CUstream stream) {
    return cuMemAllocAsync(address, bytes, hw_of_thread(stream));
}

HW_EXPORT CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream) {
    HW_ENTER();
    uint64_t made = 0;
    if (!address) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const hw_rt_status status = hw_rt_pool_alloc(hw_shim_runtime(), hw_pool_of(pool), bytes, hw_in_stream(stream),
                                                 bytes ? hw_shim_site() : NULL, &made);
    if (!status) *address = made;
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *address, size_t bytes, CUmemoryPool pool,
                                                CUstream stream) {
    return cuMemAllocFromPoolAsync(address, bytes, pool, hw_of_thread(stream));
}

HW_EXPORT CUresult cuMemFree_v2(CUdeviceptr address) {
    return release(address, 1u << HW_ALLOC_DEVICE | 1u << HW_ALLOC_MANAGED, hw_in_turn());
}

HW_EXPORT CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
    return release(address, 1u << HW_ALLOC_DEVICE, hw_in_stream(stream));
}

HW_EXPORT CUresult cuMemFreeAsync_ptsz(CUdeviceptr address, CUstream stream) {
    return cuMemFreeAsync(address, hw_of_thread(stream));
}

HW_EXPORT CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
    HW_ENTER();
    const unsigned known = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
    uint64_t made;
    if (!pointer || flags & ~known) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const hw_rt_status status =
        allocate(&made, bytes, HW_ALLOC_PINNED, flags | CU_MEMHOSTALLOC_DEVICEMAP, hw_in_turn());
    if (!status) *pointer = (void *)(uintptr_t)made;
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuMemAllocHost_v2(void **pointer, size_t bytes) { return cuMemHostAlloc(pointer, bytes, 0); }

HW_EXPORT CUresult cuMemFreeHost(void *pointer) {
    return release(hw_address(pointer), 1u << HW_ALLOC_PINNED, hw_in_turn());
}

HW_EXPORT CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags) {
    HW_ENTER();
    const unsigned known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_IOMEMORY |
                           CU_MEMHOSTREGISTER_READ_ONLY;
    if (flags & ~known) return hw_cuda_return(HW_RT_INVALID_VALUE);
    return hw_cuda_return(hw_rt_register(hw_shim_runtime(), hw_address(pointer), bytes,
                                         flags | CU_MEMHOSTREGISTER_DEVICEMAP, hw_shim_site()));
}
HW_ALIAS(cuMemHostRegister, cuMemHostRegister_v2);

HW_EXPORT CUresult cuMemHostUnregister(void *pointer) {
    HW_ENTER();
    if (!pointer) return hw_cuda_return(HW_RT_INVALID_VALUE);
    return hw_cuda_return(hw_rt_unregister(hw_shim_runtime(), hw_address(pointer), hw_shim_site()));
}

// Host memory that the device reaches: pinned, registered or managed.
static bool find_host(const void *pointer, hw_allocation *found) {
    return hw_rt_find(hw_shim_runtime(), hw_address(pointer), 1, found) &&
           (found->kind == HW_ALLOC_PINNED || found->kind == HW_ALLOC_REGISTERED || found->kind == HW_ALLOC_MANAGED);
}

HW_EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *pointer, unsigned flags) {
    HW_ENTER();
    hw_allocation found;
    if (!address || flags || !find_host(pointer, &found)) return hw_cuda_return(HW_RT_INVALID_VALUE);
    *address = hw_address(pointer);
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuMemHostGetFlags(unsigned *flags, void *pointer) {
    HW_ENTER();
    hw_allocation found;
    if (!flags || !find_host(pointer, &found) || found.kind == HW_ALLOC_MANAGED)
        return hw_cuda_return(HW_RT_INVALID_VALUE);
    *flags = found.flags;
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuMemGetInfo_v2(size_t *unused_bytes, size_t *total_bytes) {
    HW_ENTER();
    uint64_t total, unused;
    const hw_rt_status status = hw_rt_memory_info(hw_shim_runtime(), &total, &unused);
    if (!status && unused_bytes) *unused_bytes = unused;
    if (!status && total_bytes) *total_bytes = total;
    return hw_cuda_return(status);
}

// ---- managed memory: what is asked for is checked, and changes nothing ----

static CUresult check_range(CUdeviceptr address, size_t bytes, CUmemLocationType type, int device) {
    HW_ENTER();
    const bool is_place = type != CU_MEM_LOCATION_TYPE_DEVICE || hw_cuda_gpu(device);
    if (!is_place) return hw_cuda_return(HW_RT_INVALID_DEVICE);
    return hw_cuda_return(hw_rt_is_managed(hw_shim_runtime(), address, bytes) ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE);
}

static CUmemLocationType type_of(CUdevice device) {
    return device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
}

HW_EXPORT CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location) {
    if (advice < CU_MEM_ADVISE_SET_READ_MOSTLY || advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY)
        return hw_cuda_return(HW_RT_INVALID_VALUE);
    const bool has_place = advice > CU_MEM_ADVISE_UNSET_READ_MOSTLY && advice != CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION;
    return check_range(address, bytes, has_place ? location.type : CU_MEM_LOCATION_TYPE_HOST, location.id);
}

HW_EXPORT CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device) {
    return cuMemAdvise_v2(address, bytes, advice, (CUmemLocation){type_of(device), device});
}

HW_EXPORT CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags,
                                         CUstream stream) {
    if (flags) return hw_cuda_return(HW_RT_INVALID_VALUE);
    if (!hw_rt_is_stream(hw_shim_runtime(), hw_stream_of(stream))) return hw_cuda_return(HW_RT_INVALID_HANDLE);
    return check_range(address, bytes, location.type, location.id);
}
HW_ALIAS(cuMemPrefetchAsync_v2_ptsz, cuMemPrefetchAsync_v2);

HW_EXPORT CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream) {
    return cuMemPrefetchAsync_v2(address, bytes, (CUmemLocation){type_of(device), device}, 0, stream);
}
HW_ALIAS(cuMemPrefetchAsync_ptsz, cuMemPrefetchAsync);
