// Memory and events between processes.
#include "shim/cuda/driver.h"
#include "shim/sharing.h"

_Static_assert(sizeof(hw_rt_shared_name) == CU_IPC_HANDLE_SIZE && sizeof(CUipcEventHandle) == CU_IPC_HANDLE_SIZE &&
               sizeof(CUmemPoolPtrExportData) == CU_IPC_HANDLE_SIZE, "names fill what CUDA gives them");

static CUresult open_shared(CUdeviceptr *address, hw_rt_shared_kind kind, const void *name) {
    uint64_t made;
    const hw_rt_status status = hw_shim_open_shared(name, kind, address ? &made : NULL);
    if (!status) *address = made;
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address) {
    HW_ENTER();
    return hw_cuda_return(hw_shim_share(address, HW_RT_SHARED_MEMORY, handle));
}

HW_EXPORT CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags) {
    HW_ENTER();
    if (flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) return hw_cuda_return(HW_RT_INVALID_VALUE);
    return open_shared(address, HW_RT_SHARED_MEMORY, &handle);
}
HW_ALIAS(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2);

HW_EXPORT CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_shared_close(hw_shim_runtime(), address, HW_RT_SHARED_MEMORY));
}

HW_EXPORT CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *data, CUdeviceptr address) {
    HW_ENTER();
    return hw_cuda_return(hw_shim_share(address, HW_RT_SHARED_OF_POOL, data));
}

HW_EXPORT CUresult cuMemPoolImportPointer(CUdeviceptr *address, CUmemoryPool pool, CUmemPoolPtrExportData *data) {
    HW_ENTER();
    if (!hw_rt_is_pool(hw_shim_runtime(), hw_pool_of(pool))) return hw_cuda_return(HW_RT_INVALID_VALUE);
    return open_shared(address, HW_RT_SHARED_OF_POOL, data);
}

HW_EXPORT CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event) {
    HW_ENTER();
    return hw_cuda_return(hw_shim_share_event(hw_event_of(event), handle));
}

HW_EXPORT CUresult cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle) {
    HW_ENTER();
    return hw_cuda_return(hw_shim_open_event(&handle, (hw_rt_event **)event));
}
