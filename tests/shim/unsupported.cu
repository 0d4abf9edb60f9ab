// Calls that the runtime does not support: an error, named once, and the program goes on.
#include <cuda_runtime.h>

#include <cstdio>

int main() {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaStreamCreate(&stream);
    for (int i = 0; i < 3; i++) printf("%d\n", (int)cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    printf("%d\n", (int)cudaGraphCreate(&graph, 0));
    printf("%d\n", (int)cudaGetLastError());
    printf("%d\n", (int)cudaGetLastError());
    printf("%d\n", (int)cudaDeviceSynchronize());
    return 0;
}
