// Calls that the runtime does not support: an error, named once, and the program goes on.
#include <cuda_runtime.h>

#include <cstdio>

extern "C" cudaError_t cudaDeviceGetNvSciSyncAttributes(void *attributes, int device, int flags);
extern "C" cudaError_t cudaGraphicsUnregisterResource(struct cudaGraphicsResource *resource);

int main() {
    for (int i = 0; i < 3; i++) printf("%d\n", (int)cudaDeviceGetNvSciSyncAttributes(0, 0, 0));
    printf("%d\n", (int)cudaGraphicsUnregisterResource(0));
    printf("%d\n", (int)cudaGetLastError());
    printf("%d\n", (int)cudaGetLastError());
    printf("%d\n", (int)cudaDeviceSynchronize());
    return 0;
}
