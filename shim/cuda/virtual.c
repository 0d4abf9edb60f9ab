// Virtual memory management.
#include "runtime/virtual.h"

#include <string.h>

#include "shim/cuda/driver.h"

_Static_assert((int)CU_MEM_ACCESS_FLAGS_PROT_READWRITE == (int)HW_RT_ACCESS_READ_WRITE, "as the runtime has these");

// None of these calls asks which context is current.
#define HW_ENTER_WITHOUT_CONTEXT()                                                            \
    HW_IN_CALL();                                                                             \
    do {                                                                                      \
        if (!hw_cuda_is_initialized()) return hw_cuda_return(HW_RT_NOT_INITIALIZED);          \
    } while (0)

// Ranges, memory and mappings are the first GPU's, whichever they are for: no call asks, and every GPU reaches them.
static hw_runtime *first_gpu(void) { return hw_cuda_gpu(0); }

static hw_rt_physical *physical_of(CUmemGenericAllocationHandle handle) { return (hw_rt_physical *)(uintptr_t)handle; }
static CUmemGenericAllocationHandle handle_of(const hw_rt_physical *physical) {
    return (CUmemGenericAllocationHandle)(uintptr_t)physical;
}

static hw_rt_status check_location(const CUmemLocation *location) {
    if (location->type != CU_MEM_LOCATION_TYPE_DEVICE) return HW_RT_INVALID_VALUE;
    return hw_rt_check_device(first_gpu(), location->id);
}

// Memory of the GPU, of which a file descriptor at most is exported.
static hw_rt_status check_handles(const CUmemAllocationProp *p) {
    const unsigned handles = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    if (!p) return HW_RT_INVALID_VALUE;
    return (unsigned)p->requestedHandleTypes & ~handles ? HW_RT_NOT_SUPPORTED : HW_RT_SUCCESS;
}

static hw_rt_status check_properties(const CUmemAllocationProp *p) {
    if (!p || p->type != CU_MEM_ALLOCATION_TYPE_PINNED) return HW_RT_INVALID_VALUE;
    const hw_rt_status status = check_location(&p->location);
    return status ? status : check_handles(p);
}

HW_EXPORT CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *properties,
                                                 CUmemAllocationGranularity_flags option) {
    HW_ENTER_WITHOUT_CONTEXT();
    // Whatever memory that may be and wherever, as an H200's driver answers.
    hw_rt_status status = bytes && (unsigned)option <= CU_MEM_ALLOC_GRANULARITY_RECOMMENDED
                              ? check_handles(properties) : HW_RT_INVALID_VALUE;
    if (!status) *bytes = HW_RT_GRANULARITY_BYTES;
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t align, CUdeviceptr wanted,
                                       unsigned long long flags) {
    HW_ENTER_WITHOUT_CONTEXT();
    uint64_t made = 0;
    if (!address || flags) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const hw_rt_status status = hw_rt_reserve(first_gpu(), bytes, align, wanted, &made);
    if (!status) *address = made;
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
    HW_ENTER_WITHOUT_CONTEXT();
    return hw_cuda_return(hw_rt_unreserve(first_gpu(), address, bytes));
}

static hw_rt_physical_wishes wishes_of(const CUmemAllocationProp *p) {
    return (hw_rt_physical_wishes){.is_shared = p->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE,
                                   .is_compressible = p->allocFlags.compressionType};
}

HW_EXPORT CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                               const CUmemAllocationProp *properties, unsigned long long flags) {
    HW_ENTER_WITHOUT_CONTEXT();
    hw_rt_physical *made;
    hw_rt_status status = handle && !flags ? check_properties(properties) : HW_RT_INVALID_VALUE;
    if (!status) status = hw_rt_physical_create(first_gpu(), bytes, wishes_of(properties), &made);
    if (!status) *handle = handle_of(made);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    HW_ENTER_WITHOUT_CONTEXT();
    return hw_cuda_return(hw_rt_physical_release(first_gpu(), physical_of(handle)));
}

HW_EXPORT CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address) {
    HW_ENTER_WITHOUT_CONTEXT();
    hw_rt_physical *found;
    if (!handle) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const hw_rt_status status = hw_rt_physical_at(first_gpu(), hw_address(address), &found);
    if (!status) *handle = handle_of(found);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties,
                                                          CUmemGenericAllocationHandle handle) {
    HW_ENTER_WITHOUT_CONTEXT();
    hw_rt_physical_wishes wishes;
    const hw_rt_status status = properties ? hw_rt_physical_get(first_gpu(), physical_of(handle), &wishes)
                                           : HW_RT_INVALID_VALUE;
    if (status) return hw_cuda_return(status);
    memset(properties, 0, sizeof *properties);
    properties->type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties->location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties->allocFlags.compressionType = wishes.is_compressible;
    if (wishes.is_shared) properties->requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuMemExportToShareableHandle(void *shareable, CUmemGenericAllocationHandle handle,
                                                CUmemAllocationHandleType type, unsigned long long flags) {
    HW_ENTER_WITHOUT_CONTEXT();
    if (!shareable || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return hw_cuda_return(HW_RT_INVALID_VALUE);
    return hw_cuda_return(hw_rt_physical_export(first_gpu(), physical_of(handle), shareable));
}

HW_EXPORT CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shareable,
                                                  CUmemAllocationHandleType type) {
    HW_ENTER_WITHOUT_CONTEXT();
    hw_rt_physical *made;
    if (!handle || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const hw_rt_status status = hw_rt_physical_import(first_gpu(), (int)(intptr_t)shareable, &made);
    if (!status) *handle = handle_of(made);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                            unsigned long long flags) {
    HW_ENTER_WITHOUT_CONTEXT();
    if (flags) return hw_cuda_return(HW_RT_INVALID_VALUE);
    if (offset) return hw_cuda_return(HW_RT_NOT_SUPPORTED);   // an H200's answer as well
    return hw_cuda_return(hw_rt_map(first_gpu(), address, bytes, physical_of(handle)));
}

HW_EXPORT CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
    HW_ENTER_WITHOUT_CONTEXT();
    return hw_cuda_return(hw_rt_unmap(first_gpu(), address, bytes));
}

HW_EXPORT CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *wanted, size_t count) {
    HW_ENTER_WITHOUT_CONTEXT();
    hw_rt_status status = wanted && count ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE;
    for (size_t i = 0; i < count && !status; i++) {
        const bool is_flag = wanted[i].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
                             wanted[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
                             wanted[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        // An H200 has no access of the host's to give.
        if (wanted[i].location.type == CU_MEM_LOCATION_TYPE_HOST) return hw_cuda_return(HW_RT_NOT_SUPPORTED);
        status = is_flag ? check_location(&wanted[i].location) : HW_RT_INVALID_VALUE;
        if (!status)
            status = hw_rt_set_access(first_gpu(), address, bytes, (hw_rt_access)wanted[i].flags, hw_shim_site());
    }
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr address) {
    HW_ENTER_WITHOUT_CONTEXT();
    hw_rt_access access = HW_RT_ACCESS_NONE;
    hw_rt_status status = flags && location ? check_location(location) : HW_RT_INVALID_VALUE;
    if (!status) status = hw_rt_get_access(first_gpu(), address, &access);
    if (!status) *flags = (unsigned long long)access;
    return hw_cuda_return(status);
}
