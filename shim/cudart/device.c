// The devices: choosing one, asking about it, limits, peers.
#include <stdio.h>
#include <string.h>

#include "shim/cudart/cudart.h"

_Static_assert((int)cudaLimitMallocHeapSize == HW_RT_LIMIT_HEAP &&
               (int)cudaLimitPersistingL2CacheSize == HW_RT_LIMIT_L2_KEPT &&
               (int)cudaSharedMemBankSizeEightByte == HW_RT_BANKS_OF_8, "the runtime numbers these as CUDA does");

static hw_rt_status check_device(int device) { return hw_rt_check_device(hw_shim_runtime(), device); }

HW_EXPORT cudaError_t cudaGetDeviceCount(int *count) {
    if (!count) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *count = (int)hw_rt_gpus(hw_shim_runtime());
    return hw_cudart_return(*count ? HW_RT_SUCCESS : HW_RT_NO_DEVICE);
}

HW_EXPORT cudaError_t cudaGetDevice(int *device) {
    if (!device) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *device = (int)hw_rt_number(hw_shim_runtime());
    return hw_cudart_return(check_device(*device));
}

HW_EXPORT cudaError_t cudaSetDevice(int device) {
    const hw_rt_status status = check_device(device);
    if (!status) hw_rt_process_select((uint32_t)device);
    return hw_cudart_return(status);
}

HW_EXPORT cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags) {
    (void)deviceFlags, (void)flags;
    return hw_cudart_return(check_device(device));
}

HW_EXPORT cudaError_t cudaSetValidDevices(int *devices, int length) {
    for (int i = 0; devices && i < length; i++)
        if (check_device(devices[i])) return hw_cudart_return(HW_RT_INVALID_DEVICE);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop) {
    if (!prop || !device) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *device = 0;                       // all are alike
    return hw_cudart_return(check_device(0));
}

HW_EXPORT cudaError_t cudaSetDeviceFlags(unsigned int flags) {
    if (flags & ~(unsigned)cudaDeviceMask) return hw_cudart_return(HW_RT_INVALID_VALUE);
    hw_rt_set_flags(hw_shim_runtime(), flags);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaGetDeviceFlags(unsigned int *flags) {
    if (!flags) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *flags = hw_rt_flags(hw_shim_runtime()) | cudaDeviceMapHost;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device) {
    const hw_runtime *of = hw_rt_gpu_at(hw_shim_runtime(), device);
    if (!of) return hw_cudart_return(HW_RT_INVALID_DEVICE);
    bool is_known = value && hw_rt_device_attribute(of, (int)attr, value);
    return hw_cudart_return(is_known ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE);
}

HW_EXPORT cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int length, int device) {
    hw_rt_status status = check_device(device);
    if (!status && !hw_shim_write_bus_id(device, pciBusId, length)) status = HW_RT_INVALID_VALUE;
    return hw_cudart_return(status);
}

HW_EXPORT cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId) {
    if (!device || !pciBusId) return hw_cudart_return(HW_RT_INVALID_VALUE);
    return hw_cudart_return(hw_shim_read_bus_id(pciBusId, device) ? HW_RT_SUCCESS : HW_RT_INVALID_DEVICE);
}

HW_EXPORT cudaError_t cudaDeviceReset(void) {
    hw_rt_reset(hw_shim_runtime());
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

HW_EXPORT cudaError_t cudaDeviceSynchronize(void) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_synchronize(hw_shim_runtime()));
}

HW_EXPORT cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }

HW_EXPORT cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_set_limit(hw_shim_runtime(), (unsigned)limit, value));
}

HW_EXPORT cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
    HW_ENTER();
    return hw_cudart_return(value ? hw_rt_get_limit(hw_shim_runtime(), (unsigned)limit, value) : HW_RT_INVALID_VALUE);
}

HW_EXPORT cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config) {
    HW_ENTER();
    if (!config) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *config = (enum cudaFuncCache)hw_rt_cache_preference(hw_shim_runtime());
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_set_cache_preference(hw_shim_runtime(), (unsigned)config));
}

HW_EXPORT cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config) {
    HW_ENTER();
    if (!config) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *config = hw_rt_bank_bytes(hw_shim_runtime(), HW_RT_BANKS_DEFAULT) == 8 ? cudaSharedMemBankSizeEightByte
                                                                            : cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_set_bank_preference(hw_shim_runtime(), (unsigned)config));
}

HW_EXPORT cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peerDevice) {
    if (check_device(device) || check_device(peerDevice)) return hw_cudart_return(HW_RT_INVALID_DEVICE);
    if (!can) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *can = hw_rt_can_reach_peer(hw_rt_gpu_at(hw_shim_runtime(), device), peerDevice);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags) {
    HW_ENTER();
    (void)flags;
    return hw_cudart_return(hw_rt_enable_peer(hw_shim_runtime(), peerDevice));
}

HW_EXPORT cudaError_t cudaDeviceDisablePeerAccess(int peerDevice) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_disable_peer(hw_shim_runtime(), peerDevice));
}

HW_EXPORT cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int source, int destination) {
    if (check_device(source) || check_device(destination) || source == destination)
        return hw_cudart_return(HW_RT_INVALID_DEVICE);
    if (!value || attr < cudaDevP2PAttrPerformanceRank || attr > cudaDevP2PAttrCudaArrayAccessSupported)
        return hw_cudart_return(HW_RT_INVALID_VALUE);
    const bool can = hw_rt_can_reach_peer(hw_rt_gpu_at(hw_shim_runtime(), source), destination);
    *value = attr != cudaDevP2PAttrPerformanceRank && can;
    return cudaSuccess;
}

// The whole run is profiled; these mark parts of it for profilers that can be told.
HW_EXPORT cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
HW_EXPORT cudaError_t cudaProfilerStop(void) { return cudaSuccess; }
