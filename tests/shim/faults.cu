// A kernel that faults, and what the runtime says from then on. The argument chooses the fault.
#include <cuda_runtime.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void write_at(int *p, long long i) { p[i] = 1; }
__global__ void write_misaligned(char *p) { *(int *)(p + 1) = 1; }
__global__ void stop() { asm("trap;"); }
__global__ void check(int x) { assert(x == 1); }
__global__ void wait_in_two_places() {
    if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;");
    else asm volatile("bar.sync 2, 64;");
}
__global__ void nothing() {}

#define SHOW(call) printf("%-45s %d\n", #call, (int)(call))

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int *p, *freed, n;
    void *q;
    size_t bytes;
    cudaEvent_t event;
    cudaDeviceProp prop;
    cudaPointerAttributes attributes;
    cudaMalloc(&p, 1000);
    cudaMalloc(&freed, 5000);
    cudaFree(freed);
    if (!strcmp(what, "past")) write_at<<<1, 1>>>(p, 250);
    if (!strcmp(what, "null")) write_at<<<1, 1>>>(0, 0);
    if (!strcmp(what, "freed")) write_at<<<1, 1>>>(freed, 10);
    if (!strcmp(what, "misaligned")) write_misaligned<<<1, 1>>>((char *)p);
    if (!strcmp(what, "trap")) stop<<<1, 1>>>();
    if (!strcmp(what, "assert")) check<<<1, 1>>>(0);
    if (!strcmp(what, "deadlock")) wait_in_two_places<<<1, 64>>>();
    SHOW(cudaGetLastError());
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaPeekAtLastError());
    SHOW(cudaGetLastError());
    SHOW(cudaGetLastError());
    SHOW(cudaMalloc(&q, 4));
    SHOW(cudaGetDeviceCount(&n));
    SHOW(cudaSetDevice(0));
    SHOW(cudaFree(0));
    SHOW(cudaFree(p));
    SHOW(cudaEventCreate(&event));
    SHOW(cudaGetDeviceProperties(&prop, 0));
    SHOW(cudaPointerGetAttributes(&attributes, p));
    SHOW(cudaRuntimeGetVersion(&n));
    SHOW(cudaMemGetInfo(&bytes, &bytes));
    SHOW(cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost));
    SHOW(cudaStreamQuery(0));
    nothing<<<1, 1>>>();
    SHOW(cudaGetLastError());
    SHOW(cudaGetLastError());
    return 0;
}
