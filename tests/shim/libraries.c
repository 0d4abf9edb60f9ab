// Device code that a program of the runtime loads at run time, and the driver's entries: in C alone.
#include <stdio.h>
#include <string.h>

#include "cuda_runtime_api.h"

static const char ptx[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n.visible .global .u32 factor = 3;\n"
    ".visible .entry scale(.param .u64 p) {\n .reg .u64 %rd<2>; .reg .u32 %r<4>;\n"
    " ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [factor]; mul.lo.u32 %r3, %r1, %r2;\n"
    " st.global.u32 [%rd1], %r3; ret;\n}\n";

#define GOOD(call)                                                              \
    do {                                                                        \
        const cudaError_t error = call;                                         \
        if (error) {                                                            \
            printf("line %d: %s\n", __LINE__, cudaGetErrorName(error));         \
            return 1;                                                           \
        }                                                                       \
    } while (0)

static int run_library(void) {
    cudaLibrary_t library;
    cudaKernel_t kernel, first;
    unsigned count, value = 7, *p, *factor;
    size_t bytes;
    GOOD(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    GOOD(cudaLibraryGetKernelCount(&count, library));
    GOOD(cudaLibraryEnumerateKernels(&first, 1, library));
    GOOD(cudaLibraryGetKernel(&kernel, library, "scale"));
    GOOD(cudaLibraryGetGlobal((void **)&factor, &bytes, library, "factor"));
    printf("%u kernels, %s, %zu bytes\n", count, first == kernel ? "this one" : "another", bytes);
    GOOD(cudaMalloc((void **)&p, sizeof *p));
    GOOD(cudaMemcpy(p, &value, sizeof value, cudaMemcpyHostToDevice));
    void *params[] = {&p};
    const dim3 one = {1, 1, 1};
    GOOD(cudaLaunchKernel((const void *)kernel, one, one, params, 0, NULL));
    GOOD(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
    printf("%u\n", value);
    GOOD(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536, 0));
    printf("%s\n", cudaGetErrorName(cudaLibraryGetKernel(&kernel, library, "nothing")));
    GOOD(cudaLibraryUnload(library));
    printf("%s\n", cudaGetErrorName(cudaLaunchKernel((const void *)first, one, one, params, 0, NULL)));
    return 0;
}

int main(void) {
    enum cudaDriverEntryPointQueryResult found;
    void *address;
    int (*count)(int *), n = 0;
    GOOD(cudaGetDriverEntryPoint("cuDeviceGetCount", &address, cudaEnableDefault, &found));
    memcpy(&count, &address, sizeof count);
    GOOD((cudaError_t)count(&n));
    printf("%d device\n", n);
    GOOD(cudaGetDriverEntryPoint("cuNothing", &address, cudaEnableDefault, &found));
    printf("%s\n", !address && found == cudaDriverEntryPointSymbolNotFound ? "not found" : "found");
    GOOD(cudaGetDriverEntryPointByVersion("cuLibraryLoadData", &address, 11000, cudaEnableDefault, &found));
    printf("%s\n", found == cudaDriverEntryPointVersionNotSufficent ? "too new" : "there");
    return run_library();
}
