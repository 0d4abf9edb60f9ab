// Two versions of the CUDA runtime in one process: the one that the program is linked to, and one that it loads by name
// (the argument). There is one GPU: memory, streams, events, arrays and settings of one are those of the other. Prints
// what is not so.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cuda_runtime_api.h"
#include "expect.h"

static void *other;

// The call of the other library.
#define OTHER(call) ((__typeof__(&call))dlsym(other, #call))

static size_t used(__typeof__(&cudaMemGetInfo) get_info) {
    size_t unused = 0, total = 0;
    CHECK(get_info(&unused, &total) == cudaSuccess);
    return total - unused;
}

static void share_memory(void) {
    enum { BYTES = 1 << 20 };
    static char in[BYTES], out[BYTES];
    char *mine, *theirs;
    struct cudaPointerAttributes attributes;
    memset(in, 42, sizeof in);
    CHECK(used(cudaMemGetInfo) == 0 && used(OTHER(cudaMemGetInfo)) == 0);
    CHECK(cudaMalloc((void **)&mine, BYTES) == cudaSuccess);
    CHECK(used(OTHER(cudaMemGetInfo)) == BYTES);
    CHECK(OTHER(cudaMalloc)((void **)&theirs, BYTES) == cudaSuccess);
    CHECK(used(cudaMemGetInfo) == 2 * BYTES && mine != theirs);
    CHECK(OTHER(cudaPointerGetAttributes)(&attributes, mine) == cudaSuccess && attributes.type == cudaMemoryTypeDevice);
    CHECK(cudaPointerGetAttributes(&attributes, theirs) == cudaSuccess && attributes.type == cudaMemoryTypeDevice);
    CHECK(cudaMemcpy(theirs, in, BYTES, cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(OTHER(cudaMemcpy)(mine, theirs, BYTES, cudaMemcpyDeviceToDevice) == cudaSuccess);
    CHECK(cudaMemcpy(out, mine, BYTES, cudaMemcpyDeviceToHost) == cudaSuccess && memcmp(in, out, BYTES) == 0);
    CHECK(OTHER(cudaFree)(mine) == cudaSuccess && cudaFree(mine) == cudaErrorInvalidValue);
    CHECK(cudaFree(theirs) == cudaSuccess && used(OTHER(cudaMemGetInfo)) == 0);
}

static void share_handles(void) {
    cudaStream_t stream;
    cudaEvent_t event;
    cudaArray_t array;
    unsigned flags = 0;
    size_t limit = 0;
    struct cudaExtent extent;
    const struct cudaChannelFormatDesc floats = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    CHECK(OTHER(cudaStreamGetFlags)(stream, &flags) == cudaSuccess && flags == cudaStreamNonBlocking);
    CHECK(OTHER(cudaEventCreate)(&event) == cudaSuccess && cudaEventRecord(event, stream) == cudaSuccess);
    CHECK(OTHER(cudaStreamDestroy)(stream) == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventDestroy(event) == cudaSuccess);
    CHECK(OTHER(cudaEventQuery)(event) == cudaErrorInvalidResourceHandle);
    CHECK(cudaMallocArray(&array, &floats, 5, 7, 0) == cudaSuccess);
    CHECK(OTHER(cudaArrayGetInfo)(NULL, &extent, NULL, array) == cudaSuccess);
    CHECK(extent.width == 5 && extent.height == 7);
    CHECK(OTHER(cudaFreeArray)(array) == cudaSuccess);
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096) == cudaSuccess);
    CHECK(OTHER(cudaDeviceGetLimit)(&limit, cudaLimitStackSize) == cudaSuccess && limit == 4096);
}

// A thread's last error is each library's own, as on a GPU; the device is reset for both.
static void share_reset(void) {
    void *pointer;
    cudaGetLastError();
    OTHER(cudaGetLastError)();
    CHECK(cudaFree(&failures) == cudaErrorInvalidValue);
    CHECK(OTHER(cudaPeekAtLastError)() == cudaSuccess && cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(cudaMalloc(&pointer, 100) == cudaSuccess && OTHER(cudaDeviceReset)() == cudaSuccess);
    CHECK(used(cudaMemGetInfo) == 0 && cudaFree(pointer) == cudaErrorInvalidValue);
}

int main(int argc, char **argv) {
    other = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!other) {
        printf("%s\n", dlerror());
        return 2;
    }
    int mine = 0, theirs = 0;
    CHECK(cudaRuntimeGetVersion(&mine) == cudaSuccess && OTHER(cudaRuntimeGetVersion)(&theirs) == cudaSuccess);
    CHECK(mine && theirs && mine != theirs);
    share_memory();
    share_handles();
    share_reset();
    CHECK(dlclose(other) == 0);   // the GPU's calls to the library that came first go on
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    return failures != 0;
}
