// A program that uses the CUDA runtime and the driver has one GPU: memory, streams, the primary context, a reset. And
// eight host threads, each with a stream of its own, share it; another process, which was forked before either was
// begun, adds to memory of this one; a child that is forked later has no GPU. Prints what is not so. Also built for the
// sanitizer of threads, with both doors (cmake/tests.cmake).
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda.h"
#include "cuda_runtime_api.h"
#include "expect.h"

enum { THREADS = 8, LAUNCHES = 50, WORDS = 64 };

// add(unsigned *p, unsigned n): p[i] += n
static const char add_ptx[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry add(.param .u64 p, .param .u32 n) {\n"
    " .reg .u64 %rd<4>; .reg .u32 %r<5>;\n ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n"
    " mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r3, [%rd3]; add.u32 %r3, %r3, %r1;\n"
    " st.global.u32 [%rd3], %r3; ret;\n}\n";

static CUcontext primary;
static CUfunction add;

static void share_memory_and_streams(void) {
    CUcontext current = NULL;
    void *p;
    size_t unused, total, left;
    int seven = 7, got = 0;
    cudaStream_t stream;
    unsigned flags = 7;
    GOOD(cudaMalloc(&p, 1 << 20));
    GOOD(cuCtxGetCurrent(&current));   // without a cuInit of the program's own: the runtime has made it
    CHECK(current);
    GOOD(cuMemGetInfo(&unused, &total));
    GOOD(cudaMemGetInfo(&left, NULL));
    CHECK(total - unused == 1 << 20 && left == unused);
    GOOD(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)p, &seven, sizeof seven));
    GOOD(cudaMemcpy(&got, p, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got == 7);
    GOOD(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    GOOD(cuStreamGetFlags(stream, &flags));
    CHECK(flags == CU_STREAM_NON_BLOCKING);
    GOOD(cuStreamDestroy(stream));
    CHECK(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle);
    GOOD(cuMemFree((CUdeviceptr)(uintptr_t)p));
    GOOD(cuDevicePrimaryCtxRetain(&primary, 0));
    CHECK(current == primary);
    GOOD(cuDevicePrimaryCtxRelease(0));   // the runtime goes on
    GOOD(cudaMalloc(&p, 4));
    GOOD(cudaFree(p));
}

static void *use_stream(void *number) {
    const unsigned n = (unsigned)(uintptr_t)number;
    CUstream stream;
    CUdeviceptr p;
    unsigned out[WORDS];
    void *params[] = {&p, (void *)&n};
    GOOD(cuCtxSetCurrent(primary));
    GOOD(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    GOOD(cuMemAlloc(&p, sizeof out));
    GOOD(cuMemsetD32Async(p, 1000, WORDS, stream));
    for (int i = 0; i < LAUNCHES; i++) GOOD(cuLaunchKernel(add, 1, 1, 1, WORDS, 1, 1, 0, stream, params, NULL));
    GOOD(cuMemcpyDtoHAsync(out, p, sizeof out, stream));
    GOOD(cuStreamSynchronize(stream));
    for (int i = 0; i < WORDS; i++) CHECK(out[i] == 1000 + LAUNCHES * n);
    GOOD(cuMemFree(p));
    GOOD(cuStreamDestroy(stream));
    return NULL;
}

static void share_among_threads(void) {
    pthread_t threads[THREADS];
    CUmodule module;
    GOOD(cuModuleLoadData(&module, add_ptx));
    GOOD(cuModuleGetFunction(&add, module, "add"));
    for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, use_stream, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    GOOD(cudaDeviceReset());
    CHECK(cuModuleGetFunction(&add, module, "add") == CUDA_ERROR_INVALID_HANDLE);
    GOOD(cuModuleLoadData(&module, add_ptx));
}

// What one process has by the runtime another one uses by the driver.
typedef struct shared {
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t event;
} shared;

static int use_shared(int from) {
    shared names;
    CUcontext context;
    CUmodule module;
    CUdeviceptr p;
    CUevent event;
    CUipcMemHandle memory;
    CUipcEventHandle named;
    unsigned n = 5;
    void *params[] = {&p, &n};
    if (read(from, &names, sizeof names) != (ssize_t)sizeof names) return 1;
    memcpy(&memory, &names.memory, sizeof memory);
    memcpy(&named, &names.event, sizeof named);
    GOOD(cuInit(0));
    GOOD(cuDevicePrimaryCtxRetain(&context, 0));
    GOOD(cuCtxSetCurrent(context));
    GOOD(cuModuleLoadData(&module, add_ptx));
    GOOD(cuModuleGetFunction(&add, module, "add"));
    GOOD(cuIpcOpenMemHandle(&p, memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    GOOD(cuIpcOpenEventHandle(&event, named));
    GOOD(cuStreamWaitEvent(NULL, event, 0));
    GOOD(cuLaunchKernel(add, 1, 1, 1, WORDS, 1, 1, 0, NULL, params, NULL));
    GOOD(cuCtxSynchronize());
    GOOD(cuIpcCloseMemHandle(p));
    return failures != 0;
}

static void share_with_process(pid_t other, int to) {
    shared names;
    void *p;
    unsigned got[WORDS];
    int status = -1;
    cudaEvent_t event;
    GOOD(cudaMalloc(&p, sizeof got));
    GOOD(cudaMemset(p, 0, sizeof got));
    GOOD(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
    GOOD(cudaEventRecord(event, NULL));
    GOOD(cudaIpcGetMemHandle(&names.memory, p));
    GOOD(cudaIpcGetEventHandle(&names.event, event));
    CHECK(write(to, &names, sizeof names) == (ssize_t)sizeof names);
    CHECK(waitpid(other, &status, 0) == other && status == 0);
    GOOD(cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < WORDS; i++) CHECK(got[i] == 5);
    GOOD(cudaFree(p));
}

// By either interface, and without a hang.
static void fork_later(void) {
    void *p;
    CUdeviceptr address;
    int status = -1;
    const pid_t child = fork();
    if (!child)
        _exit(cudaMalloc(&p, 4) != cudaErrorInitializationError ||
              cuMemAlloc(&address, 4) != CUDA_ERROR_NOT_INITIALIZED);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(void) {
    int ends[2];
    if (pipe(ends)) return 1;
    const pid_t other = fork();
    if (!other) return use_shared(ends[0]);
    share_memory_and_streams();
    share_among_threads();
    share_with_process(other, ends[1]);
    fork_later();
    printf("%d failures\n", failures);
    return failures != 0;
}
