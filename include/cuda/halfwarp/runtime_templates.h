// The runtime API as C++ programs call it: typed pointers, kernels by name, symbols by reference.
#ifndef __HALFWARP_RUNTIME_TEMPLATES_H__
#define __HALFWARP_RUNTIME_TEMPLATES_H__

#include "cuda_runtime_api.h"

static inline __host__ cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
    return ::cudaEventCreateWithFlags(event, flags);
}

static inline __host__ cudaError_t cudaMallocHost(void **pointer, size_t bytes, unsigned int flags) {
    return ::cudaHostAlloc(pointer, bytes, flags);
}

// As CUDA 11 had it: why it fails is in the result alone.
static inline __host__ cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                        cudaGraphNode_t *error_node, char *log, size_t log_bytes) {
    (void)error_node, (void)log, (void)log_bytes;
    return ::cudaGraphInstantiate(exec, graph, 0);
}

static inline __host__ cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                                       cudaGraphNode_t *error_node,
                                                       enum cudaGraphExecUpdateResult *result) {
    cudaGraphExecUpdateResultInfo info;
    cudaError_t error = ::cudaGraphExecUpdate(exec, graph, &info);
    if (error_node) *error_node = info.errorNode;
    if (result) *result = info.result;
    return error;
}

template <class T> static inline __host__ cudaError_t cudaMalloc(T **pointer, size_t bytes) {
    return ::cudaMalloc((void **)(void *)pointer, bytes);
}

template <class T>
static inline __host__ cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned int flags = 0) {
    return ::cudaHostAlloc((void **)(void *)pointer, bytes, flags);
}

template <class T> static inline __host__ cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned int flags) {
    return ::cudaHostAlloc((void **)(void *)pointer, bytes, flags);
}

template <class T>
static inline __host__ cudaError_t cudaHostGetDevicePointer(T **devicePointer, void *hostPointer, unsigned int flags) {
    return ::cudaHostGetDevicePointer((void **)(void *)devicePointer, hostPointer, flags);
}

template <class T>
static inline __host__ cudaError_t cudaMallocManaged(T **pointer, size_t bytes,
                                                     unsigned int flags = cudaMemAttachGlobal) {
    return ::cudaMallocManaged((void **)(void *)pointer, bytes, flags);
}

template <class T>
static inline __host__ cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height) {
    return ::cudaMallocPitch((void **)(void *)pointer, pitch, width, height);
}

template <class T> static inline __host__ cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream) {
    return ::cudaMallocAsync((void **)(void *)pointer, bytes, stream);
}

template <class T>
static inline __host__ cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t bytes, cudaMemPool_t pool,
                                                           cudaStream_t stream) {
    return ::cudaMallocFromPoolAsync((void **)(void *)pointer, bytes, pool, stream);
}

template <class T>
static inline __host__ cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return cudaMallocFromPoolAsync(pointer, bytes, pool, stream);
}

template <class T>
static inline __host__ cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *pointer, size_t bytes = 0,
                                                            unsigned int flags = cudaMemAttachSingle) {
    return ::cudaStreamAttachMemAsync(stream, (void *)pointer, bytes, flags);
}

// As CUDA 12 and earlier had them: the place by the number of its device.
static inline __host__ struct cudaMemLocation __halfwarp_location(int device) {
    struct cudaMemLocation location;
    location.type = device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    location.id = device < 0 ? 0 : device;
    return location;
}

static inline __host__ cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device,
                                                        cudaStream_t stream = 0) {
    return ::cudaMemPrefetchAsync(pointer, bytes, __halfwarp_location(device), 0u, stream);
}

static inline __host__ cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                                                 int device) {
    return ::cudaMemAdvise(pointer, bytes, advice, __halfwarp_location(device));
}

// Symbols: clang and nvcc pass the address of the host variable that stands for the device's.
template <class T>
static inline __host__ cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t bytes, size_t offset = 0,
                                                      enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return ::cudaMemcpyToSymbol((const void *)&symbol, src, bytes, offset, kind);
}

template <class T>
static inline __host__ cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t bytes,
                                                           size_t offset = 0,
                                                           enum cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                           cudaStream_t stream = 0) {
    return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, bytes, offset, kind, stream);
}

template <class T>
static inline __host__ cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t bytes, size_t offset = 0,
                                                        enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, bytes, offset, kind);
}

template <class T>
static inline __host__ cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t bytes,
                                                             size_t offset = 0,
                                                             enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                             cudaStream_t stream = 0) {
    return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, bytes, offset, kind, stream);
}

template <class T> static inline __host__ cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol) {
    return ::cudaGetSymbolAddress(pointer, (const void *)&symbol);
}

template <class T> static inline __host__ cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol) {
    return ::cudaGetSymbolSize(bytes, (const void *)&symbol);
}

// Kernels by name.
template <class T>
static inline __host__ cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **args,
                                                    size_t sharedBytes = 0, cudaStream_t stream = 0) {
    return ::cudaLaunchKernel((const void *)function, grid, block, args, sharedBytes, stream);
}

template <class T>
static inline __host__ cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block, void **args,
                                                               size_t sharedBytes = 0, cudaStream_t stream = 0) {
    return ::cudaLaunchCooperativeKernel((const void *)function, grid, block, args, sharedBytes, stream);
}

