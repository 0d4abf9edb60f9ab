// Copies between plain addresses. A copy is done when the call returns.
#include "shim/cuda/driver.h"

static void *pointer_of(CUdeviceptr address) { return (void *)(uintptr_t)address; }

static CUresult copy_bytes(const void *to, const void *from, size_t bytes, hw_host_copy_kind direction,
                           hw_rt_order order) {
    HW_ENTER();
    const hw_rt_region target = {.start = (char *)to, .pitch = bytes}, source = {.start = (char *)from, .pitch = bytes};
    return hw_cuda_return(
        hw_rt_copy(hw_shim_runtime(), target, source, (hw_rt_shape){bytes, 1, 1}, (unsigned)direction, order));
}

HW_EXPORT CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return copy_bytes(pointer_of(to), pointer_of(from), bytes, HW_HOST_COPY_ANY, hw_in_turn());
}

HW_EXPORT CUresult cuMemcpy_ptds(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return copy_bytes(pointer_of(to), pointer_of(from), bytes, HW_HOST_COPY_ANY, hw_in_turn_of_thread());
}

HW_EXPORT CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy_bytes(pointer_of(to), pointer_of(from), bytes, HW_HOST_COPY_ANY, hw_in_stream(stream));
}

HW_EXPORT CUresult cuMemcpyAsync_ptsz(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return cuMemcpyAsync(to, from, bytes, hw_of_thread(stream));
}

HW_EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
    return copy_bytes(pointer_of(to), from, bytes, HW_HOST_COPY_HOST_TO_DEVICE, hw_in_turn());
}

HW_EXPORT CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr to, const void *from, size_t bytes) {
    return copy_bytes(pointer_of(to), from, bytes, HW_HOST_COPY_HOST_TO_DEVICE, hw_in_turn_of_thread());
}

HW_EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
    return copy_bytes(pointer_of(to), from, bytes, HW_HOST_COPY_HOST_TO_DEVICE, hw_in_stream(stream));
}

HW_EXPORT CUresult cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
    return cuMemcpyHtoDAsync_v2(to, from, bytes, hw_of_thread(stream));
}

HW_EXPORT CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
    return copy_bytes(to, pointer_of(from), bytes, HW_HOST_COPY_DEVICE_TO_HOST, hw_in_turn());
}

HW_EXPORT CUresult cuMemcpyDtoH_v2_ptds(void *to, CUdeviceptr from, size_t bytes) {
    return copy_bytes(to, pointer_of(from), bytes, HW_HOST_COPY_DEVICE_TO_HOST, hw_in_turn_of_thread());
}

HW_EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy_bytes(to, pointer_of(from), bytes, HW_HOST_COPY_DEVICE_TO_HOST, hw_in_stream(stream));
}

HW_EXPORT CUresult cuMemcpyDtoHAsync_v2_ptsz(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return cuMemcpyDtoHAsync_v2(to, from, bytes, hw_of_thread(stream));
}

HW_EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return copy_bytes(pointer_of(to), pointer_of(from), bytes, HW_HOST_COPY_DEVICE_TO_DEVICE, hw_in_turn());
}

HW_EXPORT CUresult cuMemcpyDtoD_v2_ptds(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return copy_bytes(pointer_of(to), pointer_of(from), bytes, HW_HOST_COPY_DEVICE_TO_DEVICE, hw_in_turn_of_thread());
}

HW_EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy_bytes(pointer_of(to), pointer_of(from), bytes, HW_HOST_COPY_DEVICE_TO_DEVICE, hw_in_stream(stream));
}

HW_EXPORT CUresult cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return cuMemcpyDtoDAsync_v2(to, from, bytes, hw_of_thread(stream));
}

static CUresult copy_peer(CUdeviceptr to, CUcontext of_to, CUdeviceptr from, CUcontext of_from, size_t bytes,
                          hw_rt_order order) {
    if (!hw_cuda_is_context(of_to) || !hw_cuda_is_context(of_from)) return hw_cuda_return(HW_RT_INVALID_CONTEXT);
    return copy_bytes(pointer_of(to), pointer_of(from), bytes, HW_HOST_COPY_DEVICE_TO_DEVICE, order);
}

HW_EXPORT CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext of_to, CUdeviceptr from, CUcontext of_from, size_t bytes) {
    return copy_peer(to, of_to, from, of_from, bytes, hw_in_turn());
}

HW_EXPORT CUresult cuMemcpyPeer_ptds(CUdeviceptr to, CUcontext of_to, CUdeviceptr from, CUcontext of_from,
                                     size_t bytes) {
    return copy_peer(to, of_to, from, of_from, bytes, hw_in_turn_of_thread());
}

HW_EXPORT CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext of_to, CUdeviceptr from, CUcontext of_from,
                                     size_t bytes, CUstream stream) {
    return copy_peer(to, of_to, from, of_from, bytes, hw_in_stream(stream));
}

HW_EXPORT CUresult cuMemcpyPeerAsync_ptsz(CUdeviceptr to, CUcontext of_to, CUdeviceptr from, CUcontext of_from,
                                          size_t bytes, CUstream stream) {
    return cuMemcpyPeerAsync(to, of_to, from, of_from, bytes, hw_of_thread(stream));
}
