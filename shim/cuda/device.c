// The one device there is.
#include <stdio.h>
#include <string.h>

#include "shim/cuda/driver.h"

static const char PCI_BUS_ID[] = "0000:00:00.0";

// Of calls that ask about a device; `answer` is where to.
static hw_rt_status ask_device(const void *answer, CUdevice device) {
    if (!hw_cuda_is_initialized()) return HW_RT_NOT_INITIALIZED;
    return answer ? hw_rt_check_device(device) : HW_RT_INVALID_VALUE;
}

static const hw_gpu *simulated_gpu(void) { return hw_rt_gpu(hw_shim_runtime()); }

static int attribute_value(int number) {
    int value = 0;
    hw_rt_attribute(simulated_gpu(), number, &value);
    return value;
}

HW_EXPORT CUresult cuDeviceGetCount(int *count) {
    const hw_rt_status status = ask_device(count, 0);
    if (!status) *count = 1;
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
    memset(uuid, 0, sizeof *uuid);
    snprintf(uuid->bytes, sizeof uuid->bytes, "sim-%s", simulated_gpu()->id);   // the runtime's, too
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
    if (!status && !hw_rt_attribute(simulated_gpu(), (int)attribute, value)) status = HW_RT_INVALID_VALUE;
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
    if (!status && length < (int)sizeof PCI_BUS_ID) status = HW_RT_INVALID_VALUE;
    if (!status) memcpy(id, PCI_BUS_ID, sizeof PCI_BUS_ID);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id) {
    hw_rt_status status = ask_device(id ? device : NULL, 0);
    if (status) return hw_cuda_return(status);
    unsigned domain = 0, bus = 1, slot = 1;
    if (sscanf(id, "%x:%x:%x", &domain, &bus, &slot) < 3 || domain || bus || slot)
        return hw_cuda_return(HW_RT_INVALID_DEVICE);
    *device = 0;
    return CUDA_SUCCESS;
}

// A device is no peer of itself, and there is no other.
HW_EXPORT CUresult cuDeviceCanAccessPeer(int *can_access, CUdevice device, CUdevice peer) {
    const hw_rt_status status = ask_device(can_access, device ? device : peer);
    if (!status) *can_access = 0;
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice device,
                                           CUdevice peer) {
    (void)attribute;
    const hw_rt_status status = ask_device(value, device ? device : peer);
    return hw_cuda_return(status ? status : HW_RT_INVALID_DEVICE);
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
