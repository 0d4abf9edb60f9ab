// The host touches device memory in the way that the first argument says: what would crash on a machine with a GPU.
#include <cuda_runtime.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <unistd.h>

__device__ int variable[4];
__global__ void set(int *p) { p[threadIdx.x] = 7; }

static void on_signal(int) { _exit(42); }

static int use(const char *how) {
    int *p, *pinned, sum = 0, *address;
    cudaMalloc(&p, 1000);                                  // made here
    cudaMallocHost(&pinned, 1000);
    set<<<1, 32>>>(p);
    cudaDeviceSynchronize();
    if (!strcmp(how, "write")) p[4] = 1;                   // here
    if (!strcmp(how, "read")) sum = p[5];                  // here
    if (!strcmp(how, "past")) p[250] = 1;                  // here
    if (!strcmp(how, "copy")) memcpy(pinned, p, 1000);     // here
    if (!strcmp(how, "free")) free(p);                     // here
    if (!strcmp(how, "vector")) sum = std::vector<int>(p + 1, p + 9)[0];   // here
    if (!strcmp(how, "freed")) {
        cudaFree(p);
        p[2] = 1;                                          // here
    }
    if (!strcmp(how, "variable")) {
        cudaGetSymbolAddress((void **)&address, variable);
        address[1] = 1;                                    // here
    }
    if (!strcmp(how, "handled")) {
        signal(SIGSEGV, on_signal);
        p[4] = 1;
    }
    if (!strcmp(how, "null")) *(volatile int *)nullptr = 1;
    if (!strcmp(how, "sent")) raise(SIGSEGV);
    if (!strcmp(how, "kernel")) set<<<1, 32>>>(p + 1000000);
    // What is the host's as well.
    if (!strcmp(how, "pinned")) {
        set<<<1, 32>>>(pinned);
        cudaDeviceSynchronize();
        sum = pinned[31];
    }
    cudaDeviceSynchronize();
    printf("%d\n", sum);
    return 0;
}

int main(int argc, char **argv) { return argc > 1 ? use(argv[1]) : 2; }