#if __cplusplus >= 201103L
namespace __halfwarp {
template <class T> struct same {
    typedef T type;
};
}

// The arguments are converted to the kernel's own parameter types before their addresses are taken.
template <class... Parameters>
static inline __host__ cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                                                      typename __halfwarp::same<Parameters>::type... args) {
    void *addresses[] = {(void *)&args..., nullptr};
    return ::cudaLaunchKernelExC(config, (const void *)kernel, addresses);
}
#endif

template <class T> static inline __host__ cudaError_t cudaFuncSetCacheConfig(T *function, enum cudaFuncCache config) {
    return ::cudaFuncSetCacheConfig((const void *)function, config);
}

template <class T>
static inline __host__ cudaError_t cudaFuncSetSharedMemConfig(T *function, enum cudaSharedMemConfig config) {
    return ::cudaFuncSetSharedMemConfig((const void *)function, config);
}

template <class T>
static inline __host__ cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, T *function) {
    return ::cudaFuncGetAttributes(attributes, (const void *)function);
}

template <class T>
static inline __host__ cudaError_t cudaFuncSetAttribute(T *function, enum cudaFuncAttribute attr, int value) {
    return ::cudaFuncSetAttribute((const void *)function, attr, value);
}

template <class T> static inline __host__ cudaError_t cudaFuncGetName(const char **name, T *function) {
    return ::cudaFuncGetName(name, (const void *)function);
}

template <class T> static inline __host__ cudaError_t cudaGetFuncBySymbol(cudaFunction_t *found, T *function) {
    return ::cudaGetFuncBySymbol(found, (const void *)function);
}

template <class T>
static inline __host__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function,
                                                                                 int blockSize, size_t sharedBytes) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)function, blockSize,
                                                                    sharedBytes, cudaOccupancyDefault);
}

template <class T>
static inline __host__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T function,
                                                                                          int blockSize,
                                                                                          size_t sharedBytes,
                                                                                          unsigned int flags) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)function, blockSize,
                                                                    sharedBytes, flags);
}

template <class T>
static inline __host__ cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *sharedBytes, T *function,
                                                                             int blocks, int blockSize) {
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(sharedBytes, (const void *)function, blocks, blockSize);
}

// The block size with the most warps per multiprocessor: every multiple of the warp size is asked for, from the largest
// down, and the first of the best is kept. sharedBytesOf(blockSize) is the dynamic shared memory a block needs.
template <class SharedBytesOf, class T>
static inline __host__ cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *minGridSize, int *blockSize, T function,
                                                        SharedBytesOf sharedBytesOf, int blockSizeLimit = 0,
                                                        unsigned int flags = 0) {
    int device, warp, multiprocessors, deviceLimit;
    cudaFuncAttributes attributes;
    if (!minGridSize || !blockSize || !function) return cudaErrorInvalidValue;
    cudaError_t status = ::cudaGetDevice(&device);
    if (status == cudaSuccess) status = ::cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
    if (status == cudaSuccess)
        status = ::cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (status == cudaSuccess)
        status = ::cudaDeviceGetAttribute(&deviceLimit, cudaDevAttrMaxThreadsPerBlock, device);
    if (status == cudaSuccess) status = ::cudaFuncGetAttributes(&attributes, (const void *)function);
    if (status != cudaSuccess) return status;

    int limit = deviceLimit < attributes.maxThreadsPerBlock ? deviceLimit : attributes.maxThreadsPerBlock;
    if (blockSizeLimit > 0 && blockSizeLimit < limit) limit = blockSizeLimit;
    int bestThreads = 0, bestSize = 0, bestBlocks = 0;
    for (int rounded = (limit + warp - 1) / warp * warp; rounded > 0; rounded -= warp) {
        int size = rounded < limit ? rounded : limit, blocks = 0;
        status = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void *)function, size,
                                                                          sharedBytesOf(size), flags);
        if (status != cudaSuccess) return status;
        if (size * blocks > bestThreads) {
            bestThreads = size * blocks;
            bestSize = size;
            bestBlocks = blocks;
        }
    }
    *minGridSize = bestBlocks * multiprocessors;
    *blockSize = bestSize;
    return cudaSuccess;
}

template <class SharedBytesOf, class T>
static inline __host__ cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *minGridSize, int *blockSize,
                                                                                  T function,
                                                                                  SharedBytesOf sharedBytesOf,
                                                                                  int blockSizeLimit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, function, sharedBytesOf,
                                                                   blockSizeLimit, cudaOccupancyDefault);
}

namespace __halfwarp {
struct same_shared_bytes {
    size_t bytes;
    __host__ size_t operator()(int) const { return bytes; }
};
}

template <class T>
static inline __host__ cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize,
                                                                               T function, size_t sharedBytes = 0,
                                                                               int blockSizeLimit = 0,
                                                                               unsigned int flags = 0) {
    __halfwarp::same_shared_bytes same = {sharedBytes};
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, function, same,
                                                                   blockSizeLimit, flags);
}

template <class T>
static inline __host__ cudaError_t cudaOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, T function,
                                                                      size_t sharedBytes = 0, int blockSizeLimit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, function, sharedBytes, blockSizeLimit,
                                                       cudaOccupancyDefault);
}

#endif
