// Memory and events between processes.
#include "runtime/sharing.h"

#include <string.h>

#include "shim/cuda/driver.h"

_Static_assert(sizeof(hw_rt_shared_name) == CU_IPC_HANDLE_SIZE && sizeof(CUipcEventHandle) == CU_IPC_HANDLE_SIZE &&
               sizeof(CUmemPoolPtrExportData) == CU_IPC_HANDLE_SIZE, "names fill what CUDA gives them");

static CUresult share(uint64_t address, hw_rt_shared_kind kind, void *out) {
    HW_ENTER();
    hw_rt_shared_name name;
    if (!out) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const hw_rt_status status = hw_rt_share(hw_shim_runtime(), address, kind, &name);
    if (!status) memcpy(out, &name, sizeof name);
    return hw_cuda_return(status);
}

static CUresult open_shared(CUdeviceptr *address, hw_rt_shared_kind kind, const void *bytes) {
    HW_ENTER();
    hw_rt_shared_name name;
    uint64_t made;
    if (!address) return hw_cuda_return(HW_RT_INVALID_VALUE);
    memcpy(&name, bytes, sizeof name);
    const hw_rt_status status = hw_rt_shared_open(hw_shim_runtime(), &name, kind, hw_shim_site(), &made);
    if (!status) *address = made;
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address) {
    return share(address, HW_RT_SHARED_MEMORY, handle);
}

HW_EXPORT CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags) {
    if (flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) return hw_cuda_return(HW_RT_INVALID_VALUE);
    return open_shared(address, HW_RT_SHARED_MEMORY, &handle);
}
HW_ALIAS(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2);

HW_EXPORT CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_shared_close(hw_shim_runtime(), address, HW_RT_SHARED_MEMORY));
}

HW_EXPORT CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *data, CUdeviceptr address) {
    return share(address, HW_RT_SHARED_OF_POOL, data);
}

HW_EXPORT CUresult cuMemPoolImportPointer(CUdeviceptr *address, CUmemoryPool pool, CUmemPoolPtrExportData *data) {
    if (!data || !hw_rt_is_pool(hw_shim_runtime(), hw_pool_of(pool))) return hw_cuda_return(HW_RT_INVALID_VALUE);
    return open_shared(address, HW_RT_SHARED_OF_POOL, data);
}

HW_EXPORT CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event) {
    HW_ENTER();
    hw_rt_shared_name name;
    if (!handle) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const hw_rt_status status = hw_rt_event_share(hw_shim_runtime(), hw_event_of(event), &name);
    if (!status) memcpy(handle, &name, sizeof name);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle) {
    HW_ENTER();
    hw_rt_shared_name name;
    memcpy(&name, &handle, sizeof name);
    if (!event) return hw_cuda_return(HW_RT_INVALID_VALUE);
    return hw_cuda_return(hw_rt_event_open(hw_shim_runtime(), &name, (hw_rt_event **)event));
}
