// What memory holds that nobody has set: a line for each kind, the bytes it holds or "mixed".
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

enum { N = 1000, BLOCKS = 40, THREADS = 96 };
__device__ int variable[4];
__device__ int *from_heap;

// Word 0: shared, 1: local, 2: dynamic shared; of every block, each of which leaves other values behind.
__global__ void look(unsigned *out) {
    __shared__ volatile unsigned own[THREADS];
    extern __shared__ volatile unsigned dynamic[];
    unsigned at = 3 * (blockIdx.x * THREADS + threadIdx.x), local;
    out[at] = own[threadIdx.x];
    asm volatile("{\n.local .align 4 .b32 word;\nld.local.u32 %0, [word];\nst.local.u32 [word], 77;\n}" : "=r"(local));
    out[at + 1] = local;
    out[at + 2] = dynamic[threadIdx.x];
    own[threadIdx.x] = dynamic[threadIdx.x] = 5;
}
__global__ void take(unsigned *out) {
    volatile unsigned *p = (volatile unsigned *)malloc(4 * N);
    for (int i = 0; i < N; i++) out[i] = p[i];
    free((void *)p);
}

static void say(const char *what, const unsigned *words, int n, int step) {
    bool same = true;
    for (int i = 0; i < n; i += step) same = same && words[i] == words[0];
    if (same) printf("%s %08x\n", what, words[0]);
    else printf("%s mixed\n", what);
}

static void say_device(const char *what, const void *device, int n) {
    static unsigned words[N];
    cudaMemcpy(words, device, n * 4, cudaMemcpyDeviceToHost);
    say(what, words, n, 1);
}

int main() {
    static unsigned found[3 * BLOCKS * THREADS];
    unsigned *p, *big, *pinned, *managed, *out;
    void *address;
    cudaMalloc(&p, N * 4);
    say_device("device", p, N);
    cudaMemset(p, 0, N * 4);
    cudaFree(p);
    cudaMalloc(&big, 64 << 20);
    say_device("large", big + (16 << 20) - N, N);
    cudaMallocHost(&pinned, N * 4);
    say("pinned", pinned, N, 1);
    cudaMallocManaged(&managed, N * 4);
    say("managed", managed, N, 1);
    cudaGetSymbolAddress(&address, variable);
    say_device("variable", address, 4);
    cudaMalloc(&out, sizeof found);
    look<<<BLOCKS, THREADS, THREADS * 4>>>(out);
    cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost);
    say("shared", found, 3 * BLOCKS * THREADS, 3);
    say("local", found + 1, 3 * BLOCKS * THREADS - 1, 3);
    say("dynamic", found + 2, 3 * BLOCKS * THREADS - 2, 3);
    take<<<1, 1>>>(out);
    say_device("heap", out, N);
    return cudaDeviceSynchronize() != cudaSuccess;
}
