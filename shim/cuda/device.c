// The devices there are, which are alike.
#include <stdio.h>
#include <string.h>

#include "shim/cuda/driver.h"

// Of calls that ask about a device; `answer` is where to.
static hw_rt_status ask_device(const void *answer, CUdevice device) {
    if (!hw_cuda_is_initialized()) return HW_RT_NOT_INITIALIZED;
    return answer ? hw_rt_check_device(hw_shim_runtime(), device) : HW_RT_INVALID_VALUE;
}

static const hw_gpu *simulated_gpu(void) { return hw_rt_gpu(hw_shim_runtime()); }

static int attribute_value(int number) {
    int value = 0;
    hw_rt_attribute(simulated_gpu(), number, &value);
    return value;
}

HW_EXPORT CUresult cuDeviceGetCount(int *count) {
    const hw_rt_status status = ask_device(count, 0);
    if (!status) *count = (int)hw_rt_gpus(hw_shim_runtime());
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    const hw_rt_status status = ask_device(device, ordinal);
    if (!status) *device = ordinal;
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
    hw_rt_status status = ask_device(name, device);
    if (!status && length <= 0) status = HW_RT_INVALID_VALUE;
    if (!status) snprintf(name, (size_t)length, "%s", simulated_gpu()->name);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
    const hw_rt_status status = ask_device(uuid, device);
    if (status) return hw_cuda_return(status);
    hw_shim_make_uuid(device, uuid->bytes);
    return CUDA_SUCCESS;
}
HW_ALIAS(cuDeviceGetUuid, cuDeviceGetUuid_v2);

HW_EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
    const hw_rt_status status = ask_device(bytes, device);
    if (!status) *bytes = simulated_gpu()->memory_bytes;
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
    hw_rt_status status = ask_device(value, device);
    if (!status && !hw_rt_device_attribute(hw_cuda_gpu(device), (int)attribute, value)) status = HW_RT_INVALID_VALUE;
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuDeviceGetProperties(CUdevprop *properties, CUdevice device) {
    const hw_rt_status status = ask_device(properties, device);
    if (status) return hw_cuda_return(status);
    properties->maxThreadsPerBlock = attribute_value(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    for (int axis = 0; axis < 3; axis++) {
        properties->maxThreadsDim[axis] = attribute_value(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + axis);
        properties->maxGridSize[axis] = attribute_value(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + axis);
    }
    properties->sharedMemPerBlock = attribute_value(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    properties->totalConstantMemory = attribute_value(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
    properties->SIMDWidth = attribute_value(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    properties->memPitch = attribute_value(CU_DEVICE_ATTRIBUTE_MAX_PITCH);
    properties->regsPerBlock = attribute_value(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
    properties->clockRate = attribute_value(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
    properties->textureAlign = attribute_value(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
    const hw_rt_status status = ask_device(minor ? major : NULL, device);
    if (status) return hw_cuda_return(status);
    *major = attribute_value(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    *minor = attribute_value(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuDeviceGetPCIBusId(char *id, int length, CUdevice device) {
    hw_rt_status status = ask_device(id, device);
    if (!status && !hw_shim_write_bus_id(device, id, length)) status = HW_RT_INVALID_VALUE;
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id) {
    hw_rt_status status = ask_device(id ? device : NULL, 0);
    if (status) return hw_cuda_return(status);
    return hw_cuda_return(hw_shim_read_bus_id(id, device) ? HW_RT_SUCCESS : HW_RT_INVALID_DEVICE);
}

static hw_rt_status ask_peers(const void *answer, CUdevice device, CUdevice peer) {
    const hw_rt_status status = ask_device(answer, device);
    return status ? status : ask_device(answer, peer);
}

HW_EXPORT CUresult cuDeviceCanAccessPeer(int *can_access, CUdevice device, CUdevice peer) {
    const hw_rt_status status = ask_peers(can_access, device, peer);
    if (!status) *can_access = hw_rt_can_reach_peer(hw_cuda_gpu(device), peer);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice device,
                                           CUdevice peer) {
    hw_rt_status status = ask_peers(value, device, peer);
    if (!status && device == peer) status = HW_RT_INVALID_DEVICE;
    if (!status && (unsigned)attribute - CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK >
                       CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED - CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK)
        status = HW_RT_INVALID_VALUE;
    if (!status)
        *value = attribute != CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK &&
                 hw_rt_can_reach_peer(hw_cuda_gpu(device), peer);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuDeviceGetExecAffinitySupport(int *value, CUexecAffinityType type, CUdevice device) {
    (void)type;
    const hw_rt_status status = ask_device(value, device);
    if (!status) *value = 0;
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *width, CUarray_format format, unsigned channels,
                                                      CUdevice device) {
    hw_rt_channels layout;
    hw_rt_status status = ask_device(width, device);
    if (!status && !hw_cuda_channels(format, channels, &layout)) status = HW_RT_INVALID_VALUE;
    if (!status) *width = (size_t)attribute_value(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH);
    return hw_cuda_return(status);
}
