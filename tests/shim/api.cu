// What calls of the runtime return for good and bad arguments, in an order that never faults. api.h200.txt is what this
// program printed on an H200 (CUDA 13.0, driver 580); tests/cli/programs/runtime_api.sh compares.
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

// The call, what it returns, and what became of the thread's last error.
#define CALL(call)                                                                                   \
    do {                                                                                             \
        cudaError_t returned = (call), peeked = cudaPeekAtLastError(), last = cudaGetLastError();    \
        printf("%-80s %3d  last %d %d %d\n", #call, (int)returned, (int)peeked, (int)last,           \
               (int)cudaGetLastError());                                                             \
    } while (0)
#define LAUNCH(launch)                                                                               \
    do {                                                                                             \
        launch;                                                                                      \
        cudaError_t peeked = cudaPeekAtLastError(), last = cudaGetLastError();                       \
        printf("%-80s      last %d %d %d\n", #launch, (int)peeked, (int)last, (int)cudaGetLastError()); \
    } while (0)

__global__ void nothing() {}
__global__ void __launch_bounds__(128) bounded(int *p, char c, double d) {
    if (p) *p = (int)d + c;
}
__global__ void fixed(int *p) {
    __shared__ int tile[1024];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (p) *p = tile[1023 - threadIdx.x];
}
extern __shared__ int tail[];
__global__ void dynamic(int *p) {
    tail[threadIdx.x] = 1;
    __syncthreads();
    if (p) *p = tail[0];
}
__constant__ int constants[10];
__device__ int variables[10];

static void launches() {
    LAUNCH((nothing<<<0, 32>>>()));
    LAUNCH((nothing<<<1, 0>>>()));
    LAUNCH((nothing<<<1, 2048>>>()));
    LAUNCH((nothing<<<1, dim3(1, 1, 65)>>>()));
    LAUNCH((nothing<<<dim3(1, 70000), 1>>>()));
    LAUNCH((nothing<<<1, 32, 49 * 1024>>>()));
    LAUNCH((nothing<<<1, 32, 48 * 1024>>>()));
    LAUNCH((fixed<<<1, 1024, 45 * 1024>>>(0)));
    LAUNCH((fixed<<<1, 1024, 44 * 1024>>>(0)));
    CALL(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
    CALL(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 * 1024));
    CALL(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    CALL(cudaFuncSetAttribute(dynamic, (cudaFuncAttribute)3, 1));
    CALL(cudaFuncSetAttribute(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    LAUNCH((dynamic<<<1, 1024, 227 * 1024>>>(0)));
    LAUNCH((dynamic<<<1, 1024, 228 * 1024>>>(0)));
    CALL(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000));
    LAUNCH((dynamic<<<1, 32, 2000>>>(0)));
    LAUNCH((bounded<<<1, 256>>>(0, 1, 2.0)));
    void *none[] = {0};
    char host[8];
    CALL(cudaLaunchCooperativeKernel((void *)nothing, dim3(100000), dim3(1024), none, 0, 0));
    CALL(cudaLaunchCooperativeKernel((void *)nothing, dim3(132 * 2), dim3(1024), none, 0, 0));
    CALL(cudaLaunchKernel((void *)host, dim3(1), dim3(1), none, 0, 0));
    CALL(cudaLaunchKernel((void *)0, dim3(1), dim3(1), none, 0, 0));
    CALL(cudaLaunchKernel((void *)nothing, dim3(0), dim3(1), none, 0, 0));
    CALL(cudaDeviceSynchronize());
}

static void describe(const void *pointer, const char *name) {
    cudaPointerAttributes a;
    memset(&a, 0xff, sizeof a);
    CALL(cudaPointerGetAttributes(&a, pointer));
    printf("    %s: type %d, device %d, device pointer %s, host pointer %s\n", name, (int)a.type, a.device,
           a.devicePointer == pointer ? "same" : a.devicePointer ? "other" : "none",
           a.hostPointer == pointer ? "same" : a.hostPointer ? "other" : "none");
}

static void memory() {
    static char host[4096];
    void *p, *q, *managed, *pinned;
    size_t pitch;
    unsigned flags;
    CALL(cudaMalloc(&p, 0));
    printf("    %p\n", p);
    CALL(cudaMalloc(&p, (size_t)1 << 50));
    CALL(cudaMalloc((void **)0, 4));
    CALL(cudaMalloc(&p, 1000));
    CALL(cudaMalloc(&q, 1000));
    CALL(cudaMemcpy(p, host, 1001, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy((void *)0x10, host, 4, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(host, host + 100, 4, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(host, host + 100, 4, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(host, host + 100, 4, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpy(host, host + 100, 4, cudaMemcpyDefault));
    CALL(cudaMemcpy(p, q, 4, cudaMemcpyHostToHost));
    CALL(cudaMemcpy(p, q, 4, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(p, q, 4, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(host, p, 4, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(p, host, 4, (cudaMemcpyKind)7));
    CALL(cudaMemcpy(0, host, 4, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(0, 0, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(p, 0, 4, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy((void *)0x10, host, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyAsync(p, host, 4, cudaMemcpyDeviceToDevice));
    CALL(cudaFree((void *)0x10));
    CALL(cudaFree(host));
    CALL(cudaFree((char *)p + 4));
    CALL(cudaFree(p));
    CALL(cudaFree(p));
    CALL(cudaFreeHost(host));
    CALL(cudaFreeHost(q));
    CALL(cudaFreeHost(0));
    CALL(cudaMemset(0, 0, 10));
    CALL(cudaMemset(0, 0, 0));
    CALL(cudaMemset(host, 0, 10));
    CALL(cudaMemset(p, 0, 10));
    CALL(cudaMallocManaged(&managed, 100));
    CALL(cudaMallocHost(&pinned, 100));
    CALL(cudaFreeHost(managed));
    CALL(cudaFree(pinned));
    describe(host, "host");
    describe(0, "null");
    describe(q, "device");
    describe((char *)q + 10, "inside");
    describe(managed, "managed");
    describe(pinned, "pinned");
    describe(p, "freed");
    CALL(cudaMallocPitch(&p, &pitch, 100, 10));
    printf("    pitch %zu\n", pitch);
    CALL(cudaMallocPitch(&p, &pitch, 513, 10));
    printf("    pitch %zu\n", pitch);
    CALL(cudaMallocPitch(&q, &pitch, 0, 10));
    cudaPitchedPtr pitched;
    CALL(cudaMalloc3D(&pitched, make_cudaExtent(100, 3, 4)));
    printf("    %zu %zu %zu\n", pitched.pitch, pitched.xsize, pitched.ysize);
    CALL(cudaMemcpy2D(p, 512, host, 50, 100, 2, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(p, 512, host, 100, 100, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(p, 512, host, 100, 0, 1, cudaMemcpyHostToDevice));
    CALL(cudaHostRegister(host, 100, 0));
    CALL(cudaHostRegister(host, 100, 0));
    CALL(cudaHostUnregister(host + 4));
    CALL(cudaHostUnregister(host));
    CALL(cudaHostUnregister(host));
    CALL(cudaHostGetDevicePointer(&p, host, 0));
    CALL(cudaHostGetFlags(&flags, host));
    CALL(cudaHostGetFlags(&flags, pinned));
    printf("    flags %u\n", flags);
    CALL(cudaHostAlloc(&p, 0, 0));
    CALL(cudaMallocManaged(&p, 0));
    cudaMemPool_t pool;
    CALL(cudaDeviceGetDefaultMemPool(&pool, 0));
    CALL(cudaMallocAsync(&p, 100, 0));
    CALL(cudaFreeAsync(p, 0));
    CALL(cudaFreeAsync(host, 0));
    CALL(cudaMallocAsync(&p, 100, 0));
    CALL(cudaFree(p));
}

static void attributes(const char *name, const void *kernel) {
    cudaFuncAttributes a;
    memset(&a, 0, sizeof a);
    CALL(cudaFuncGetAttributes(&a, kernel));
    printf("    %s: shared %zu, local %zu, threads %d, binary %d, dynamic %d, carve-out %d\n", name, a.sharedSizeBytes,
           a.localSizeBytes, a.maxThreadsPerBlock, a.binaryVersion, a.maxDynamicSharedSizeBytes,
           a.preferredShmemCarveout);
}

static void occupancy(const char *name, const void *kernel, int threads, size_t shared) {
    int blocks = -7;
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared));
    printf("    %s, %d threads, %zu bytes: %d\n", name, threads, shared, blocks);
}

static void functions() {
    static char host[8];
    size_t offset, bytes;
    attributes("nothing", (const void *)nothing);
    attributes("bounded", (const void *)bounded);
    attributes("fixed", (const void *)fixed);
    attributes("dynamic", (const void *)dynamic);
    attributes("no kernel", host);
    attributes("null", 0);
    occupancy("nothing", (const void *)nothing, 0, 0);
    occupancy("nothing", (const void *)nothing, 1025, 0);
    occupancy("nothing", (const void *)nothing, 1024, 0);
    occupancy("nothing", (const void *)nothing, 32, 300000);
    occupancy("nothing", (const void *)nothing, -1, 0);
    occupancy("bounded", (const void *)bounded, 256, 0);
    occupancy("fixed", (const void *)fixed, 1024, 48 * 1024);
    occupancy("dynamic", (const void *)dynamic, 32, 100 * 1024);
    CALL(cudaFuncGetParamInfo((void *)bounded, 2, &offset, &bytes));
    printf("    offset %zu, %zu bytes\n", offset, bytes);
    CALL(cudaFuncGetParamInfo((void *)bounded, 3, &offset, &bytes));
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, (void *)nothing, 2, 128));
    printf("    %zu bytes\n", bytes);
}

static void streams_and_events() {
    cudaEvent_t a, b, c;
    float ms;
    CALL(cudaEventCreate(&a));
    CALL(cudaEventCreate(&b));
    CALL(cudaEventElapsedTime(&ms, a, b));
    CALL(cudaEventQuery(a));
    CALL(cudaEventSynchronize(a));
    CALL(cudaEventRecord(a));
    CALL(cudaEventElapsedTime(&ms, a, b));
    CALL(cudaEventCreateWithFlags(&c, cudaEventDisableTiming));
    CALL(cudaEventRecord(c));
    CALL(cudaDeviceSynchronize());
    CALL(cudaEventElapsedTime(&ms, a, c));
    CALL(cudaEventRecord(0));
    CALL(cudaEventDestroy(0));
    CALL(cudaEventCreateWithFlags(&c, 64));
    CALL(cudaEventSynchronize(0));
    CALL(cudaEventCreate((cudaEvent_t *)0));
    cudaStream_t stream;
    int priority, least, greatest;
    CALL(cudaStreamDestroy(0));
    CALL(cudaStreamSynchronize(0));
    CALL(cudaStreamCreateWithFlags(&stream, 8));
    CALL(cudaStreamCreateWithPriority(&stream, 0, -100));
    CALL(cudaStreamGetPriority(stream, &priority));
    CALL(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    printf("    %d in %d to %d\n", priority, least, greatest);
    CALL(cudaStreamWaitEvent(stream, 0, 0));
}

static void symbols() {
    static int host[64];
    void *p;
    size_t bytes;
    CALL(cudaMemcpyToSymbol(constants, host, 40));
    CALL(cudaMemcpyToSymbol(constants, host, 44));
    CALL(cudaMemcpyToSymbol(constants, host, 4, 40));
    CALL(cudaMemcpyToSymbol(host[0], host, 4));
    CALL(cudaMemcpyToSymbol(constants, host, 4, 0, cudaMemcpyDeviceToHost));
    CALL(cudaGetSymbolAddress(&p, constants));
    CALL(cudaGetSymbolSize(&bytes, variables));
    printf("    %zu bytes\n", bytes);
    CALL(cudaGetSymbolAddress(&p, host[0]));
}

static void devices() {
    int n;
    size_t bytes;
    CALL(cudaSetDevice(7));
    CALL(cudaSetDevice(-1));
    CALL(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)0, 0));
    CALL(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)1000, 0));
    CALL(cudaDeviceGetAttribute(&n, cudaDevAttrMaxThreadsPerBlock, 3));
    for (int i = 0; i < 6; i++) {
        bytes = 12345;
        CALL(cudaDeviceGetLimit(&bytes, (cudaLimit)i));
        printf("    limit %d: %zu\n", i, bytes);
    }
    CALL(cudaDeviceSetLimit(cudaLimitStackSize, 5000));
    CALL(cudaDeviceGetLimit(&bytes, cudaLimitStackSize));
    printf("    %zu\n", bytes);
    CALL(cudaDeviceSetLimit(cudaLimitStackSize, 1 << 30));
    CALL(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1000));
    CALL(cudaDeviceGetLimit(&bytes, cudaLimitPrintfFifoSize));
    printf("    %zu\n", bytes);
    CALL(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 2));
    CALL(cudaDeviceCanAccessPeer(&n, 0, 0));
    printf("    %d\n", n);
    CALL(cudaDeviceEnablePeerAccess(0, 0));
    CALL(cudaDeviceEnablePeerAccess(5, 0));
    CALL(cudaDeviceDisablePeerAccess(0));
    CALL(cudaDeviceCanAccessPeer(&n, 0, 9));
    CALL(cudaProfilerStart());
    CALL(cudaDeviceReset());
    CALL(cudaDeviceSynchronize());
}

int main() {
    int n;
    CALL(cudaGetDeviceCount(&n));
    CALL(cudaFree(0));
    launches();
    memory();
    functions();
    streams_and_events();
    symbols();
    devices();
    return 0;
}
