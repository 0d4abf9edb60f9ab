// The one device there is: choosing it, asking about it, limits, peers.
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "shim.h"
#include "tell.h"

static const char PCI_BUS_ID[] = "0000:00:00.0";
static atomic_uint device_flags;
static atomic_int cache_config, shared_config;
// Limits that change nothing here and are only remembered: printf's buffer, device-side launches, L2.
static atomic_size_t remembered[7] = {[cudaLimitPrintfFifoSize] = 8650752,
                                      [cudaLimitDevRuntimePendingLaunchCount] = 2048,
                                      [cudaLimitMaxL2FetchGranularity] = 64};
enum { LEAST_FIFO_BYTES = 512 << 10, HEAP_UNIT_BYTES = 64 << 10, STACK_UNIT_BYTES = 16 };   // as an H200 rounds

static cudaError_t check_device(int device) {
    return hw_shim_return(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

HW_EXPORT cudaError_t cudaGetDeviceCount(int *count) {
    if (!count) return hw_shim_return(cudaErrorInvalidValue);
    *count = 1;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaGetDevice(int *device) {
    if (!device) return hw_shim_return(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaSetDevice(int device) { return check_device(device); }

HW_EXPORT cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags) {
    (void)deviceFlags, (void)flags;
    return check_device(device);
}

HW_EXPORT cudaError_t cudaSetValidDevices(int *devices, int length) {
    for (int i = 0; devices && i < length; i++)
        if (devices[i]) return hw_shim_return(cudaErrorInvalidDevice);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop) {
    return prop ? cudaGetDevice(device) : hw_shim_return(cudaErrorInvalidValue);
}

HW_EXPORT cudaError_t cudaSetDeviceFlags(unsigned int flags) {
    if (flags & ~(unsigned)cudaDeviceMask) return hw_shim_return(cudaErrorInvalidValue);
    atomic_store(&device_flags, flags);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaGetDeviceFlags(unsigned int *flags) {
    if (!flags) return hw_shim_return(cudaErrorInvalidValue);
    *flags = atomic_load(&device_flags) | cudaDeviceMapHost;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device) {
    if (device) return hw_shim_return(cudaErrorInvalidDevice);
    return hw_shim_return(value && hw_attribute_get((int)attr, value) ? cudaSuccess : cudaErrorInvalidValue);
}

HW_EXPORT cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int length, int device) {
    if (device) return hw_shim_return(cudaErrorInvalidDevice);
    if (!pciBusId || length < (int)sizeof PCI_BUS_ID) return hw_shim_return(cudaErrorInvalidValue);
    memcpy(pciBusId, PCI_BUS_ID, sizeof PCI_BUS_ID);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId) {
    if (!device || !pciBusId) return hw_shim_return(cudaErrorInvalidValue);
    unsigned domain = 0, bus = 1, slot = 1;
    if (sscanf(pciBusId, "%x:%x:%x", &domain, &bus, &slot) < 3 || domain || bus || slot)
        return hw_shim_return(cudaErrorInvalidDevice);
    *device = 0;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaDeviceReset(void) {
    hw_shim_forget();
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

HW_EXPORT cudaError_t cudaDeviceSynchronize(void) {
    HW_ENTER();
    hw_shim_tell_order(HW_HOST_DEVICE_SYNCHRONIZE, NULL, NULL);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }

static size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

HW_EXPORT cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
    HW_ENTER();
    switch (limit) {
    case cudaLimitStackSize:
        if (value > 512 << 10) return hw_shim_return(cudaErrorInvalidValue);
        hw_sim_set_stack_bytes(hw_shim_sim(), (uint32_t)round_up(value, STACK_UNIT_BYTES));
        return cudaSuccess;
    case cudaLimitMallocHeapSize:
        if (value > hw_shim_gpu()->memory_bytes) return hw_shim_return(cudaErrorMemoryAllocation);
        hw_sim_set_heap_bytes(hw_shim_sim(), round_up(value, HEAP_UNIT_BYTES));
        return cudaSuccess;
    case cudaLimitPrintfFifoSize:
        atomic_store(&remembered[limit], value < LEAST_FIFO_BYTES ? LEAST_FIFO_BYTES : value);
        return cudaSuccess;
    case cudaLimitDevRuntimePendingLaunchCount:
    case cudaLimitMaxL2FetchGranularity:
    case cudaLimitPersistingL2CacheSize: atomic_store(&remembered[limit], value); return cudaSuccess;
    default: return hw_shim_return(cudaErrorUnsupportedLimit);
    }
}

HW_EXPORT cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
    HW_ENTER();
    if (!value) return hw_shim_return(cudaErrorInvalidValue);
    if ((unsigned)limit > cudaLimitPersistingL2CacheSize || limit == cudaLimitDevRuntimeSyncDepth)
        return hw_shim_return(cudaErrorUnsupportedLimit);
    if (limit == cudaLimitStackSize) *value = hw_sim_stack_bytes(hw_shim_sim());
    else if (limit == cudaLimitMallocHeapSize) *value = hw_sim_heap_bytes(hw_shim_sim());
    else *value = atomic_load(&remembered[limit]);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config) {
    HW_ENTER();
    if (!config) return hw_shim_return(cudaErrorInvalidValue);
    *config = (enum cudaFuncCache)atomic_load(&cache_config);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
    HW_ENTER();
    if ((unsigned)config > cudaFuncCachePreferEqual) return hw_shim_return(cudaErrorInvalidValue);
    atomic_store(&cache_config, (int)config);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config) {
    HW_ENTER();
    if (!config) return hw_shim_return(cudaErrorInvalidValue);
    *config = hw_shim_bank_bytes(cudaSharedMemBankSizeDefault) == 8 ? cudaSharedMemBankSizeEightByte
                                                                    : cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
    HW_ENTER();
    if ((unsigned)config > cudaSharedMemBankSizeEightByte) return hw_shim_return(cudaErrorInvalidValue);
    atomic_store(&shared_config, (int)config);
    return cudaSuccess;
}

// Other GPUs than those of 3.x have one width, whatever is set.
uint32_t hw_shim_bank_bytes(int function_config) {
    int config = function_config == cudaSharedMemBankSizeDefault ? atomic_load(&shared_config) : function_config;
    return config == cudaSharedMemBankSizeEightByte && hw_shim_gpu()->arch->smem_bank_bytes == 8 ? 8 : 4;
}

// A device is no peer of itself, and there is no other.
HW_EXPORT cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peerDevice) {
    if (device || peerDevice) return hw_shim_return(cudaErrorInvalidDevice);
    if (!can) return hw_shim_return(cudaErrorInvalidValue);
    *can = 0;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags) {
    HW_ENTER();
    (void)flags;
    return hw_shim_return(peerDevice ? cudaErrorInvalidDevice : cudaErrorPeerAccessUnsupported);
}

HW_EXPORT cudaError_t cudaDeviceDisablePeerAccess(int peerDevice) {
    HW_ENTER();
    return hw_shim_return(peerDevice ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled);
}

HW_EXPORT cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int source, int destination) {
    (void)value, (void)attr, (void)source, (void)destination;
    return hw_shim_return(cudaErrorInvalidDevice);
}

// The whole run is profiled; these mark parts of it for profilers that can be told.
HW_EXPORT cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
HW_EXPORT cudaError_t cudaProfilerStop(void) { return cudaSuccess; }
