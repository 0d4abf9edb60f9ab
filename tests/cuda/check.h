// Checks inside kernels: the first that fails is remembered by its line and value.
#ifndef TESTS_CUDA_CHECK_H
#define TESTS_CUDA_CHECK_H

#include <cstdio>

struct failures {
    int count, line, lane;
};

__device__ failures device_failures;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition) && atomicAdd(&device_failures.count, 1) == 0) {                                               \
            device_failures.line = __LINE__;                                                                           \
            device_failures.lane = (int)threadIdx.x;                                                                   \
        }                                                                                                              \
    } while (0)

#define API(call)                                                                                                      \
    do {                                                                                                               \
        cudaError_t error = (call);                                                                                    \
        if (error != cudaSuccess) {                                                                                    \
            printf("%s:%d: %s gives %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(error));                        \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

#define HOST_CHECK(condition)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%s:%d: not %s\n", __FILE__, __LINE__, #condition);                                                 \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

// After the last kernel: 0, or 1 with a message.
static int report(const char *file) {
    failures found;
    API(cudaDeviceSynchronize());
    API(cudaMemcpyFromSymbol(&found, device_failures, sizeof found));
    if (found.count) printf("%s:%d: lane %d, and %d more checks fail\n", file, found.line, found.lane, found.count - 1);
    else printf("ok\n");
    return found.count != 0;
}

#endif
