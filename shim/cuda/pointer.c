// What an address is.
#include <string.h>

#include "runtime/virtual.h"
#include "shim/cuda/driver.h"

HW_EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *start, size_t *bytes, CUdeviceptr address) {
    HW_ENTER();
    hw_allocation found;
    if (!hw_rt_find(hw_shim_runtime(), address, 1, &found)) return hw_cuda_return(HW_RT_NOT_FOUND);
    if (start) *start = found.address;
    if (bytes) *bytes = found.bytes;
    return CUDA_SUCCESS;
}

static bool is_on_host(const hw_allocation *a) {
    return a->kind == HW_ALLOC_PINNED || a->kind == HW_ALLOC_REGISTERED;
}

// Values have the sizes that cuda.h gives them.
static void give(void *out, const void *value, size_t bytes) { memcpy(out, value, bytes); }

// An address: its range, which of mapped memory is the reserved one, as an H200 answers, and what is mapped there.
typedef struct place {
    hw_allocation range;
    hw_rt_mapped mapped;
} place;

static hw_rt_status describe(void *out, CUpointer_attribute attribute, const place *at, CUdeviceptr address) {
    const hw_allocation *a = &at->range;
    const hw_rt_mapped *m = &at->mapped;
    const bool is_host = is_on_host(a), is_managed = a->kind == HW_ALLOC_MANAGED;
    const CUcontext current = hw_cuda_current();
    const bool is_current = current && hw_cuda_device_of(current) == (CUdevice)a->gpu;
    const CUcontext context = is_current ? current : hw_cuda_primary(a->gpu);
    const unsigned type = is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    const void *host = is_host || is_managed ? (void *)(uintptr_t)address : NULL;
    const int device = a->gpu;
    const size_t bytes = a->bytes, mapped_bytes = m->bytes;
    const unsigned access = m->access;
    const unsigned long long id = m->address;
    const bool is_true = true, is_false = false;
    // These have four bytes: the static runtime looks at all of them.
    const unsigned managed = is_managed, no_waits = 0;
    const uint64_t none = 0, handles = m->is_shared ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : 0;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: give(out, &context, sizeof context); break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: give(out, &type, sizeof type); break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: give(out, &address, sizeof address); break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!host) return HW_RT_INVALID_VALUE;
        give(out, &host, sizeof host);
        break;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: give(out, &no_waits, sizeof no_waits); break;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: give(out, &is_false, sizeof is_false); break;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID: give(out, &id, sizeof id); break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: give(out, &managed, sizeof managed); break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: give(out, &device, sizeof device); break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: give(out, &a->address, sizeof a->address); break;
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR: give(out, &m->address, sizeof m->address); break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: give(out, &bytes, sizeof bytes); break;
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE: give(out, &mapped_bytes, sizeof mapped_bytes); break;
    case CU_POINTER_ATTRIBUTE_MAPPED: give(out, &is_true, sizeof is_true); break;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: give(out, &handles, sizeof handles); break;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: give(out, &none, sizeof none); break;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: give(out, &access, sizeof access); break;
    default: return HW_RT_INVALID_VALUE;
    }
    return HW_RT_SUCCESS;
}

// What is mapped has attributes before anybody has access to it.
static bool find(CUdeviceptr address, place *out) {
    if (hw_rt_find_mapped(hw_cuda_gpu(0), address, &out->mapped)) {
        out->range = out->mapped.reserved;
        return true;
    }
    if (!hw_rt_find(hw_shim_runtime(), address, 1, &out->range)) return false;
    out->mapped = (hw_rt_mapped){.address = out->range.address, .bytes = out->range.bytes,
                                 .access = HW_RT_ACCESS_READ_WRITE};
    return true;
}

HW_EXPORT CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr address) {
    if (!hw_cuda_is_initialized()) return hw_cuda_return(HW_RT_NOT_INITIALIZED);
    place found;
    if (!value || !find(address, &found)) return hw_cuda_return(HW_RT_INVALID_VALUE);
    return hw_cuda_return(describe(value, attribute, &found, address));
}

// Of memory that is not the driver's each value is 0, and the call succeeds; the device is -2.
static void give_nothing(void *value, CUpointer_attribute attribute) {
    static const uint64_t nothing[2];
    const int no_device = CU_DEVICE_INVALID;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: give(value, &no_device, sizeof no_device); break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: give(value, nothing, sizeof(unsigned)); break;
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: give(value, nothing, sizeof(bool)); break;
    default: give(value, nothing, sizeof(uint64_t));
    }
}

HW_EXPORT CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **values,
                                          CUdeviceptr address) {
    if (!hw_cuda_is_initialized()) return hw_cuda_return(HW_RT_NOT_INITIALIZED);
    place found;
    if (!attributes || !values) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const bool is_ours = find(address, &found);
    for (unsigned i = 0; i < count; i++) {
        if (!values[i]) return hw_cuda_return(HW_RT_INVALID_VALUE);
        if (!is_ours || describe(values[i], attributes[i], &found, address)) give_nothing(values[i], attributes[i]);
    }
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr address) {
    HW_ENTER();
    hw_allocation found;
    const bool is_known = value && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS &&
                          hw_rt_find(hw_shim_runtime(), address, 1, &found);
    return hw_cuda_return(is_known ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE);
}

// Nothing has been advised.
HW_EXPORT CUresult cuMemRangeGetAttribute(void *data, size_t data_bytes, CUmem_range_attribute attribute,
                                          CUdeviceptr address, size_t bytes) {
    HW_ENTER();
    if (!data || !data_bytes || !hw_rt_is_managed(hw_shim_runtime(), address, bytes))
        return hw_cuda_return(HW_RT_INVALID_VALUE);
    const bool is_mostly_read = attribute == CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
    const int none = CU_DEVICE_INVALID;
    memset(data, 0, data_bytes);
    for (size_t at = 0; !is_mostly_read && at + sizeof none <= data_bytes; at += sizeof none)
        memcpy((char *)data + at, &none, sizeof none);
    return CUDA_SUCCESS;
}
